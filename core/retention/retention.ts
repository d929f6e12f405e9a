import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Inbox } from '../ports/store/inboxes.ts'
import type { AgedExecution, AgedMail, Stretch } from '../ports/store/retention.ts'
import { Store } from '../ports/store/store.ts'
import { firstIdAt, momentOf, NIL_ID } from '../values/id.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../work/interrupted.ts'
import { Leases } from '../work/leases.ts'
import { rest } from '../work/rest.ts'
import { BodyLinks, type LinksOf } from './body-links.ts'
import { Erasing } from './erasing.ts'

const HOUR_MS = 3600 * 1000
const DAY_MS = 24 * HOUR_MS
/** For how long events that were given up are listed. */
const LISTED_DAYS = 30
/** How long mails of a campaign keep their variables after its end, for failed ones to be tried again. */
const CAMPAIGN_DAYS = 30
/** How long events of inboxes are kept at most, for those who follow them. */
const INBOX_EVENT_DAYS = 30
/** How many rows one transaction reads and may change. */
const PAGE = 500
/** The same of mails whose variables go, since less of each is read and written. */
const VARIABLES_PAGE = 1000
/** The same of events, which are in more indexes, and are removed. */
const EVENTS_PAGE = 200
const CAMPAIGN_ENDS: ReadonlySet<string> = new Set(['SENT', 'CANCELLED', 'FAILED'])

/** One rule's way through a table, oldest rows first. */
interface Walk<Row extends { readonly id: string }> {
  /** The name under which its position is stored. */
  readonly rule: string
  readonly before: Date
  /** Default PAGE. */
  readonly limit?: number
  page(stretch: Stretch): Promise<readonly Row[]>
  /** For each row: true when it is finished permanently, false when it must be looked at again. */
  act(rows: readonly Row[]): Promise<(row: Row) => boolean>
}

/**
 * Deletes what is older than the settings allow. Each rule goes through its table by id, which is by age, page by page,
 * and stores its position, so that a row is looked at once. While one is not finished, such as a mail of a paused campaign, it
 * and all rows behind it are looked at again once a day.
 */
