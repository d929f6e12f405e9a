import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import type { MailTransport, OutgoingMail, SendResult } from '../../core/ports/mail-transport.ts'
import { asciiAddress } from '../../core/values/email-address.ts'

/** One mail as the next hop has it. */
export interface ReceivedMail {
  /** The envelope's sender, where the next hop is told it. */
  readonly from?: string
  /** The envelope's recipients. */
  readonly to: readonly string[]
  /** The message without dot-stuffing. */
  readonly raw: Uint8Array
}

/** What the contract needs of one transport: a fresh one, with a next hop that has no mail, for every test. */
export interface MailTransportSubject {
  readonly transport: MailTransport
  /** Everything the next hop has accepted so far. */
  received(): Promise<readonly ReceivedMail[]>
  /** A recipient the next hop refuses for good; undefined for one that takes everybody. */
  readonly refuses: string | undefined
  /** A recipient the next hop puts off; undefined for one that never does. */
  readonly postpones: string | undefined
  /** Takes the next hop away: from now on it cannot be reached. */
  unplug(): Promise<void>
  /** Clears up; the transport is closed already. */
  close(): Promise<void>
}

/** A mail to send, with a message that fits its fields. Anything may be set; `message` is what `raw()` answers. */
export function outgoingMail(
  fields: Partial<Omit<OutgoingMail, 'raw'>> & { readonly message?: Uint8Array<ArrayBuffer> } = {},
): OutgoingMail {
  const { message, ...given } = fields
  const id = given.id ?? randomUUID()
  const mail = {
    id,
    messageId: `<${id}@sender.test>`,
    envelope: { from: 'bounces@sender.test', to: ['ada@example.com'] },
    from: { email: 'hello@sender.test', name: 'Sender' },
    to: [{ email: 'ada@example.com' }],
    cc: [],
    bcc: [],
    subject: 'A subject',
    html: '<p>Hello</p>',
    text: 'Hello',
    headers: [],
    attachments: [],
    tags: {},
    ...given,
  }
  return { ...mail, raw: async () => message ?? composed(mail) }
}

