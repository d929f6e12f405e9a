import { afterEach, describe, expect, it } from 'vitest'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { asciiAddress } from '../../core/values/email-address.ts'
import {
  ATTACHMENTS,
  expectFindable,
  expectReason,
  expectUnseen,
  expectWhole,
  HEADERS,
  lines,
  type ReceivedMail,
  sorted,
  WITH_COPIES,
} from './arrived-mail.ts'
import { GARBLED, type GarbledAnswer } from './garbled-answers.ts'
import { type MailToSend, outgoingMail } from './outgoing-mail.ts'
import { withReadableAnswers } from './readable-answers.ts'
import { activeTimers, ended } from './timers.ts'

/** The subject of the contract: a fresh transport, with a next hop that has no mail, for every test. */
export interface MailTransportSubject {
  readonly transport: MailTransport
  /**
   * The form that it hands over: the whole `message`, as `raw()` makes it, or the `fields`, for a provider that makes
   * the message. Default `message`.
   */
  readonly speaks?: 'fields' | 'message'
  /** Everything the next hop has accepted so far. */
  received(): Promise<readonly ReceivedMail[]>
  /** A recipient the next hop refuses for good; undefined for one that takes everybody. */
  readonly refuses: string | undefined
  /** A recipient the next hop puts off; undefined for one that never does. */
  readonly postpones: string | undefined
  /** Takes the next hop away: from now on it cannot be reached. */
  unplug(): Promise<void>
  /** From now on the next hop reads mail and answers nothing; undefined for one that has no silence, such as a folder. */
  readonly stall: (() => void) | undefined
  /** From now on the next hop answers every message with this status; undefined for one without any, such as a folder. */
  readonly fails: ((status: number) => void) | undefined
  /** Whose statuses these are. Default `http`. */
  readonly statuses?: 'http' | 'smtp'
  /**
   * From now on the next hop accepts each mail with such an answer; `writeGarbled` writes it to a response of HTTP. Over SMTP
   * the `body` is the reply to the end of the message. May be left out.
   */
  readonly garbles?: ((answer: GarbledAnswer) => void) | undefined
  /** From now on the next hop accepts each mail and then breaks the connection without an answer. */
  readonly cuts?: (() => void) | undefined
  /** Clears up; the transport is closed already. */
  close(): Promise<void>
}

/**
 * The meaning of statuses for a mail: for good, or that it can be tried again. Others may be judged by what comes with
 * them.
 */
const STATUSES = {
  http: { permanent: [], temporary: [401, 403, 408, 429, 500, 502, 503, 504] },
  smtp: { permanent: [550, 552, 554], temporary: [421, 450, 451, 452] },
} as const
/** Statuses that say something of one mail: its own stages alone, since the first two pause the transport for all mail. */
const OF_ONE_MAIL = { http: [400, 413, 422], smtp: [450, 451, 452, 550, 552, 554] } as const
/** As many recipients as the API takes for one mail. */
const MOST_RECIPIENTS = 100
/** How long a transport may take to give up. */
const GIVE_UP_MS = 1_000

