import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { storable } from '../../core/feedback/report.ts'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { rightProofs, weakenedProofs } from './weakened-proofs.ts'

/** Something that happened to a mail, for the subject to tell as its provider does. */
export interface HookEvent {
  readonly kind: 'delivered' | 'bounced' | 'complained' | 'opened' | 'clicked' | 'nonsense'
  /** The provider's id of the event. */
  readonly id: string
  /** The mail's names; which of them the provider tells is its affair. */
  readonly mail: { readonly emailId: string; readonly messageId: string; readonly providerId: string }
  readonly recipient: string
  readonly at: Date
  /** For `bounced`: what the receiving server said. */
  readonly diagnostic: string
  /** For `clicked`. */
  readonly link: string
}

/** The subject of the contract: one hook. */
export interface HttpHookSubject {
  readonly hook: HttpHook
  /**
   * The request by which the provider tells this at that moment, proven as it proves itself; `receivedAt` is the moment.
   * Undefined when it never tells such a kind, or never several events at once.
   */
  tell(events: readonly HookEvent[], moment: Date): HookRequest | undefined
  /** The requests that a stranger without the secret can make of it: with no proof, and with one by another secret. */
  forge(request: HookRequest): readonly HookRequest[]
  /** A request with this body, proven as if the provider had made it. Undefined when the proof stands in the body. */
  prove(body: Uint8Array, moment: Date): HookRequest | undefined
  /** Whether the proof is one of the body, so that no octet of it can be changed. */
  readonly provesBody: boolean
  /** The words are this project's: another kind is a slip of its author. */
  readonly refusesOtherKinds?: true
  /** For how many seconds a request is good; undefined when the proof knows no time. */
  readonly tolerance: number | undefined
  close(): Promise<void>
}

const MOMENT = new Date('2026-03-14T15:09:26Z')
const NEVER = new AbortController().signal
const KINDS = ['delivered', 'bounced', 'complained', 'opened', 'clicked'] as const
const MANY = 10_000
const MEGABYTE = 1024 * 1024
/** The longest that other work may wait for its turn, in milliseconds. */
const LONGEST_TURN = 250

function event(kind: HookEvent['kind'], change: Partial<HookEvent> = {}): HookEvent {
  const emailId = '01900000-0000-7000-8000-000000000001'
  return {
    ...{ kind, id: `event-${kind}`, recipient: 'ada@example.org', at: MOMENT, link: 'https://example.com/?a=b&c' },
    mail: { emailId, messageId: `<${emailId}@example.com>`, providerId: '0100018f-provider-000000' },
    diagnostic: '550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown',
    ...change,
  }
}

