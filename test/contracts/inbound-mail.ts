import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import type { InboundDesk, InboundMail, ReceivedMessage } from '../../core/ports/inbound-mail.ts'
import { type Occupied, refusesTakenPort } from './occupied-port.ts'
import { PATIENT } from './patient.ts'
import { activeTimers, ended } from './timers.ts'

/** The subject of the contract: one receiver. */
export interface InboundMailSubject {
  readonly inbound: InboundMail
  /**
   * Brings a message on its way, once the receiver was started: hands it over by SMTP, or lays it into the mailbox that is
   * read. Rejects when it is told that the message was not taken, with `responseCode` when it was told why.
   */
  send(message: SentMessage): Promise<unknown>
  /**
   * True for a receiver that fetches messages from where they stay until they are marked; there is no one to answer
   * then.
   */
  readonly fetches?: boolean
  /** For a receiver that listens: makes another one, not started, whose port another program has. May be left out. */
  readonly occupy?: (() => Promise<Occupied<InboundMail>>) | undefined
  /** For a receiver that fetches: another one over the same mailbox, not started, as after a restart. May be left out. */
  readonly again?: (() => Promise<InboundMail>) | undefined
  close(): Promise<void>
}

/** A message with its envelope. */
export interface SentMessage {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly raw: Buffer
}

/** The promises of every receiver of mail. */
export function inboundMailContract(setup: () => Promise<InboundMailSubject>) {
  describe('a receiver', PATIENT, () => promises(setup))
}