/** What every mail transport promises. `setup` makes a fresh one with an empty next hop. */
export function mailTransportContract(setup: () => Promise<MailTransportSubject>) {
  let subject: MailTransportSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject
  }
  const never = new AbortController().signal

  afterEach(async () => {
    await subject?.transport.close?.()
    await subject?.close()
    subject = undefined
  })

  it('says how many mails it works on at the same time', async () => {
    const { concurrency } = (await fresh()).transport
    expect(Number.isInteger(concurrency) && concurrency > 0).toBe(true)
  })

  describe('handing over', () => {
    it.each<[string, Uint8Array<ArrayBuffer>]>([
      ['an ordinary message', composed(outgoingMail())],
      ['lines that begin with dots', text('.', '..', '. dot', '...three', '', '.', '')],
      ['what looks like the end of the message and a command behind it', text('before', '.', 'QUIT', '.', 'after')],
      ['a message that begins with a dot', Buffer.from('.X-First: 1\r\n\r\n.\r\n')],
      ['encoded UTF-8', text('=F0=9F=92=8C gr=C3=BC=C3=9Fe =E2=80=94 =D0=9F=D1=80=D0=B8=D0=B2=D0=B5=D1=82')],
      ['lines of 998 octets', text('x'.repeat(998), `.${'y'.repeat(997)}`, 'z'.repeat(998))],
      ['white space at the ends of lines', text('  indented', 'trailing  ', '\ttab\t', '')],
      ['a header without a body', Buffer.from('Subject: alone\r\n\r\n')],
      ['a part of a larger memory', Buffer.from(`junk${text('inside').toString()}junk`).subarray(4, -4)],
      ['some megabytes', text(...Array.from({ length: 40_000 }, (_, i) => `.${i}`.padEnd(76, '=')))],
    ])('gives the next hop %s octet for octet', async (_what, message) => {
      const { transport, received } = await fresh()
      expect(await transport.send(outgoingMail({ message }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail, ...more] = await received()
      expect(more).toEqual([])
      expect(Buffer.from(mail!.raw).equals(Buffer.from(message))).toBe(true)
    })

    it('delivers to the envelope, whatever the header fields say', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: 'bounces+1@sender.test', to: ['bob@example.com', 'cy@example.org'] }
      expect(await transport.send(outgoingMail({ envelope }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail] = await received()
      expect([...mail!.to].sort()).toEqual(['bob@example.com', 'cy@example.org'])
      expect(mail!.from ?? envelope.from).toBe(envelope.from)
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
      expect(Buffer.from(mail!.raw).toString()).not.toContain('blind@')
    })

    it('takes recipients in international domains', async () => {
      const { transport, received } = await fresh()
      const envelope = { from: 'a@sender.test', to: ['ada@bücher.example'] }
      expect(await transport.send(outgoingMail({ envelope }), never)).toMatchObject({ outcome: 'accepted' })
      const [mail] = await received()
      expect(mail!.to.map(asciiAddress)).toEqual(['ada@xn--bcher-kva.example'])
    })

    it('sends as many mails at the same time as it says, and mixes none of them up', async () => {
      const { transport, received } = await fresh()
      const sent = Array.from({ length: Math.min(transport.concurrency, 50) * 2 }, (_, i) => {
        const envelope = { from: `from${i}@sender.test`, to: [`to${i}@example.com`] }
        return outgoingMail({ envelope, message: text(`mail ${i}`, `.${i}`.repeat(i * 10)) })
      })
      const half = sent.length / 2
      for (const batch of [sent.slice(0, half), sent.slice(half)]) {
        const results = await Promise.all(batch.map((mail) => transport.send(mail, never)))
        expect(results.map(({ outcome }) => outcome)).toEqual(batch.map(() => 'accepted'))
      }
      const arrived = new Map((await received()).map((mail) => [mail.to.join(), mail]))
      expect(arrived.size).toBe(sent.length)
      for (const mail of sent) {
        const raw = Buffer.from(arrived.get(mail.envelope.to.join())!.raw)
        expect(raw.equals(Buffer.from(await mail.raw()))).toBe(true)
      }
    })

    it('sends the same mail again when it is told to', async () => {
      const { transport, received } = await fresh()
      const mail = outgoingMail()
      for (const _try of [1, 2]) expect(await transport.send(mail, never)).toMatchObject({ outcome: 'accepted' })
      for (const { raw } of await received()) expect(Buffer.from(raw).toString()).toContain(mail.messageId)
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
        const message = text(...Array.from({ length: 10_000 }, () => 'x'.repeat(76)))
        const sending = transport.send(outgoingMail({ message }), abort.signal)
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
  })

  describe('without a next hop', () => {
    it('answers that the mail was refused for now, and why', async () => {
      const { transport, unplug } = await fresh()
      await unplug()
      const result = await transport.send(outgoingMail(), never)
      expect(result).toMatchObject({ outcome: 'refused', permanent: false })
      expectReason(result)
    })

    it('answers the same when the next hop goes away between two mails', async () => {
      const { transport, unplug } = await fresh()
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'accepted' })
      await unplug()
      expect(await transport.send(outgoingMail(), never)).toMatchObject({ outcome: 'refused', permanent: false })
    })

    it('fails its check, if it has one, which had passed before', async () => {
      const { transport, unplug } = await fresh()
      await expect(Promise.resolve(transport.check?.())).resolves.toBeUndefined()
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
}

function text(...lines: readonly string[]): Buffer<ArrayBuffer> {
  return Buffer.from(`Subject: lines\r\n\r\n${lines.join('\r\n')}\r\n`)
}

function composed(mail: Pick<OutgoingMail, 'messageId' | 'from' | 'to' | 'subject' | 'text'>): Buffer<ArrayBuffer> {
  const header = [
    `From: "${mail.from.name ?? ''}" <${mail.from.email}>`,
    `To: ${mail.to.map(({ email }) => email).join(', ')}`,
    `Subject: ${mail.subject}`,
    `Message-ID: ${mail.messageId}`,
    'MIME-Version: 1.0',
    'Content-Type: text/plain',
  ]
  return Buffer.from(`${header.join('\r\n')}\r\n\r\n${mail.text}\r\n`)
}

function expectReason(result: SendResult): void {
  expect(result.outcome === 'refused' && result.reason.trim()).toMatch(/\S/)
}