/** The promises of every hook. */
export function httpHookContract(setup: () => Promise<HttpHookSubject>) {
  let subject: HttpHookSubject
  beforeEach(async () => {
    subject = await setup()
  })
  afterEach(() => subject.close())

  const ask = async (request: HookRequest) => subject.hook.receive(request, NEVER)
  async function reportsOf(request: HookRequest): Promise<readonly FeedbackReport[]> {
    const answer = await ask(request)
    expect(answer).toMatchObject({ outcome: 'taken' })
    return answer.outcome === 'taken' ? answer.reports : []
  }
  /** The hook's refusal of a wrong request; anything but a plain refusal fails. */
  async function refusalOf(request: HookRequest): Promise<Pick<Extract<HookAnswer, { status: number }>, 'status'>> {
    try {
      const answer = await ask(request)
      expect(answer).toMatchObject({ outcome: 'refused', message: expect.stringMatching(/\S/) })
      return answer.outcome === 'refused' ? answer : { status: 503 }
    } catch (error) {
      if (!EngineError.is(error)) throw error
      expect(['malformed', 'invalid', 'too-large', 'unauthenticated', 'forbidden']).toContain(error.kind)
      return { status: error.kind === 'unauthenticated' ? 401 : 400 }
    }
  }

  it.each(KINDS)('tells of a mail that was %s which mail it is, and whose, under a key of its own', async (kind) => {
    const told = event(kind)
    const request = subject.tell([told], MOMENT)
    if (request === undefined) return
    const [report, ...more] = await reportsOf(request)
    expect(more).toEqual([])
    expect(report).toMatchObject({ kind, key: expect.stringMatching(/./), at: expect.any(Date) })
    const [name, value] = Object.entries(report?.mail ?? {})[0] ?? []
    expect(value?.replace(/^<?(.*?)>?$/, '$1')).toBe(
      told.mail[name as keyof HookEvent['mail']].replace(/^<(.*)>$/, '$1'),
    )
    expect([undefined, told.recipient]).toContain(report?.recipient)
    // to the second, which is all some tell
    expect(Math.abs((report?.at.getTime() ?? 0) - told.at.getTime())).toBeLessThan(1000)
    if (kind === 'clicked') expect(report?.link).toBe(told.link)

    const again = subject.tell([told], new Date(MOMENT.getTime() + 30_000))
    expect((await reportsOf(again as HookRequest))[0]?.key).toBe(report?.key)
    const later = { id: 'another', at: new Date(MOMENT.getTime() - 60_000) }
    const other = subject.tell([event(kind, later)], MOMENT)
    expect((await reportsOf(other as HookRequest))[0]?.key).not.toBe(report?.key)
  })

  it.each([
    ['550 5.1.1 <ada@example.org>: Recipient address rejected: User unknown', 'permanent'],
    ['550 5.7.1 Service unavailable; client host blocked using zen.spamhaus.org', 'policy'],
    ['552 5.2.2 <ada@example.org>: Mailbox full', 'transient'],
  ])('takes %s for %s', async (diagnostic, judged) => {
    const request = subject.tell([event('bounced', { diagnostic })], MOMENT)
    const [report] = await reportsOf(request as HookRequest)
    expect(report && storable(report).bounce?.class).toBe(judged)
  })

  it('believes nobody who does not prove to be the provider', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const forged = subject.forge(request)
    expect(forged.length).toBeGreaterThan(1)
    for (const each of [...forged, { ...request, headers: {}, query: new URLSearchParams(), body: new Uint8Array() }]) {
      expect([400, 401, 403]).toContain((await refusalOf(each)).status)
    }
    for (const each of forged) expect([401, 403]).toContain((await refusalOf(each)).status)
    expect(await reportsOf(request)).toHaveLength(1)
  })

  it('believes no proof that was cut, nor one that is missing, before it reads the body', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const garbage = subject.prove(Buffer.from('[{"type":'), MOMENT)
    // where the proof stands in the body, that must be read first
    if (garbage === undefined) return
    for (const cut of [
      (text: string) => text.slice(0, text.length / 2),
      (text: string) => text.slice(0, 1),
      () => '',
    ]) {
      const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, cut(value)]))
      const query = new URLSearchParams([...request.query].map(([name, value]): [string, string] => [name, cut(value)]))
      expect([400, 401, 403]).toContain((await refusalOf({ ...request, headers, query })).status)
    }
    for (const each of subject.forge(garbage)) expect([401, 403]).toContain((await refusalOf(each)).status)
  })

  it('believes no proof of which any part is cut or empty, with the other parts as they were', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const weakened = weakenedProofs(request, subject.forge(request))
    expect(weakened.length).toBeGreaterThan(0)
    for (const [what, each] of weakened) {
      const { status } = await refusalOf(each).catch((error: Error) => ({ status: error.message }))
      expect([400, 401, 403], `${what}: refused`).toContain(status)
    }
    expect(await reportsOf(request)).toHaveLength(1)
  })

  it('says to nobody whom it refuses what the right proof would have been', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const forged = subject.forge(request)
    const weakened = weakenedProofs(request, forged).map(([, each]) => each)
    for (const each of [...forged, ...weakened]) {
      const said = await Promise.resolve(ask(each)).then(
        (answer) => ('message' in answer ? answer.message : ''),
        (error: Error) => error.message,
      )
      for (const secret of rightProofs(request, forged)) expect(said).not.toContain(secret)
    }
  })

  it('reads the events behind one that nobody needs, in their order, where the provider sends several', async () => {
    const kinds = ['nonsense', 'bounced', 'nonsense', 'delivered', 'complained'] as const
    if (subject.refusesOtherKinds) return
    const request = subject.tell(
      kinds.map((kind, i) => event(kind, { id: `e${i}` })),
      MOMENT,
    )
    if (request === undefined) return
    expect((await reportsOf(request)).map(({ kind }) => kind)).toEqual(['bounced', 'delivered', 'complained'])
  })

  it('mixes none of several requests up that come at the same time, and reads one again that comes again', async () => {
    const requests = KINDS.flatMap((kind) => {
      const request = subject.tell([event(kind)], MOMENT)
      return request ? [{ kind, request }] : []
    })
    const all = [...requests, ...requests]
    const reports = await Promise.all(all.map(({ request }) => reportsOf(request)))
    expect(reports.map(([report]) => report?.kind)).toEqual(all.map(({ kind }) => kind))
  })

  it('believes no body that was changed on the way, where the proof is one of the body', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const text = Buffer.from(request.body).toString()
    const changed = { ...request, body: Buffer.from(text.replaceAll('ada@example.org', 'bob@example.org')) }
    // nor one that says the same in other octets
    const spaced = { ...request, body: Buffer.from(` ${text}`) }
    const isBeside = subject.prove(request.body, MOMENT) !== undefined
    if (subject.provesBody)
      for (const each of isBeside ? [changed, spaced] : [changed])
        expect([401, 403]).toContain((await refusalOf(each)).status)
    else expect((await reportsOf(changed))[0]?.recipient ?? 'bob@example.org').toBe('bob@example.org')
  })

  it('believes no request of another time, where the proof knows one', async () => {
    const request = subject.tell([event('bounced')], MOMENT) as HookRequest
    const at = (seconds: number) => ({ ...request, receivedAt: new Date(MOMENT.getTime() + seconds * 1000) })
    const { tolerance } = subject
    if (tolerance === undefined) {
      expect(await reportsOf(at(365 * 86_400))).toHaveLength(1)
      return
    }
    for (const early of [tolerance - 2, 2 - tolerance]) expect(await reportsOf(at(early))).toHaveLength(1)
    for (const late of [tolerance + 2, -2 - tolerance]) expect([401, 403]).toContain((await refusalOf(at(late))).status)
  })

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['half of it', '[{"type":'],
    ['no JSON', 'type=bounce&email=ada%40example.org'],
    ['no UTF-8', Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d])],
    ['a megabyte of lists in lists', '['.repeat(1024 * 1024)],
    ['lists in lists that end', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['a million numbers', `[${'0,'.repeat(500_000)}0]`],
  ])('refuses a body that is %s', async (_what, body) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const request = subject.prove(bytes, MOMENT)
    if (request !== undefined) expect([400, 422]).toContain((await refusalOf(request)).status)
    const template = subject.tell([event('bounced')], MOMENT) as HookRequest
    await refusalOf({ ...template, body: bytes })
  })

  it.each([
    'null',
    '1',
    '"text"',
    '{}',
    '[]',
    '[null, 1, "a", [], {}]',
    '{"a":{"b":[{}]}}',
  ])('takes nothing from %s, and does not break', async (body) => {
    const request = subject.prove(Buffer.from(body), MOMENT)
    const asked = request ?? { ...(subject.tell([event('bounced')], MOMENT) as HookRequest), body: Buffer.from(body) }
    const answer = await Promise.resolve(ask(asked)).catch((error: unknown) => {
      if (!EngineError.is(error)) throw error
      return { outcome: 'refused' } as const
    })
    if (answer.outcome === 'taken') expect(answer.reports).toEqual([])
  })

  it('leaves out kinds that nobody needs, or names what is wrong where all kinds are its own', async () => {
    const request = subject.tell([event('nonsense')], MOMENT)
    if (subject.refusesOtherKinds) {
      const fields = [expect.objectContaining({ field: 'kind' })]
      return expect(reportsOf(request as HookRequest)).rejects.toMatchObject({ code: 'VALIDATION_ERROR', fields })
    }
    expect(await reportsOf(request as HookRequest)).toEqual([])
  })

  it('reads as many events as fit into a megabyte while others have their turn, where the provider sends several', async () => {
    const all = Array.from({ length: MANY }, (_, i) => event(KINDS[i % KINDS.length] ?? 'bounced', { id: `e${i}` }))
    const size = subject.tell(all, MOMENT)?.body.length
    if (size === undefined) return
    const events = all.slice(0, Math.floor((MANY * MEGABYTE) / size))
    const request = subject.tell(events, MOMENT) as HookRequest
    const turns = watchTurns()
    const reports = await reportsOf(request)
    expect(turns.longest()).toBeLessThan(LONGEST_TURN)
    expect(reports).toHaveLength(events.length)
    expect(new Set(reports.map(({ key }) => key)).size).toBe(events.length)
  })
}

/** How long at most the event loop was kept, in milliseconds of its own work, where the system tells how much that is (Linux). */
export function watchTurns(): { longest(): number } {
  let most = 0
  let last = worked()
  const look = () => {
    const now = worked()
    most = Math.max(most, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  return {
    longest() {
      clearInterval(timer)
      look()
      return most
    },
  }
}

function worked(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}
