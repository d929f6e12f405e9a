import { randomInt } from 'node:crypto'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { ForeignApis, type NamedForeignApi } from '../ports/foreign-api.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import { Store } from '../ports/store/store.ts'
import type { WebhookDelivery } from '../ports/store/webhook-deliveries.ts'
import type { WebhookSecrets } from '../ports/store/webhook-endpoints.ts'
import { type WebhookAnswer, WebhookSender } from '../ports/webhook-sender.ts'
import { readSecrets } from '../projects/webhook-secrets.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { givenUp } from '../work/interrupted.ts'
import { Leases } from '../work/leases.ts'
import { removeAll } from '../work/rest.ts'
import type { Claimed as ClaimedWork, ClaimRequest, Ends, Work } from '../work/work.ts'
import { afterTry } from './after-try.ts'
import { DeliveryEnd } from './delivery-end.ts'
import { HostLines } from './host-lines.ts'
import { RecordDeliveries } from './record-deliveries.ts'
import { countingSecrets, signedRequest } from './signed-headers.ts'

/** How many deliveries are claimed at once, how many are held at the same time, and below how many more are fetched. */
const CLAIM = 100
const HELD = 2_000
const FEW = 50
/** How long a claimed delivery is held, in milliseconds. */
const LEASE_MS = 120_000
/** How much of the lease must be left after the longest possible try, to record its result. */
const MARGIN_MS = 20_000
/** How long ended deliveries are kept. */
const REMEMBERED_MS = 30 * 24 * 3600 * 1000

/** How long a request waits whose secret cannot be read, in milliseconds. */
const UNREADABLE_MS = 60_000

/** How many failures a minute of one endpoint are logged. */
const MAX_FAILURES_LOGGED = 10

const OUTCOMES = { SUCCEEDED: 'succeeded', PENDING: 'deferred', FAILED: 'failed' } as const

interface Claimed {
  readonly delivery: WebhookDelivery
  /** Why it is not tried again. */
  readonly givenUp: string | undefined
  readonly token: string
  readonly until: Date
}

/**
 * Makes the waiting requests, each under a lease, and records their results. After a crash, running ones are made again
 * with the same id.
 */