@injectable()
export class Retention {
  readonly #links: BodyLinks

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) mails: LinksOf,
    @inject(Leases) private readonly leases: Leases,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.#links = new BodyLinks(store, mails)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [{ name: 'retention', cron: '37 * * * *', run: (signal) => this.tick(signal) }]
  }

  /** Every hour: applies every rule. One that processes have ended with is left out for a day; the others go on. */
  async tick(signal: AbortSignal): Promise<void> {
    const now = this.kit.now().getTime()
    await this.store.begunWork.forget('retention', new Date(now - DAY_MS))
    await this.store.begunWork.forget('event', new Date(now - LISTED_DAYS * DAY_MS))
    const { bodies, variables, events, executions, audit } = this.kit.settings.retention
    const rules: readonly (readonly [rule: string, days: number | false, apply: (days: number) => Promise<void>])[] = [
      ['campaignVariables', CAMPAIGN_DAYS, (days) => this.#variables('campaignVariables', days, signal)],
      ['variables', variables, (days) => this.#variables('variables', days, signal)],
      ['bodies', bodies, (days) => this.#bodies(days, signal)],
      ['executions', executions, (days) => this.#executions(days, signal)],
      ['events', events, (days) => this.#events(days, signal)],
      ['audit', audit, (days) => this.#audit(days, signal)],
      [
        'inboxEvents',
        Math.min(events || INBOX_EVENT_DAYS, INBOX_EVENT_DAYS),
        (days) => this.#inboxEvents(days, signal),
      ],
      ['inboxMessages', 1, () => this.#inboxMessages(signal)],
      ['leftOut', 1, () => this.#leftOut(signal)],
    ]
    for (const [rule, days, apply] of rules) if (days) await this.#rule(rule, () => apply(days))
  }

  async #rule(key: string, apply: () => Promise<void>): Promise<void> {
    const { begunWork } = this.store
    const now = this.kit.now()
    const lease = { token: this.leases.token(), until: new Date(now.getTime() + BEGUN_LEASE_MS) }
    const [begun] = [
      ...(await begunWork.begin('retention', [{ key }], now, lease)),
      ...(await begunWork.begin('retention', [{ key }], now, { ...lease, alone: true })),
    ]
    if (begun === undefined) return
    const { kind } = begun
    await seeThrough(this.store, begun, apply, async (reason) => {
      this.kit.log.error('a rule of retention is left out for a day', { rule: key, reason })
      await begunWork.giveUp({ kind, key, reason, at: this.kit.now() })
    })
  }

  /** Those whom a campaign left out are listed as long as there is the campaign. */
  async #leftOut(signal: AbortSignal): Promise<void> {
    for (let removed = 1; removed > 0 && !signal.aborted; ) {
      const begun = performance.now()
      removed = await this.store.leftOut.removeLeft(PAGE)
      await rest(begun)
    }
  }

  async #inboxEvents(days: number, signal: AbortSignal): Promise<void> {
    for (let removed = PAGE; removed === PAGE && !signal.aborted; ) {
      const begun = performance.now()
      removed = await this.store.inboxEvents.removeBefore(this.#before(days), PAGE)
      await rest(begun)
    }
  }

  /** Messages of inboxes with a retention of their own. Those that another inbox has, too, keep their text. */
  async #inboxMessages(signal: AbortSignal): Promise<void> {
    let after: string | undefined
    do {
      const some: readonly Inbox[] = await this.store.inboxes.withRetention(after, PAGE)
      for (const inbox of some) {
        for (let left = PAGE; left === PAGE && !signal.aborted; ) {
          const begun = performance.now()
          left = await this.#leave(inbox)
          await rest(begun)
        }
      }
      after = some.length === PAGE ? some.at(-1)?.id : undefined
    } while (after !== undefined && !signal.aborted)
  }

  /** Takes the oldest messages out of an inbox that are too old for it; answers how many. */
  async #leave({ id, projectId, retentionDays = 0 }: Inbox): Promise<number> {
    const { threadMails, emails, retention } = this.store
    const old = await threadMails.old(projectId, id, this.#before(retentionDays), PAGE)
    if (old.length === 0) return 0
    // the texts first, so that none stays where a crash falls between
    const own = old.flatMap(({ emailId, isElsewhere }) => (isElsewhere ? [] : emailId))
    const { changes, contents } = await this.#links.of(await emails.some(projectId, own))
    const changed = changes.filter(({ contentId, newContentId }) => contentId !== newContentId)
    if (changed.length > 0) await retention.changeContents(changed, contents)
    await this.store.transaction(async (tx) => {
      // messages come in behind the same lock
      await tx.inboxes.lock(projectId, id)
      const ids = old.map(({ emailId }) => emailId)
      await tx.threads.leave(projectId, id, ids)
    })
    return old.length
  }

  async #audit(days: number, signal: AbortSignal): Promise<void> {
    const before = firstIdAt(this.#before(days))
    for (let removed = PAGE; removed === PAGE && !signal.aborted; ) {
      const begun = performance.now()
      removed = await this.store.audit.removeBefore(before, PAGE)
      await rest(begun)
    }
  }

  #variables(rule: 'variables' | 'campaignVariables', days: number, signal: AbortSignal): Promise<void> {
    const before = this.#before(days)
    const isMeant = ({ campaignId }: AgedMail) => rule === 'variables' || campaignId !== undefined
    // for the days of campaigns their end counts
    const endedBefore = rule === 'variables' ? this.kit.now() : before
    return this.#walk(
      {
        rule,
        before,
        limit: VARIABLES_PAGE,
        page: (stretch: Stretch) => this.store.retention.mails(stretch),
        act: async (mails: readonly AgedMail[]) => {
          const isOver = (mail: AgedMail) => !isMeant(mail) || isDone(mail, endedBefore)
          const due = mails.filter((mail) => isMeant(mail) && mail.redactedAt === undefined && isOver(mail))
          if (due.length > 0) await this.store.retention.removeVariables(idsOf(due), this.kit.now())
          return isOver
        },
      },
      signal,
    )
  }

  #bodies(days: number, signal: AbortSignal): Promise<void> {
    return this.#walk(
      {
        rule: 'bodies',
        before: this.#before(days),
        page: (stretch: Stretch) => this.store.retention.mails(stretch),
        act: async (mails: readonly AgedMail[]) => {
          const isOver = (mail: AgedMail) => mail.campaignId !== undefined || isFinal(mail)
          const due = mails.filter((mail) => mail.campaignId === undefined && isOver(mail))
          const { changes, contents } = await this.#links.of(due)
          const changed = changes.filter(({ contentId, newContentId }) => contentId !== newContentId)
          if (changed.length > 0) await this.store.retention.changeContents(changed, contents)
          return isOver
        },
      },
      signal,
    )
  }

  #executions(days: number, signal: AbortSignal): Promise<void> {
    const before = this.#before(days)
    const isOver = ({ completedAt }: AgedExecution) => completedAt !== undefined && completedAt < before
    return this.#walk(
      {
        rule: 'executions',
        before,
        page: (stretch: Stretch) => this.store.retention.executions(stretch),
        act: async (executions: readonly AgedExecution[]) => {
          const due = executions.filter((execution) => execution.redactedAt === undefined && isOver(execution))
          if (due.length > 0) await this.store.retention.redactExecutions(idsOf(due), this.kit.now())
          return isOver
        },
      },
      signal,
    )
  }

  async #events(days: number, signal: AbortSignal): Promise<void> {
    await this.#ledgerEvents(this.#before(days), signal)
    const before = firstIdAt(this.#before(days))
    // deleted rows need no stored position
    for (let after: string | undefined = NIL_ID; after !== undefined && !signal.aborted; ) {
      const begun = performance.now()
      after = await this.store.retention.removeEvents({ after, before, limit: EVENTS_PAGE })
      await rest(begun)
    }
  }

  /** Events that a mail's row stands for. */
  #ledgerEvents(before: Date, signal: AbortSignal): Promise<void> {
    const isOver = (mail: AgedMail) => isFinal(mail) && (mail.sentAt === undefined || mail.sentAt < before)
    return this.#walk(
      {
        rule: 'ledgerEvents',
        before,
        page: (stretch: Stretch) => this.store.retention.mails(stretch),
        act: async (mails: readonly AgedMail[]) => {
          const due = mails.filter(({ sentAt }) => sentAt !== undefined && sentAt < before)
          if (due.length > 0) await this.store.retention.removeLedgerEvents(idsOf(due), before)
          return isOver
        },
      },
      signal,
    )
  }

  async #walk<Row extends { readonly id: string }>(walk: Walk<Row>, signal: AbortSignal): Promise<void> {
    const { rule, limit = PAGE } = walk
    const before = firstIdAt(walk.before)
    const { retention } = this.store
    const held = (await retention.position(rule)) ?? NIL_ID
    const [seen, whole] = [await retention.position(`${rule}:seen`), await retention.position(`${rule}:whole`)]
    const isWhole = whole === undefined || this.kit.now().getTime() - momentOf(whole).getTime() >= DAY_MS - HOUR_MS / 2
    let after = seen !== undefined && seen > held && !isWhole ? seen : held
    const begin = after
    let done = held
    let isHeld = after !== held
    for (let isMore = true; isMore && !signal.aborted; ) {
      const begun = performance.now()
      const rows = await walk.page({ after, before, limit })
      const isOver = await walk.act(rows)
      const from = done
      for (const row of rows) {
        isHeld ||= !isOver(row)
        if (!isHeld) done = row.id
      }
      if (done !== from) await retention.setPosition(rule, done)
      after = rows.at(-1)?.id ?? after
      if (isHeld && after > (seen ?? held)) await retention.setPosition(`${rule}:seen`, after)
      isMore = rows.length === limit
      await rest(begun)
    }
    if (begin === held && isHeld && !signal.aborted)
      await retention.setPosition(`${rule}:whole`, firstIdAt(this.kit.now()))
  }

  #before(days: number): Date {
    return new Date(this.kit.now().getTime() - days * DAY_MS)
  }
}

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id)
}

/** Nothing more will be sent, unless a user asks for a retry. */
function isFinal({ status }: AgedMail): boolean {
  return status !== 'QUEUED' && status !== 'SENDING'
}

/** Failed mails may be retried until their campaign has ended. A removed campaign's mails tell when that was. */
function isDone(mail: AgedMail, endedBefore: Date): boolean {
  if (!isFinal(mail)) return false
  if (mail.campaignId === undefined) return true
  if (mail.campaign === undefined) return mail.updatedAt < endedBefore
  return CAMPAIGN_ENDS.has(mail.campaign.status) && mail.campaign.endedAt < endedBefore
}

/** The classes of this room that the container makes besides its doors. */
export const RETENTION = {
  erasing: Erasing,
  retention: Retention,
}
