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

/** What the contract needs of one receiver of submissions. */
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

/** What everything promises that takes mail from programs that log in. Its messages are sent by SMTP. */
export function submissionMailContract(setup: () => Promise<SubmissionMailSubject>) {
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
    await new Promise((resolve) => setTimeout(resolve, 300))
    stored.resolve()
    expect(await sent).toBe(true)
    const broken = await started({ submit: () => Promise.reject(new Error('no room')) })
    const refusal = await broken.send(MAIL).catch((error: unknown) => error)
    expect(refusal).toMatchObject({ responseCode: 451, message: expect.not.stringContaining('no room') })
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
}
