import { setTimeout as pause } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { afterEach, describe, expect, it } from 'vitest'
import type {
  SubmissionDesk,
  SubmissionMail,
  SubmissionRefused,
  SubmittedMail,
  Submitter,
} from '../../core/ports/submission.ts'
import { type Occupied, refusesTakenPort } from './occupied-port.ts'
import { PATIENT } from './patient.ts'
import { activeTimers, ended } from './timers.ts'

/** The subject of the contract: one receiver of submissions. */
export interface SubmissionMailSubject {
  readonly submission: SubmissionMail
  /** The port of 127.0.0.1 it takes SMTP on, once it was started; a login in the clear is allowed there. */
  port(): number
  /** Makes another one, not started, whose port another program has. May be left out. */
  readonly occupy?: (() => Promise<Occupied<SubmissionMail>>) | undefined
  close(): Promise<void>
}

const LOGIN = { user: 'a project', pass: 'its key' }
const REFUSED: SubmissionRefused = {
  outcome: 'refused',
  code: 550,
  status: '5.7.1',
  message: 'the sentence of the desk',
}
const LATER = { outcome: 'later', message: 'not now' } as const
const MAIL = { from: 'author@a.example', to: 'one@b.example', subject: 'Hi', text: 'x' }

/** The promises of every receiver of mail from programs that log in. Its messages are sent by SMTP. */
export function submissionMailContract(setup: () => Promise<SubmissionMailSubject>) {
  describe('a receiver', PATIENT, () => promises(setup))
}