/** The promises of every mail transport. `setup` makes a fresh one with an empty next hop. */
export function mailTransportContract(setup: () => Promise<MailTransportSubject>) {
  let subject: MailTransportSubject | undefined
  const unreadable: string[] = []
  const fresh = async () => {
    const made = await setup()
    subject = { ...made, transport: withReadableAnswers(made.transport, unreadable) }
    return subject
  }
  const never = new AbortController().signal

  afterEach(async () => {
    await subject?.transport.close?.()
    await subject?.close()
    subject = undefined
    expect(unreadable.splice(0), 'what the engine cannot read in the answers').toEqual([])
  })

  it('says how many mails it works on at the same time', async () => {
    const { concurrency } = (await fresh()).transport
    expect(Number.isInteger(concurrency) && concurrency > 0).toBe(true)
  })

  describe('handing over', () => {
    it.each<[string, MailToSend]>([
      ['an ordinary message', {}],
      ['lines that begin with dots', lines('.', '..', '. dot', '...three', '', '.', '')],
      ['what looks like the end of the message and a command behind it', lines('before', '.', 'QUIT', '.', 'after')],
      ['a message that begins with a dot', { message: Buffer.from('.X-First: 1\r\n\r\n.\r\n') }],
      ['encoded UTF-8', lines('=F0=9F=92=8C gr=C3=BC=C3=9Fe =E2=80=94 =D0=9F=D1=80=D0=B8=D0=B2=D0=B5=D1=82')],
      [
        'UTF-8',
        { subject: 'Grüße 💌', text: 'Привет\n', html: '<p>Привет</p>', from: { email: 'a@b.test', name: 'É' } },
      ],
      ['lines of 998 octets', lines('x'.repeat(998), `.${'y'.repeat(997)}`, 'z'.repeat(998))],
      ['white space at the ends of lines', lines('  indented', 'trailing  ', '\ttab\t', '')],
      ['a header without a body', { message: Buffer.from('Subject: alone\r\n\r\n') }],
      ['a part of a larger memory', { message: Buffer.from('junkSubject: x\r\n\r\ninside\r\njunk').subarray(4, -4) }],
      ['some megabytes', lines(...Array.from({ length: 40_000 }, (_, i) => `.${i}`.padEnd(76, '=')))],
      ['a mail without HTML', { html: undefined }],
      ['copies, names and an address for answers', WITH_COPIES],
      ['further header fields', { headers: HEADERS }],
      ['attachments', { attachments: ATTACHMENTS }],
    ])('gives the next hop %s whole, octet for octet or field for field', async (_what, given) => {
      const { transport, received, speaks = 'message' } = await fresh()
      const mail = outgoingMail(given)
      expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      const [first, ...more] = await received()
      expect(more).toEqual([])
      expect(sorted(first!.to)).toEqual(sorted(mail.envelope.to))
      await expectWhole(first!, mail, speaks)
    })

    it('delivers to the envelope, whatever the header fields say', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: 'bounces+1@sender.test', to: ['bob@example.com', 'cy@example.org'] }
      const mail = outgoingMail({ envelope, to: ['ada@example.com', ...envelope.to].map((email) => ({ email })) })
      expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      const [first] = await received()
      expect(sorted(first!.to)).toEqual(envelope.to)
      expect(first!.from ?? envelope.from).toBe(envelope.from)
    })

    it.each<[string, readonly string[]]>([
      ['a copy', ['cy@example.org']],
      ['copies', ['cy@example.org', 'di@example.org', 'blind@example.com']],
      ['one blind copy', ['blind@example.com']],
      ['blind copies', ['blind@example.com', 'dark@example.com']],
    ])('gives those who have the mail no second one when %s alone are left', async (_who, left) => {
      const { transport, received } = await fresh()
      const mail = outgoingMail({
        to: [{ email: 'ada@example.com' }],
        cc: [{ email: 'cy@example.org' }, { email: 'di@example.org' }],
        bcc: [{ email: 'blind@example.com' }, { email: 'dark@example.com' }],
        envelope: { from: 'bounces@sender.test', to: left },
      })
      expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      const arrived = await received()
      expect(sorted(arrived.flatMap(({ to }) => to))).toEqual(sorted(left))
      for (const each of arrived) expectUnseen(each, ['blind@example.com', 'dark@example.com'])
    })

    it('takes a mail whose fields are not its own, as those of the engine are getters of a class', async () => {
      const { transport, received, speaks = 'message' } = await fresh()
      const mail = outgoingMail()
      expect(await transport.send(Object.create(mail), never)).toMatchObject({ outcome: 'accepted' })
      await expectWhole((await received())[0]!, mail, speaks)
    })

    it('takes the null sender', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: '', to: ['ada@example.com'] }
      expect(await transport.send(outgoingMail({ envelope }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail] = await received()
      expect(mail!.from ?? '').toBe('')
    })

    it('delivers to blind recipients without naming them in the message', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: 'a@sender.test', to: ['ada@example.com', 'blind@example.com'] }
      const bcc = [{ email: 'blind@example.com' }]
      expect(await transport.send(outgoingMail({ envelope, bcc }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail] = await received()
      expect(mail!.to).toContain('blind@example.com')
      expectUnseen(mail!, ['blind@example.com'])
    })

    it('takes recipients in international domains', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: 'a@sender.test', to: ['ada@bücher.example'] }
      expect(await transport.send(outgoingMail({ envelope }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail] = await received()
      expect(mail!.to.map(asciiAddress)).toEqual(['ada@xn--bcher-kva.example'])
    })

    it('sends as many mails at the same time as it says, and mixes none of them up', async () => {
      const { transport, received, speaks = 'message' } = await fresh()
      const sent = Array.from({ length: Math.min(transport.concurrency, 50) * 2 }, (_, i) => {
        const envelope = { from: `from${i}@sender.test`, to: [`to${i}@example.com`] }
        return outgoingMail({ envelope, ...lines(`mail ${i}`, `.${i}`.repeat(i * 10)) })
      })
      const half = sent.length / 2
      for (const batch of [sent.slice(0, half), sent.slice(half)]) {
        const results = await Promise.all(batch.map((mail) => transport.send(mail, never)))
        expect(results.map(({ outcome }) => outcome)).toEqual(batch.map(() => 'accepted'))
      }
      const arrived = new Map((await received()).map((mail) => [mail.to.join(), mail]))
      expect(arrived.size).toBe(sent.length)
      for (const mail of sent) await expectWhole(arrived.get(mail.envelope.to.join())!, mail, speaks)
    })

    it('delivers to all recipients of a mail with very many, each once, or says who got none', async () => {
      const { transport, received } = await fresh()
      const to = Array.from({ length: MOST_RECIPIENTS }, (_, i) => ({ email: `to${i}@example.com` }))
      const result = await transport.send(outgoingMail({ to }), never)
      const all = to.map(({ email }) => email)
      const refused = result.refused?.map(({ recipient }) => recipient) ?? []
      const left = result.outcome === 'accepted' ? all.filter((email) => !refused.includes(email)) : []
      expect(sorted((await received()).flatMap((mail) => mail.to))).toEqual(sorted(left))
    })

    it('leaves the mail as it was, since others may still use it', async () => {
      const { transport } = await fresh()
      const content = { ...WITH_COPIES, headers: HEADERS, attachments: ATTACHMENTS, tags: { a: 'b' } }
      const message = Buffer.from('Subject: x\r\n\r\n.line\r\n..\r\n')
      const mail = outgoingMail({ ...content, message })
      const { raw: _, ...fields } = mail
      const before = structuredClone(fields)
      expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      const { raw, ...after } = mail
      expect(structuredClone(after)).toEqual(before)
      expect(Buffer.from(await raw()).toString()).toBe('Subject: x\r\n\r\n.line\r\n..\r\n')
    })

    it('delivers a later try of a mail to the recipients of that try, though it is the same mail', async () => {
      const { transport, received } = await fresh()
      const everybody = [{ email: 'ada@example.com' }, { email: 'bob@example.com' }]
      const given = { id: 'mail-1', messageId: '<mail-1@sender.test>', to: everybody }
      for (const to of [['ada@example.com'], ['bob@example.com']]) {
        const mail = outgoingMail({ ...given, envelope: { from: 'bounces@sender.test', to } })
        expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      }
      expect((await received()).flatMap((mail) => mail.to)).toEqual(['ada@example.com', 'bob@example.com'])
    })

    it('sends the same mail again when it is told to', async () => {
      const { transport, received, speaks = 'message' } = await fresh()
      const mail = outgoingMail()
      for (const _try of [1, 2]) {
        const result = await transport.send(mail, never)
        expect(result).toMatchObject({ outcome: 'accepted' })
        if (speaks === 'fields') expectFindable(result, (await received()).at(-1)!)
      }
      for (const { raw } of await received()) if (raw) expect(Buffer.from(raw).toString()).toContain(mail.messageId)
    })
  })

  describe('refusals', () => {
    const refusing = (recipient: string | undefined) => recipient ?? 'nobody-is-refused@example.com'

    it.each([
      ['for good', 'refuses', true],
      ['for now', 'postpones', false],
    ] as const)('are answered, not thrown, when the only recipient is refused %s', async (_how, which, permanent) => {
      const current = await fresh()
      const envelope = { from: 'a@sender.test', to: [refusing(current[which])] }
      const result = await current.transport.send(outgoingMail({ envelope }), never)
      if (current[which] === undefined) {
        expect(result.outcome).toBe('accepted')
        return
      }
      expect(result).toMatchObject({ outcome: 'refused', permanent })
      expectReason(result)
      // a refusal at `connect` or `mail` would pause the transport for all mail
      expect(result).toMatchObject({ stage: expect.stringMatching(/^(rcpt|data)$/) })
      expect(await current.received()).toEqual([])
    })

    it.each([
      ['for good', 'refuses', true],
      ['for now', 'postpones', false],
    ] as const)('name each recipient refused %s while the others get the mail', async (_how, which, permanent) => {
      const current = await fresh()
      const other = refusing(current[which])
      const envelope = { from: 'a@sender.test', to: ['ada@example.com', other, 'bob@example.com'] }
      const result = await current.transport.send(outgoingMail({ envelope }), never)
      expect(result.outcome).toBe('accepted')
      const refused = result.outcome === 'accepted' ? (result.refused ?? []) : []
      const [mail] = await current.received()
      if (current[which] === undefined) {
        expect(refused).toEqual([])
        expect(mail!.to).toEqual(envelope.to)
        return
      }
      expect(refused).toMatchObject([{ recipient: other, permanent }])
      expect(mail!.to).toEqual(['ada@example.com', 'bob@example.com'])
    })

    it('leave nothing behind: the next mail goes through', async () => {
      const { transport, received, refuses, postpones } = await fresh()
      for (const recipient of [refusing(refuses), refusing(postpones), refusing(refuses)]) {
        await transport.send(outgoingMail({ envelope: { from: 'a@sender.test', to: [recipient] } }), never)
      }
      const envelope = { from: 'next@sender.test', to: ['next@example.com'] }
      expect(await transport.send(outgoingMail({ envelope }), never)).toMatchObject({ outcome: 'accepted' })
      expect((await received()).at(-1)!.to).toEqual(['next@example.com'])
    })

    it('are for good only when the status says so of the mail', async () => {
      const { fails, statuses = 'http' } = await fresh()
      await subject?.transport.close?.()
      await subject?.close()
      if (!fails) return
      for (const [is, permanent] of [
        ['permanent', true],
        ['temporary', false],
      ] as const) {
        for (const status of STATUSES[statuses][is]) {
          const current = await fresh()
          current.fails?.(status)
          // what a server in trouble did with the mail may be unknown
          const result = await current.transport.send(outgoingMail(), never).catch(() => UNKNOWN)
          if (permanent || result !== UNKNOWN)
            expect({ status, ...result }).toMatchObject({ outcome: 'refused', permanent })
          await current.transport.close?.()
          await current.close()
        }
      }
      subject = undefined
    })

    it('of one mail say nothing of the next hop', async () => {
      const { fails, statuses = 'http', transport, close } = await fresh()
      subject = undefined
      await transport.close?.()
      await close()
      for (const status of fails ? OF_ONE_MAIL[statuses] : []) {
        const current = await fresh()
        current.fails?.(status)
        const result = await current.transport.send(outgoingMail(), never)
        const stage = statuses === 'smtp' ? /^(mail|rcpt|data)$/ : /^(rcpt|data)$/
        expect({ status, ...result }).toMatchObject({ outcome: 'refused', stage: expect.stringMatching(stage) })
        expectReason(result)
        await current.transport.close?.()
        await current.close()
        subject = undefined
      }
    })
  })

  describe('the signal', () => {
    it('keeps a mail from being sent when it is aborted already', async () => {
      const { transport, received } = await fresh()
      const result = await transport.send(outgoingMail(), AbortSignal.abort())
      expect(result).toMatchObject({ outcome: 'refused', permanent: false })
      expectReason(result)
      expect(await received()).toEqual([])
    })

    it('ends a try at once, and the answer is true', async () => {
      const { transport, received } = await fresh()
      const outcomes: string[] = []
      for (const turns of [0, 1, 2, 5, 10, 20]) {
        const abort = new AbortController()
        const sending = transport.send(outgoingMail(lines(...Array(10_000).fill('x'.repeat(76)))), abort.signal)
        const settled = sending.then(({ outcome }) => outcome).catch(() => 'unknown')
        for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
        abort.abort()
        outcomes.push(await settled)
      }
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      const accepted = outcomes.filter((outcome) => outcome === 'accepted').length + 1
      const unknown = outcomes.filter((outcome) => outcome === 'unknown').length
      const arrived = (await received()).length
      expect(arrived).toBeGreaterThanOrEqual(accepted)
      expect(arrived).toBeLessThanOrEqual(accepted + unknown)
    })

    it('ends only its own try: mails that are sent at the same time go through', async () => {
      const { transport, received } = await fresh()
      const aborts = Array.from({ length: Math.min(transport.concurrency, 4) }, () => new AbortController())
      const sending = aborts.map(({ signal }, i) => {
        const to = [{ email: `to${i}@example.com` }]
        return transport.send(outgoingMail({ to, ...lines(...Array(2_000).fill('x'.repeat(76))) }), signal)
      })
      const [given, ...others] = sending
      given?.catch(() => {})
      await new Promise((resolve) => setImmediate(resolve))
      aborts[0]?.abort()
      await given?.catch(() => {})
      expect((await Promise.all(others)).map(({ outcome }) => outcome)).toEqual(others.map(() => 'accepted'))
      const arrived = (await received()).flatMap((mail) => mail.to).filter((to) => to !== 'to0@example.com')
      expect(sorted(arrived)).toEqual(others.map((_, i) => `to${i + 1}@example.com`))
    })

    it('ends a try whose next hop is silent, which is then refused for now or unknown', async () => {
      const { transport, stall } = await fresh()
      if (!stall) return
      stall()
      const abort = new AbortController()
      const settled = transport.send(outgoingMail(), abort.signal).catch(() => UNKNOWN)
      await new Promise((resolve) => setTimeout(resolve, 200))
      abort.abort()
      const late = new Promise<'too late'>((resolve) => setTimeout(resolve, GIVE_UP_MS, 'too late'))
      const result = await Promise.race([settled, late])
      expect(result, 'the answer within a second of the abort').not.toBe('too late')
      if (result !== UNKNOWN) expect(result).toMatchObject({ outcome: 'refused', permanent: false })
    })
  })

  describe('a connection that breaks behind the mail', () => {
    it('leaves the outcome unknown: it throws, and does not send the mail once more', async () => {
      const { transport, received, cuts } = await fresh()
      if (!cuts) return
      cuts()
      const result = await transport.send(outgoingMail(), never).catch(() => UNKNOWN)
      expect(result).toEqual(UNKNOWN)
      expect(await received()).toHaveLength(1)
    })
  })

  describe('a next hop that takes the mail and says too little', () => {
    it.each([
      ...new Set([...Object.keys(GARBLED.http), ...Object.keys(GARBLED.smtp)]),
    ])('has taken it once, and nothing is thrown: %s', async (what) => {
      const { transport, received, garbles, statuses = 'http' } = await fresh()
      const answer = GARBLED[statuses][what]
      if (!garbles || !answer) return
      garbles(answer)
      const result = await transport.send(outgoingMail(), never).catch((error: Error) => ({ thrown: error.message }))
      expect(result).toMatchObject({ outcome: 'accepted' })
      expect(await received()).toHaveLength(1)
    })
  })

  describe('without a next hop', () => {
    it('answers that the mail was refused for now, and why', async () => {
      const { transport, unplug, stall, fails } = await fresh()
      await unplug()
      const result = await transport.send(outgoingMail(), never)
      expect(result).toMatchObject({ outcome: 'refused', permanent: false })
      expectReason(result)
      // a folder has no connection; with one next hop for each domain only that domain is concerned
      if (stall || fails) expect(result).toMatchObject({ stage: expect.stringMatching(/^(connect|rcpt)$/) })
    })

    it('answers the same when the next hop goes away between two mails', async () => {
      const { transport, unplug } = await fresh()
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      await unplug()
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'refused', permanent: false })
    })

    it('fails its check, if it has one, which had passed before and sent no mail', async () => {
      const { transport, unplug, received } = await fresh()
      await expect(Promise.resolve(transport.check?.())).resolves.toBeUndefined()
      expect(await received()).toEqual([])
      await unplug()
      if (transport.check) await expect(transport.check()).rejects.toThrow(/./)
    })
  })

  it('is closed as often as it is asked to', async () => {
    const { transport } = await fresh()
    await transport.send(outgoingMail(), never)
    await transport.close?.()
    await expect(Promise.resolve(transport.close?.())).resolves.toBeUndefined()
  })

  it('leaves no timer that keeps the process running, once it is closed', async () => {
    const before = activeTimers()
    for (let i = 0; i < 6; i++) {
      const { transport, close } = await fresh()
      await transport.send(outgoingMail(), never)
      await transport.close?.()
      await close()
    }
    subject = undefined
    await ended(before)
  })
}

const UNKNOWN = { outcome: 'unknown' } as const
