import { type EndpointNotice, notifyEndpoints } from '../events/notify-endpoints.ts'
import type { Kit } from '../kit.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import type { FailureClass, MailOutcome } from '../ports/metrics.ts'
import type { Lane } from '../ports/queue.ts'
import type { ClaimedEmail, DeliveryResult } from '../ports/store/emails.ts'
import type { Store } from '../ports/store/store.ts'
import { allDone, Batcher } from '../values/batcher.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import type { HeldMail } from './throttle/held.ts'
import type { Later } from './throttle/throttle.ts'

const AGAIN_MS = 500
/** How many failures of each kind of write are logged a minute; the next line counts the others. */
const FAILURES_PER_MINUTE = 3
/** How long mails put off are gathered: no caller waits for them. */
const GATHER_MS = 20

const OUTCOMES: Readonly<Record<DeliveryResult['status'], MailOutcome>> = {
  QUEUED: 'deferred',
  SENT: 'sent',
  DELIVERED: 'sent',
  BOUNCED: 'bounced',
  FAILED: 'failed',
  SKIPPED: 'skipped',
}

/** A result to be stored, until the signal is aborted. */
interface Waiting {
  readonly result: DeliveryResult
  readonly signal: AbortSignal
  /** The event that endpoints get of it. */
  readonly notice?: EndpointNotice | undefined
}

/** Rows of one claim that are given back for the same time. */
interface PutOff {
  readonly ids: string[]
  readonly done: Promise<void>
}

/**
 * Writes the results of mails, and queues those that are soon to be tried again. A transport's slot waits until its
 * result is stored. One batch is written at a time: the results that come meanwhile share the next commit, so that the
 * busier the process is, the fewer commits a mail costs.
 */
export class Recorder {
  readonly #results = new Batcher<Waiting>({
    // two turns of the event loop bring more results for one commit: 10 % more mails a second than one turn
    gather: (begin) => setImmediate(setImmediate, begin),
    write: async (batch) => {
      const begun = performance.now()
      try {
        const results: DeliveryResult[] = []
        const notices: EndpointNotice[] = []
        for (const { result, notice } of batch) {
          results.push(result)
          if (notice) notices.push(notice)
        }
        if (notices.length === 0) await this.store.emails.record(results)
        else await this.#recordAndTell(results, notices)
        this.kit.metrics.committed('results', performance.now() - begun)
        return allDone(batch)
      } catch (error) {
        const message = 'could not store what became of mails, trying each alone'
        this.#failures.warn('together', message, { count: batch.length, error })
        // the next batch does not wait for them
        return batch.map((each) => ({ answer: this.#writeAlone(each) }))
      }
    },
  })
  readonly #putOff = new Map<string, PutOff>()
  /** While the database is away, each mail under way tries twice a second. */
  readonly #failures: LimitedLog

  constructor(
    private readonly store: Store,
    private readonly doorbell: Doorbell,
    private readonly kit: Kit,
  ) {
    this.#failures = new LimitedLog(kit.log, FAILURES_PER_MINUTE)
  }

  /**
   * Answers when the result is stored, or when the signal is aborted before that succeeded. `failure` is the
   * reason counted in the metrics, `transport` the name there. Endpoints get `notice` by the same commit.
   */
  async record(
    result: DeliveryResult,
    { lane, dueAt }: Pick<ClaimedEmail, 'lane' | 'dueAt'>,
    signal: AbortSignal,
    failure?: FailureClass,
    transport?: string,
    notice?: EndpointNotice,
  ): Promise<void> {
    await this.#results.add({ result, signal, notice })
    if (result.dueAt) this.#queueAgain(lane, result.dueAt)
    this.kit.metrics.ended({
      lane,
      outcome: OUTCOMES[result.status],
      ...(failure === undefined ? undefined : { failure }),
      ...(transport === undefined ? undefined : { transport }),
      waitedMs: Math.max(0, this.kit.now().getTime() - dueAt.getTime()),
    })
  }

  /** Gives back rows that were claimed under this token without our knowing; answers as `record` does. */
  async disown(token: string, signal: AbortSignal): Promise<void> {
    const { workers } = this.store
    if (workers)
      await this.#retryUntilStopped(signal, 'give a claim back', () => workers.takeBack([token], this.kit.now()))
  }

  /** Gives a claimed row back untried; answers as `record` does. */
  async release(emailId: string, token: string, signal: AbortSignal): Promise<void> {
    await this.#retryUntilStopped(signal, 'give a mail back', () =>
      this.store.emails.release([emailId], token, this.kit.now()),
    )
  }

  /** Gives a claimed row back untried and queues it for its time; answers as `record` does. */
  putOff(
    email: ClaimedEmail,
    { until: dueAt, reason, expiresAt }: Later,
    lane: Lane,
    signal: AbortSignal,
  ): Promise<void> {
    const { token } = email.lease
    const key = `${token} ${lane} ${dueAt.getTime()} ${expiresAt?.getTime()} ${reason}`
    const together = this.#putOff.get(key)
    if (together) {
      together.ids.push(email.id)
      return together.done
    }
    const ids = [email.id]
    const done = new Promise<void>((resolve) => setTimeout(resolve, GATHER_MS)).then(async () => {
      this.#putOff.delete(key)
      const release = () => this.store.emails.release(ids, token, this.kit.now(), { dueAt, reason, expiresAt })
      await this.#retryUntilStopped(signal, 'put mails off', release)
      this.#queueAgain(lane, dueAt)
    })
    this.#putOff.set(key, { ids, done })
    return done
  }

  /** Makes mails that were put off due now. Never rejects: they also come at the times they were given. */
  async bringForward(mails: readonly HeldMail[]): Promise<void> {
    if (mails.length === 0) return
    const now = this.kit.now()
    try {
      await this.store.emails.bringForward(mails, now)
      for (const lane of new Set(mails.map((mail) => mail.lane))) this.#queueAgain(lane, now)
    } catch (error) {
      this.kit.log.debug('could not bring mails forward', { count: mails.length, error })
    }
  }

  #queueAgain(lane: Lane, dueAt: Date): void {
    this.doorbell.ring(TOPICS.mail, { lane, at: dueAt })
  }

  #writeAlone({ result, signal, notice }: Waiting): Promise<void> {
    return this.#retryUntilStopped(signal, 'store what became of a mail', () =>
      notice ? this.#recordAndTell([result], [notice]) : this.store.emails.record([result]),
    )
  }

  /** Writes results, and what endpoints hear of them, in one commit. Of a mail whose lease is lost they hear nothing. */
  async #recordAndTell(results: readonly DeliveryResult[], notices: readonly EndpointNotice[]): Promise<void> {
    const waiting = await this.store.transaction(async (tx) => {
      const written = await tx.emails.record(results)
      const heard = notices.filter(({ emailId = '' }) => written.has(emailId))
      return notifyEndpoints(tx, heard, this.kit.newId)
    })
    if (waiting > 0) this.doorbell.ring(TOPICS.webhooks)
  }

  /** Does not give up before the engine stops: a lost result means a mail sent twice. */
  async #retryUntilStopped(signal: AbortSignal, what: string, write: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await write()
        return
      } catch (error) {
        this.#failures.error(what, `could not ${what}`, { error })
      }
      if (signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    }
  }
}
