import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { FeedbackReport } from '../../core/ports/feedback-report.ts'
import type { HookAnswer, HookRequest, HttpHook } from '../../core/ports/http-hook.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { type HookEvent, httpHookContract } from '../contracts/http-hook.ts'
import { right, wrong } from './wrong.ts'

const SECRET = 'a secret of the provider'
const TOLERANCE = 300

interface Written extends Pick<HookEvent, 'id' | 'recipient' | 'diagnostic' | 'link'> {
  readonly kind: string
  readonly messageId: string
  readonly at: number
}

interface How {
  readonly isRight?: (given: string, right: string) => boolean
  readonly refusal?: (right: string) => string
  readonly readsFirst?: true
  readonly signsValue?: true
  readonly ignoresTime?: true
  readonly anySecret?: true
  readonly key?: (event: Written) => string
  readonly breaksOnOthers?: true
  readonly stopsAtOthers?: true
  readonly classOf?: () => 'permanent'
  readonly isBusy?: true
  readonly most?: number
  readonly remembers?: true
  readonly whose?: true
}

const signature = (time: string, body: Uint8Array | string, secret = SECRET) =>
  createHmac('sha256', secret).update(`${time}.`).update(body).digest('hex')
const isEqual = (given: string, right: string) =>
  given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right))

/** Reads events that are signed with their time; it can go wrong in many ways. */
function hookOf(how: How): HttpHook {
  let last: HookRequest | undefined
  async function receive(request: HookRequest): Promise<HookAnswer> {
    last = request
    const { headers, body, receivedAt } = request
    if (how.remembers) await new Promise((resolve) => setTimeout(resolve, 5))
    const time = headers['acme-time'] ?? ''
    const given = (headers['acme-signature'] ?? '').replace(/^v1=/, '')
    if (how.readsFirst) readJsonText(body)
    const signed = how.signsValue ? JSON.stringify(readJsonText(body)) : body
    const expected = signature(time, signed)
    const isLate = Math.abs(receivedAt.getTime() / 1000 - Number(time)) > TOLERANCE
    if (!(how.isRight ?? isEqual)(given, expected) && !(how.anySecret && given.length === expected.length)) {
      const message = how.refusal?.(expected) ?? 'The acme-signature is not right.'
      return { outcome: 'refused', status: 401, message }
    }
    if (isLate && !how.ignoresTime) return { outcome: 'refused', status: 401, message: 'The acme-time is too old.' }
    const events = readJsonText(how.remembers ? last.body : body)
    if (!Array.isArray(events)) return { outcome: 'refused', status: 400, message: 'The body is no list of events.' }
    return { outcome: 'taken', reports: reportsOf(events as unknown as Written[]) }
  }
  function reportsOf(events: readonly Written[]): FeedbackReport[] {
    const reports: FeedbackReport[] = []
    for (const event of events.slice(0, how.most)) {
      if (how.isBusy) for (const until = performance.now() + 0.2; performance.now() < until; );
      const { kind } = event ?? {}
      if (!(['delivered', 'bounced', 'complained', 'opened', 'clicked'] as unknown[]).includes(kind)) {
        if (how.breaksOnOthers) throw new Error(`the kind ${kind} is not known`)
        if (how.stopsAtOthers) break
        continue
      }
      const about = {
        kind: kind as 'delivered',
        mail: { messageId: event.messageId },
        recipient: how.whose ? 'somebody@example.org' : event.recipient,
        at: new Date(event.at),
        key: how.key?.(event) ?? event.id,
        link: event.link,
      }
      const bounce = { diagnostic: event.diagnostic, ...(how.classOf ? { class: how.classOf() } : {}) }
      reports.push(kind === 'bounced' ? ({ ...about, kind, bounce } as never) : about)
    }
    return reports
  }
  return { receive }
}

function signed(body: Uint8Array, receivedAt: Date, secret = SECRET): HookRequest {
  const time = String(receivedAt.getTime() / 1000)
  const headers = { 'acme-time': time, 'acme-signature': `v1=${signature(time, body, secret)}` }
  return { method: 'POST', headers, query: new URLSearchParams(), body, receivedAt }
}

const contract = (how: How) =>
  httpHookContract(async () => ({
    hook: hookOf(how),
    tell: (events, moment) => {
      const written = events.map(({ kind, id, mail: { messageId }, recipient, at, diagnostic, link }) => {
        return { kind, id, messageId, recipient, at: at.getTime(), diagnostic, link }
      })
      return signed(Buffer.from(JSON.stringify(written)), moment)
    },
    forge: (request) => [{ ...request, headers: {} }, signed(request.body, request.receivedAt, 'another secret')],
    prove: signed,
    provesBody: true,
    tolerance: TOLERANCE,
    close: async () => {},
  }))

right(() => contract({}))
wrong('takes the beginning of a signature', 'any part is cut or empty', () =>
  contract({ isRight: (given, right) => right.startsWith(given) }),
)
wrong('compares as many octets as it was given', 'any part is cut or empty', () =>
  contract({ isRight: (given, right) => isEqual(given, right.slice(0, given.length)) }),
)
wrong('takes a request without a signature', 'any part is cut or empty', () =>
  contract({ isRight: (given, right) => given === '' || isEqual(given, right) }),
)
wrong('takes a signature by any secret', 'does not prove to be the provider', () => contract({ anySecret: true }))
wrong('tells the right signature', 'what the right proof would have been', () =>
  contract({ refusal: (right) => `The acme-signature must be ${right}.` }),
)
wrong('reads the body before it knows whose it is', 'before it reads the body', () => contract({ readsFirst: true }))
wrong('signs the value in place of the octets', 'was changed on the way', () => contract({ signsValue: true }))
wrong('believes a request of last year', 'of another time', () => contract({ ignoresTime: true }))
wrong('gives an event another key each time', 'under a key of its own', () => contract({ key: () => randomUUID() }))
wrong('gives all events of a mail one key', 'under a key of its own', () =>
  contract({ key: ({ messageId }) => messageId }),
)
wrong('tells of somebody else', 'which mail it is, and whose', () => contract({ whose: true }))
wrong('breaks on a kind that nobody needs', 'leaves out kinds', () => contract({ breaksOnOthers: true }))
wrong('reads nothing behind such a kind', 'reads the events behind one', () => contract({ stopsAtOthers: true }))
wrong('takes every bounce for a permanent one', 'for policy', () => contract({ classOf: () => 'permanent' }))
wrong('keeps others waiting', 'while others have their turn', () => contract({ isBusy: true }))
wrong('reads the first thousand events', 'as many events as fit', () => contract({ most: 1000 }))
wrong('reads the body of the last request', 'mixes none of several requests up', () => contract({ remembers: true }))