@injectable()
export class DeliverWebhooks implements Work {
  readonly topic = TOPICS.webhooks
  readonly lane = 'workflow'
  readonly atOnce = HELD
  readonly few = FEW
  readonly leaseMs = LEASE_MS
  readonly #lines = new HostLines()
  readonly #failed: LimitedLog
  readonly #recorder: RecordDeliveries

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(WebhookSender) private readonly sender: WebhookSender,
    @inject(DeliveryEnd) end: DeliveryEnd,
    @inject(Leases) private readonly leases: Leases,
    @inject(Sealing) private readonly sealing: Sealing,
    @inject(ForeignApis) private readonly dialects: readonly NamedForeignApi[],
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#recorder = new RecordDeliveries(store, end, kit)
    this.#failed = new LimitedLog(kit.log, MAX_FAILURES_LOGGED)
  }

  /** Call it when there are deliveries to make. Does not wait. */
  ask(): void {
    this.doorbell.ring(TOPICS.webhooks)
  }

  next(): Promise<Date | undefined> {
    return this.store.webhookDeliveries.next()
  }

  async claim({ now, lease, room, ends }: ClaimRequest): Promise<ClaimedWork> {
    const most = Math.min(room, CLAIM)
    const deliveries = await this.store.webhookDeliveries.claim(now, most, lease)
    const running = deliveries.map((claimed) => {
      const { interrupted: _, ...delivery } = claimed
      return this.#deliver({ delivery, givenUp: givenUp(claimed), ...lease }, ends)
    })
    return { isMore: deliveries.length === most, running }
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'forget webhook deliveries', cron: '23 3 * * *', run: (signal) => this.forget(signal) }]
  }

  /** Removes deliveries that ended more than 30 days ago. */
  forget(signal: AbortSignal): Promise<void> {
    const before = new Date(this.kit.now().getTime() - REMEMBERED_MS)
    return removeAll((most) => this.store.webhookDeliveries.forget(before, most), signal)
  }

  /** Never rejects: a result that cannot be recorded means another try when the lease has run out. */
  async #deliver(claimed: Claimed, ends: Ends): Promise<void> {
    const { projectId, url, id: deliveryId } = claimed.delivery
    const line = `${projectId} ${URL.parse(url)?.host}`
    try {
      if (claimed.givenUp !== undefined) return await this.#giveUp(claimed.delivery, claimed.givenUp, claimed.token)
      const pause = this.#lines.pauseBefore(line)
      if (pause > 0) return await this.#giveBack(claimed, pause * (0.5 + chance()))
      await this.#lines.add(line, () => this.#try(claimed, ends))
    } catch (error) {
      this.kit.log.error('could not store the outcome of a webhook', { deliveryId, error })
    }
  }

  async #giveUp(delivery: WebhookDelivery, error: string, token: string): Promise<void> {
    const now = this.kit.now()
    const failed: WebhookDelivery = { ...delivery, status: 'FAILED', error, completedAt: now, updatedAt: now }
    await this.#recorder.record(failed, token)
    this.#logTried(failed)
  }

  async #try(claimed: Claimed, { signal, stopping }: Ends): Promise<void> {
    const { delivery, token, until } = claimed
    const left = until.getTime() - this.kit.now().getTime()
    if (stopping.aborted || left < delivery.timeout * 1000 + MARGIN_MS || !this.leases.hold(token))
      return this.#giveBack(claimed, 0)
    const secrets = await this.#secrets(delivery)
    if (secrets === undefined) return this.#giveBack(claimed, UNREADABLE_MS)
    const begun = performance.now()
    const answer = await this.#send(delivery, secrets, signal)
    const tookMs = performance.now() - begun
    if (signal.aborted && answer.outcome === 'failed') return this.#giveBack(claimed, 0)
    const retries = { delays: this.kit.settings.webhooks.retryDelays, random: chance() }
    const tried = afterTry(delivery, answer, retries, this.kit.now())
    await this.#recorder.record(tried, token)
    this.kit.metrics.webhook(OUTCOMES[tried.status], tookMs)
    if (tried.status !== 'SUCCEEDED') this.#logTried(tried)
  }

  /** Logs no URL, since it may be a secret, like those of chat rooms. */
  #logTried(delivery: WebhookDelivery): void {
    const {
      id: deliveryId,
      projectId,
      endpointId,
      workflowId,
      url,
      eventName,
      attempts,
      error,
      status,
      dueAt,
    } = delivery
    const host = URL.parse(url)?.host
    const about = { deliveryId, projectId, endpointId, workflowId, host, eventName, attempts, reason: error }
    if (status === 'FAILED') this.#failed.warn(endpointId ?? `${workflowId} ${host}`, 'a webhook failed', about)
    else this.kit.log.debug('a webhook will be tried again', { ...about, dueAt })
  }

  /** Undefined when they cannot be read: the request waits, since it could not be signed. */
  async #secrets({ projectId }: WebhookDelivery): Promise<WebhookSecrets | undefined> {
    try {
      return await readSecrets(this.store, this.sealing, projectId)
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'SERVICE_UNAVAILABLE') throw error
      this.#failed.warn(`secrets of ${projectId}`, 'webhooks wait', { projectId, reason: error.message })
      return undefined
    }
  }

  async #send(delivery: WebhookDelivery, secrets: WebhookSecrets, signal: AbortSignal): Promise<WebhookAnswer> {
    const { id: deliveryId, url, method, timeout } = delivery
    try {
      const now = this.kit.now()
      const signed = signedRequest(delivery, countingSecrets(secrets, now), { dialects: this.dialects, at: now })
      return await this.sender.send({ url, method, ...signed, timeout: timeout * 1000 }, signal)
    } catch (error) {
      this.kit.log.error('a webhook could not be sent', { deliveryId, error })
      return { outcome: 'failed', reason: 'The server could not make the request.' }
    }
  }

  /** Gives it back untried, due again after `pause` milliseconds. */
  async #giveBack({ delivery, token }: Claimed, pause: number): Promise<void> {
    const now = this.kit.now()
    const dueAt = new Date(now.getTime() + Math.round(pause))
    await this.#recorder.record({ ...delivery, attempts: delivery.attempts - 1, dueAt, updatedAt: now }, token)
  }
}

/** A number from 0 up to 1. */
function chance(): number {
  return randomInt(1000) / 1000
}