function promises(setup: () => Promise<SubmissionMailSubject>) {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  async function started(given: Partial<Submitter> = {}, desk: Partial<SubmissionDesk> = {}) {
    const subject = await setup()
    closers.push(() => subject.close())
    const messages: SubmittedMail[] = []
    const submitter: Submitter = {
      sender: async () => ({ outcome: 'accepted' }),
      recipient: () => ({ outcome: 'accepted' }),
      submit: async (message) => {
        messages.push(message)
        return { outcome: 'accepted', ids: message.envelope.to.map((_, i) => `id-${i}`) }
      },
      ...given,
    }
    await subject.submission.start({
      login: async (user, password) =>
        user === LOGIN.user && password === LOGIN.pass
          ? { outcome: 'accepted', submitter }
          : { ...REFUSED, code: 535, status: '5.7.8', message: 'who is that?' },
      ...desk,
    })
    const send = (mail: object, auth: typeof LOGIN | null = LOGIN) => {
      const login = auth === null ? {} : { auth }
      return createTransport({ host: '127.0.0.1', port: subject.port(), ignoreTLS: true, ...login }).sendMail(mail)
    }
    return { ...subject, messages, send }
  }

  it('hands each message over with its envelope and its bytes, and answers with the ids of its mails', async () => {
    const { messages, send } = await started()
    const envelope = { from: 'bounce@a.example', to: ['one@b.example', 'blind@b.example'] }
    const { response } = await send({ ...MAIL, subject: 'Grüße', text: '.dot\r\n', envelope })
    expect(response).toMatch(/^250 2\.0\.0 .*id-0 id-1/)
    expect(messages.map((message) => message.envelope)).toEqual([envelope])
    const raw = Buffer.from(messages[0]?.raw ?? []).toString()
    expect(raw).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(raw).toContain('\r\n.dot\r\n')
    expect(raw).not.toMatch(/[^\r]\n/)
  })

  it('keeps the octets of a message, whatever their encoding, and all of a long one', async () => {
    const { messages, send } = await started()
    const line = Buffer.from([...Buffer.from('Gr'), 0xfc, 0xdf, 0x65, 0xc3, 0xbc, 0xff, 13, 10])
    const lines = Array.from({ length: 30_000 }, () => line)
    const raw = Buffer.concat([Buffer.from('Subject: octets\r\n\r\n.dot\r\n..\r\n'), ...lines])
    await send({ envelope: { from: MAIL.from, to: MAIL.to }, raw })
    // a server may write its own lines above the header
    expect(
      Buffer.from(messages[0]?.raw ?? [])
        .subarray(-raw.length)
        .equals(raw),
    ).toBe(true)
  })

  it('delivers to the envelope, whatever the header of the message says', async () => {
    const { messages, send } = await started()
    const envelope = { from: 'bounce@a.example', to: ['blind@b.example'] }
    await send({ envelope, raw: 'To: shown@b.example\r\nSubject: x\r\n\r\nx\r\n' })
    expect(messages.map((message) => message.envelope)).toEqual([envelope])
  })

  it('mixes none of several messages up, nor of several logins', async () => {
    const { messages, send } = await started()
    const all = Array.from({ length: 5 }, (_, i) => `to${i}@b.example`)
    const wrong = send(MAIL, { user: LOGIN.user, pass: 'a guess' }).catch(({ responseCode }) => responseCode)
    await Promise.all(all.map((to) => send({ ...MAIL, to, subject: to })))
    const seen = messages.map(({ envelope: { to }, raw }) => {
      return `${to} ${/^Subject: (.*)\r$/m.exec(Buffer.from(raw).toString())?.[1]}`
    })
    expect(seen.sort()).toEqual(all.map((to) => `${to} ${to}`))
    expect(await wrong).toBe(535)
  })

  it('takes a message for those recipients alone that the desk accepts', async () => {
    const { messages, send } = await started({
      recipient: (address) => (address.startsWith('no@') ? REFUSED : { outcome: 'accepted' }),
    })
    const { rejected } = await send({ ...MAIL, to: ['one@b.example', 'no@b.example', 'two@b.example'] })
    expect(rejected).toEqual(['no@b.example'])
    expect(messages[0]?.envelope.to).toEqual(['one@b.example', 'two@b.example'])
  })

  it('takes the null sender', async () => {
    const { messages, send } = await started()
    await send({ ...MAIL, envelope: { from: '', to: ['one@b.example'] } })
    expect(messages[0]?.envelope.from).toBe('')
  })

  it('takes nothing without a login, or with a wrong one', async () => {
    const { messages, send } = await started()
    await expect(send(MAIL, { user: 'a project', pass: 'a guess' })).rejects.toMatchObject({ responseCode: 535 })
    await expect(send(MAIL, null)).rejects.toMatchObject({ responseCode: 530 })
    expect(messages).toEqual([])
  })

  describe.each([
    ['for good', REFUSED, 550, /5\.7\.1 the sentence of the desk/],
    ['for now', LATER, 451, /4\.\d+\.\d+ not now/],
  ] as const)('what the desk refuses %s', (_, answer, responseCode, words) => {
    it.each([
      ['a sender', { sender: async () => answer }],
      ['a recipient', { recipient: () => answer }],
      ['a message', { submit: async () => answer }],
    ])('is told: %s', async (_what, given) => {
      const { send, messages } = await started(given)
      const refusal = await send(MAIL).catch((error: unknown) => error)
      expect(refusal).toMatchObject({ responseCode, message: expect.stringMatching(words) })
      expect(messages).toEqual([])
    })
  })

  it('says that a login cannot be checked now', async () => {
    const { send } = await started({}, { login: async () => LATER })
    await expect(send(MAIL)).rejects.toMatchObject({ responseCode: 454 })
  })

  it('answers only when the message is stored, and not with success when it is not', async () => {
    const stored = Promise.withResolvers<void>()
    let isStored = false
    const { send } = await started({
      submit: async () => {
        await stored.promise
        isStored = true
        return { outcome: 'accepted', ids: ['id'] }
      },
    })
    const sent = send(MAIL).then(() => isStored)
    await pause(300)
    stored.resolve()
    expect(await sent).toBe(true)
    const broken = await started({ submit: () => Promise.reject(new Error('no room')) })
    const refusal = await broken.send(MAIL).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ responseCode: 451, message: expect.not.stringContaining('no room') })
  })

  it('stops when what is under way is stored, and in time when it never is', async () => {
    const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const { submission, send } = await started({
      submit: async () => {
        begun.resolve()
        await stored.promise
        return { outcome: 'accepted', ids: ['id'] }
      },
    })
    const answered = send(MAIL)
    await begun.promise
    let isOver = false
    const stopped = submission.stop(5000).then(() => {
      isOver = true
    })
    await pause(50)
    expect(isOver).toBe(false)
    stored.resolve()
    await Promise.all([stopped, answered])

    const hanging = Promise.withResolvers<void>()
    const other = await started({
      submit: () => {
        hanging.resolve()
        return new Promise(() => {})
      },
    })
    void other.send(MAIL).catch(() => {})
    await hanging.promise
    const late = pause(3_000, 'too late', { ref: false })
    expect(await Promise.race([other.submission.stop(100), late])).not.toBe('too late')
  })

  it('fails to start when another program has its port, and names it', async () => {
    const { occupy, close } = await setup()
    closers.push(close)
    const login = async () => LATER
    if (occupy) await refusesTakenPort(await occupy(), { login })
  })

  it('says whether it takes mail, and takes none after stop', async () => {
    const { submission, send, messages } = await started()
    await submission.check()
    await submission.stop(1000)
    await expect(submission.check()).rejects.toThrow()
    await expect(send(MAIL)).rejects.toThrow()
    expect(messages).toEqual([])
  })

  it('leaves no timer that keeps the process running, once it is stopped', async () => {
    const before = activeTimers()
    for (let i = 0; i < 6; i++) {
      const { submission } = await started()
      await submission.stop(100)
    }
    for (const close of closers.splice(0)) await close()
    await ended(before)
  })
}
