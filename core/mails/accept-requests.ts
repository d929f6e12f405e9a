import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { Interrupted } from '../ports/store/interrupted.ts'
import type { Project } from '../ports/store/projects.ts'
import type { SendRequestRecord, SettledRequest } from '../ports/store/send-requests.ts'
import type { Store } from '../ports/store/store.ts'
import type { Untrusted } from '../values/json.ts'
import { TOPICS } from '../work/doorbell.ts'
import { givenUp } from '../work/interrupted.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import type { SendAnswer } from './accept.ts'
import { batchError } from './send-batch.ts'

/** How much one claim takes. */
const CLAIM = { requests: 100, bytes: 32 * 1024 * 1024 }
/** Long enough for a claim of large mails. After it, another process takes them; a mail is accepted once all the same. */
const LEASE_MS = 60_000
/** The pause before a request is tried again, and how it grows, in milliseconds. */
const PAUSE_MS = { first: 1_000, most: 300_000 }
const DAY_MS = 24 * 3600 * 1000
/**
 * How often a request is tried that cannot be accepted for now, for example while a quota is used up: with these pauses,
 * for a day. Its age would not do, since requests also wait while no worker runs.
 */
const MOST_TRIES = 300
/** How long the results of requests are kept. */
const KEPT_MS = { accepted: DAY_MS, refused: 7 * DAY_MS }

/** Accepts the mail under this id, once; `again` says that it was tried before. */
type SendStored = (
  project: Project,
  input: Untrusted,
  as: { readonly id: string; readonly again: boolean },
) => Promise<SendAnswer>

/**
 * Accepts the mails that other programs have asked for in the database, as `send` accepts them. A claim at a time: those
 * to one address in the order in which they came, so that what they say about the contact is in order, too.
 */
export class AcceptRequests implements Work {
  readonly topic = TOPICS.requests
  readonly lane = 'transactional'
  readonly atOnce = CLAIM.requests
  readonly leaseMs = LEASE_MS

  constructor(
    private readonly store: Store,
    private readonly send: SendStored,
    private readonly kit: Kit,
  ) {}

  next(): Promise<Date | undefined> {
    return this.store.sendRequests.next()
  }

  async claim({ now, lease }: ClaimRequest): Promise<Claimed | undefined> {
    const requests = await this.store.sendRequests.claim(now, lease, CLAIM)
    if (requests.length === 0) return undefined
    return { isMore: true, running: [this.#acceptAll(requests, lease.token)], each: CLAIM.requests }
  }

  /** Removes up to `limit` results that are old enough. Answers how many. */
  clear(limit: number): Promise<number> {
    const now = this.kit.now().getTime()
    const before = { accepted: new Date(now - KEPT_MS.accepted), refused: new Date(now - KEPT_MS.refused) }
    return this.store.sendRequests.clear(before, limit)
  }

  async #acceptAll(requests: readonly (SendRequestRecord & Interrupted)[], token: string): Promise<void> {
    const last = new Map<string, Promise<unknown>>()
    const settled = requests.map((request) => {
      const addresses = addressesOf(request.mail?.to)
      const accepted = Promise.all(addresses.map((address) => last.get(address))).then(() =>
        this.#accept(request, token),
      )
      for (const address of addresses) last.set(address, accepted)
      return accepted
    })
    const results = (await Promise.all(settled)).filter((result) => result !== undefined)
    if (results.length > 0) await this.store.sendRequests.settle(token, results, this.kit.now())
  }

  /** Never rejects. What can be accepted later is put off, and answers undefined. */
  async #accept(request: SendRequestRecord & Interrupted, token: string): Promise<SettledRequest | undefined> {
    const { id, projectId, attempts } = request
    const reason = givenUp(request)
    if (reason !== undefined) {
      this.kit.log.error('a mail that was sent by SQL is given up', { projectId, request: id, reason })
      return { id, status: 'REFUSED', outcome: { code: 'INTERNAL_SERVER_ERROR', message: reason } }
    }
    try {
      const { emails } = await this.#sent(request)
      return { id, status: 'ACCEPTED', outcome: emails.map(({ email, contact }) => ({ id: email, to: contact.email })) }
    } catch (error) {
      const refusal = refusalOf(error, attempts)
      if (refusal !== undefined) {
        this.kit.log.warn('a mail that was sent by SQL was refused', { projectId, request: id, ...refusal })
        return { id, status: 'REFUSED', outcome: refusal }
      }
      const told = EngineError.is(error) ? (error.retryAfter ?? 0) * 1000 : 0
      const pause = Math.min(Math.max(told, PAUSE_MS.first * 2 ** (attempts - 1)), PAUSE_MS.most)
      this.kit.log.warn('a mail that was sent by SQL cannot be accepted yet', {
        projectId,
        request: id,
        attempts,
        error,
      })
      const dueAt = new Date(this.kit.now().getTime() + pause)
      await this.store.sendRequests.putOff(token, id, dueAt).catch((lost: unknown) => {
        this.kit.log.debug('its lease will run out', { request: id, error: lost })
      })
      return undefined
    }
  }

  async #sent({ id, projectId, mail, attempts }: SendRequestRecord): Promise<SendAnswer> {
    const project = await this.store.projects.find(projectId)
    if (project === undefined) throw new EngineError('PROJECT_NOT_FOUND', `There is no project ${projectId}.`)
    // an earlier try may have been cut off between its two commits
    return this.send(project, mail, { id, again: attempts > 1 })
  }
}

/** Why it is refused for good; undefined when it may be accepted later. */
function refusalOf(error: unknown, attempts: number): (SettledRequest['outcome'] & object) | undefined {
  try {
    return batchError(error)
  } catch {
    if (attempts < MOST_TRIES) return undefined
    const { code, message } = EngineError.is(error)
      ? error
      : new EngineError('INTERNAL_SERVER_ERROR', 'It could not be accepted within a day; the log says why.')
    return { code, message }
  }
}

/** The recipients, as far as they can be read before the mail is checked. */
function addressesOf(to: Untrusted): readonly string[] {
  const each = Array.isArray(to) ? to : [to]
  return each.flatMap((one: Untrusted) => {
    const email = typeof one === 'object' && one !== null && 'email' in one ? one.email : one
    return typeof email === 'string' ? [(/<([^<>]*)>/.exec(email)?.[1] ?? email).trim().toLowerCase()] : []
  })
}