function promises(setup: () => Promise<InboundMailSubject>) {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close()
  })

  async function started(desk: Partial<InboundDesk> = {}) {
    const subject = await setup()
    closers.push(() => subject.close())
    const messages: ReceivedMessage[] = []
    await subject.inbound.start({ ...DESK, deliver: async (message) => void messages.push(message), ...desk })
    return { ...subject, messages }
  }

  const mail = (envelope: SentMessage['envelope'], end: Uint8Array = Buffer.alloc(0)): SentMessage => ({
    envelope,
    raw: Buffer.concat([
      Buffer.from('From: author@a.example\r\nSubject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\n\r\n.dot\r\n..\r\nlast\r\n'),
      end,
    ]),
  })
  const plain = mail({ from: 'a@a.example', to: ['b@b.example'] })
  const first = (messages: readonly ReceivedMessage[]) =>
    until(() => messages[0], 'a message comes').then((message) => message as ReceivedMessage)

  it('hands each message over with its envelope and its bytes', async () => {
    const { messages, send, fetches } = await started()
    const sent = mail({ from: 'bounce@a.example', to: ['one@b.example', 'two@b.example'] })
    await send(sent)
    const { envelope, receivedAt, raw, fetched } = await first(messages)
    expect({ from: envelope.from, to: [...envelope.to].sort() }).toEqual(sent.envelope)
    expect(Math.abs(receivedAt.getTime() - Date.now())).toBeLessThan(60_000)
    // on its way servers write above the header
    expect(Buffer.from(raw).subarray(-sent.raw.length)).toEqual(sent.raw)
    expect(Buffer.from(raw).toString('latin1')).not.toMatch(/[^\r]\n/)
    expect(fetched !== undefined).toBe(fetches === true)
  })

  it('hands it over once, with what it knows of the sender', async () => {
    const { messages, send, inbound } = await started({
      deliver: async (message) => {
        messages.push(message)
        await pause(300)
      },
    })
    await send(plain)
    const { remoteAddress, helo, tls } = await first(messages)
    expect([typeof remoteAddress, typeof helo, typeof tls]).toEqual(['string', 'string', 'boolean'])
    await pause(400)
    await inbound.stop(1000)
    expect(messages).toHaveLength(1)
  })

  it('keeps the octets of a message, whatever their encoding, and all of a long one', async () => {
    const { messages, send } = await started()
    const line = Buffer.from([...Buffer.from('Gr'), 0xfc, 0xdf, 0x65, 0xc3, 0xbc, 0xff, 13, 10])
    const sent = mail(plain.envelope, Buffer.concat(Array.from({ length: 30_000 }, () => line)))
    await send(sent)
    const { raw } = await first(messages)
    expect(Buffer.from(raw).subarray(-sent.raw.length).equals(sent.raw)).toBe(true)
  })

  it('hands over lines that end with CRLF, also of a message that has others where it lies', async () => {
    const { messages, send } = await started()
    const raw = Buffer.from('Subject: bare\nX-Second: field\n\nfirst\r\nsecond\nthird\n')
    // a server may refuse such a message
    const refusal = await send({ ...plain, raw }).catch((error: unknown) => error)
    if (refusal instanceof Error) return expect(messages).toEqual([])
    const text = Buffer.from((await first(messages)).raw).toString('latin1')
    expect(text).not.toMatch(/[^\r]\n|\r(?!\n)/)
    expect(text).toContain('Subject: bare\r\nX-Second: field\r\n\r\nfirst\r\nsecond\r\nthird\r\n')
  })

  it('mixes none of several messages up', async () => {
    const { messages, send } = await started()
    const sent = Array.from({ length: 5 }, (_, i) =>
      mail({ from: `a${i}@a.example`, to: [`b${i}@b.example`] }, Buffer.from(`${i}\r\n`)),
    )
    await Promise.all(sent.map(send))
    await until(() => messages.length >= sent.length, 'all come')
    const seen = messages.map(
      ({ envelope: { from, to }, raw }) => `${from} ${to} ${Buffer.from(raw).toString().slice(-3)}`,
    )
    expect(seen.sort()).toEqual(sent.map(({ envelope: { from, to } }, i) => `${from} ${to} ${i}\r\n`))
  })

  it('hands a message over for those recipients alone that were accepted', async () => {
    const { messages, send, fetches } = await started({
      accepts: async (recipient) =>
        recipient.startsWith('no@')
          ? { outcome: 'refused', status: '5.1.1', message: 'nobody here' }
          : { outcome: 'accepted' },
    })
    if (fetches) return
    await send(mail({ from: 'a@a.example', to: ['one@b.example', 'no@b.example', 'two@b.example'] }))
    const { envelope } = await first(messages)
    expect([...envelope.to].sort()).toEqual(['one@b.example', 'two@b.example'])
  })

  it('takes the null sender', async () => {
    const { messages, send } = await started()
    await send(mail({ from: '', to: ['b@b.example'] }))
    expect((await first(messages)).envelope.from).toBe('')
  })

  it('asks for every recipient who sent it, and says what the desk said', async () => {
    const asked: unknown[] = []
    const { send, messages, fetches } = await started({
      accepts: async (recipient, about) => {
        asked.push([recipient, about.from])
        if (recipient === 'later@b.example') return { outcome: 'later', message: 'not now' }
        return { outcome: 'refused', status: '5.1.1', message: 'nobody here' }
      },
    })
    const to = (recipient: string) => send(mail({ from: 'a@a.example', to: [recipient] }))
    if (fetches) {
      // a message for no recipient of ours may still be a report
      await to('no@b.example')
      await first(messages)
    } else {
      await expect(to('no@b.example')).rejects.toMatchObject({ responseCode: 550 })
      await expect(to('no@b.example')).rejects.toThrow(/5\.1\.1 .*nobody here/)
      await expect(to('later@b.example')).rejects.toMatchObject({ responseCode: 451 })
      expect(messages).toEqual([])
    }
    expect(asked[0]).toEqual(['no@b.example', 'a@a.example'])
  })

  it('leaves a message where it is while it is not known whether it is for us', async () => {
    let isKnown = false
    const { send, fetches, messages } = await started({
      accepts: async () => (isKnown ? { outcome: 'accepted' } : { outcome: 'later', message: 'not now' }),
    })
    if (!fetches) return
    await send(plain)
    await pause(300)
    expect(messages).toEqual([])
    isKnown = true
    expect((await first(messages)).envelope.to).toEqual(plain.envelope.to)
  })

  it('has a message that was not stored come again', async () => {
    const came: ReceivedMessage[] = []
    const { send, fetches } = await started({
      deliver: async (message) => {
        came.push(message)
        // so that a moment of its own would be another one
        await pause(20)
        if (came.length === 1) throw new Error('no room')
      },
    })
    if (!fetches) await expect(send(plain)).rejects.toMatchObject({ responseCode: 451 })
    await send(plain)
    await until(() => came.length > 1, 'it comes again')
    // with the same key and moment, so that it becomes one record
    expect(new Set(came.map(({ fetched }) => fetched?.key)).size).toBe(1)
    if (fetches) expect(new Set(came.slice(0, 2).map(({ receivedAt }) => receivedAt.getTime())).size).toBe(1)
  })

  it('gives each message it fetches its own key', async () => {
    const { send, fetches, messages } = await started()
    if (!fetches) return
    await send(plain)
    await send({ envelope: plain.envelope, raw: Buffer.concat([plain.raw, Buffer.from('another\r\n')]) })
    await until(() => messages.length > 1, 'both come')
    expect(new Set(messages.map(({ fetched }) => fetched?.key)).size).toBe(2)
  })

  it('gives a message it fetches later another key than one that is gone', async () => {
    const { send, fetches, messages } = await started()
    if (!fetches) return
    for (const count of [1, 2, 3]) {
      await send(mail(plain.envelope, Buffer.from(`${count}\r\n`)))
      await until(() => messages.length >= count, 'it comes')
      // until it is marked
      await pause(100)
    }
    expect(new Set(messages.map(({ fetched }) => fetched?.key)).size).toBe(3)
  })

  it('gives a message the same key and moment after a restart', async () => {
    const keys: unknown[] = []
    const deliver = async ({ fetched, receivedAt }: ReceivedMessage) => {
      keys.push(`${fetched?.key} ${receivedAt.getTime()}`)
      throw new Error('no room')
    }
    const { inbound, again, send, fetches } = await started({ deliver })
    if (!fetches || !again) return
    await send(plain)
    await until(() => keys.length > 0, 'it comes')
    await inbound.stop(1000)
    const next = await again()
    const before = keys.length
    await pause(50)
    await next.start({ ...DESK, deliver })
    await until(() => keys.length > before, 'it comes again')
    await next.stop(1000)
    expect(new Set(keys).size).toBe(1)
  })

  it('lets another process lead when it stops', async () => {
    let [led, released] = [0, 0]
    const lead = async () => {
      led++
      return {
        confirm: async () => new AbortController().signal,
        release: async () => void released++,
      }
    }
    const { send, inbound, fetches, messages } = await started({ lead })
    if (!fetches) return
    await send(plain)
    await first(messages)
    await inbound.stop(1000)
    expect([led > 0, released >= led]).toEqual([true, true])
  })

  it('fetches only while it leads', async () => {
    let leads = new AbortController()
    let isLeader = false
    const asked: string[] = []
    const lead = async (source: string) => {
      asked.push(source)
      return { confirm: async () => (isLeader ? leads.signal : undefined), release: async () => {} }
    }
    const { send, fetches, messages } = await started({ lead })
    if (!fetches) return
    await send(plain)
    await pause(400)
    expect(messages).toEqual([])
    expect(asked).toEqual([expect.stringMatching(/\S/)])
    isLeader = true
    await until(() => messages.length === 1, 'it comes once this process leads')
    isLeader = false
    leads.abort()
    leads = new AbortController()
    await pause(100)
    await send(plain)
    await pause(400)
    expect(messages).toHaveLength(1)
  })

  it('fails to start when another program has its port, and names it', async () => {
    const { occupy, close } = await setup()
    closers.push(close)
    if (occupy) await refusesTakenPort(await occupy(), DESK)
  })

  it('stops in the middle of a pass when another process may lead', async () => {
    let leads = new AbortController()
    let isLeader = false
    const came: ReceivedMessage[] = []
    const { send, fetches } = await started({
      lead: async () => ({ confirm: async () => (isLeader ? leads.signal : undefined), release: async () => {} }),
      deliver: async (message) => {
        came.push(message)
        isLeader = false
        leads.abort()
        await pause(50)
      },
    })
    if (!fetches) return
    for (const count of [1, 2, 3]) await send(mail(plain.envelope, Buffer.from(`${count}\r\n`)))
    isLeader = true
    await first(came)
    await pause(500)
    expect(came).toHaveLength(1)
    leads = new AbortController()
    isLeader = true
    await until(() => came.length > 1, 'the next comes when it leads again')
  })

  it('asks to lead under the same name in every process', async () => {
    const asked: string[] = []
    const lead = async (source: string) => {
      asked.push(source)
      return DESK.lead(source)
    }
    const { again, fetches } = await started({ lead })
    if (!fetches || !again) return
    const other = await again()
    closers.push(() => other.stop(100))
    await other.start({ ...DESK, lead })
    await until(() => asked.length > 1, 'both ask to lead')
    expect(new Set(asked).size).toBe(1)
  })

  it('says whether it receives, and receives nothing after stop', async () => {
    const { inbound, send, messages } = await started()
    await inbound.check()
    await inbound.stop(1000)
    await expect(inbound.check()).rejects.toThrow()
    await send(plain).catch(() => {})
    await pause(50)
    expect(messages).toEqual([])
  })

  it('leaves no timer that keeps the process running, once it is stopped', async () => {
    const before = activeTimers()
    for (let i = 0; i < 6; i++) {
      const { inbound } = await started()
      await inbound.stop(100)
    }
    for (const close of closers.splice(0)) await close()
    await ended(before)
  })

  it('stops in time when what is under way is never stored', async () => {
    const begun = Promise.withResolvers<void>()
    const { inbound, send } = await started({
      deliver: () => {
        begun.resolve()
        return new Promise(() => {})
      },
    })
    void send(plain).catch(() => {})
    await begun.promise
    const late = pause(3_000, 'too late', { ref: false })
    expect(await Promise.race([inbound.stop(100), late])).not.toBe('too late')
    // and takes it when it is asked once more
    await inbound.stop(100)
  })

  it('stops when what is under way is stored', async () => {
    const [begun, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()]
    const { inbound, send } = await started({
      deliver: () => {
        begun.resolve()
        return stored.promise
      },
    })
    const answered = send(plain)
    await begun.promise
    let isOver = false
    const stopped = inbound.stop(5000).then(() => {
      isOver = true
    })
    await pause(50)
    expect(isOver).toBe(false)
    stored.resolve(undefined)
    await Promise.all([stopped, answered])
  })
}

/** A desk that accepts everything, and leads. */
const DESK: InboundDesk = {
  accepts: async () => ({ outcome: 'accepted' }),
  deliver: async () => {},
  lead: async () => ({ confirm: async () => new AbortController().signal, release: async () => {} }),
}

async function until<T>(look: () => T, what: string): Promise<T> {
  for (let tries = 0; tries < 500; tries++) {
    const found = look()
    if (found) return found
    await pause(10)
  }
  throw new Error(`it did not happen that ${what}`)
}
