import type { ReadEvents } from '../events/read-events.ts'
import type { Kit } from '../kit.ts'
import type { ActivityEntry, UpcomingActivity } from '../ports/store/activity.ts'
import type { EventWithContact } from '../ports/store/events.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { ACTIVITY_TYPES, type ActivityType, activityTypeOf } from '../values/activity-type.ts'
import { EVENTS } from '../values/event-names.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { JsonObject } from '../values/json.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { percentage } from '../values/percentage.ts'
import {
  type ActivityStatsInput,
  ActivityStatsQuery,
  ListActivity,
  type ListActivityInput,
  momentsOf,
  periodProblems,
  RecentActivity,
  type RecentActivityInput,
  type UpcomingInput,
  UpcomingQuery,
} from './activity-requests.ts'

/** The most that is counted row by row. */
const AT_MOST = 10_000
/** How many upcoming activities are listed. */
const UPCOMING = 100
const MINUTE_MS = 60_000
const QUARTER_MS = 15 * MINUTE_MS
const DAY_MS = 24 * 60 * MINUTE_MS

/** Something that happened, or is going to. */
export interface ToldActivity {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The kind of activity, such as `email.open` or `campaign.sent`. */
  readonly type: ActivityType | UpcomingActivity['type']
  /** When it happened, or is going to. */
  readonly timestamp: Date
  /** The contact that it is about; null when it is about none. */
  readonly contactId: string | null
  /** Null when it is about no contact, or one that was removed. */
  readonly contactEmail: string | null
  /** Details, without the body of any mail. */
  readonly metadata: JsonObject
}

/** The figures of a period; rates are percentages of the mails sent in it. */
export interface ActivityStats {
  /** How many events were tracked. */
  readonly totalEvents: number
  /** How many mails the next hop accepted. */
  readonly totalEmailsSent: number
  /** How many were delivered. */
  readonly totalEmailsDelivered: number
  /** How many of these were only written to a folder, since no mail server was set. */
  readonly totalEmailsToFolder: number
  /** How many were opened. */
  readonly totalEmailsOpened: number
  /** How many had a link followed. */
  readonly totalEmailsClicked: number
  /** How many bounced for good. */
  readonly totalEmailsBounced: number
  /** How many were reported as spam. */
  readonly totalComplaints: number
  /** How many mails came in. */
  readonly totalEmailsReceived: number
  /** How many executions began. */
  readonly totalWorkflowsStarted: number
  /** How many executions came to their end. */
  readonly totalWorkflowsCompleted: number
  /** Percentage of the mails sent that were opened. */
  readonly openRate: number
  /** Percentage of the mails sent with a click. */
  readonly clickRate: number
}

/** Everything that happens in a project: to its mails, contacts, campaigns and workflows, in one list. */
export class Activities {
  constructor(
    private readonly store: Store,
    private readonly read: ReadEvents,
    private readonly kit: Kit,
  ) {}

  /**
   * One page of what happened, newest first. `total` is that of the first page; with dates or a contact it is 10,000 at
   * most. Throws EngineError `VALIDATION_ERROR`, `BAD_REQUEST` for a damaged cursor.
   */
  async list(project: Project, query: ListActivityInput | UntrustedInput = {}): Promise<Page<ToldActivity>> {
    const { limit, cursor, types, contactId, ...period } = parse(ListActivity, query, periodProblems)
    const moments = momentsOf(period)
    const { from, to } = moments
    const name = `activity:${types?.join() ?? ''}:${contactId ?? ''}:${from?.getTime() ?? ''}:${to?.getTime() ?? ''}`
    const list = { projectId: project.id, name }
    const page = pageRequest(list, { limit, cursor })
    // no contact has another id
    if (contactId !== undefined && !isId(contactId)) return { items: [], cursor: undefined, total: 0 }
    const filter = { ...moments, ...(types ? { types } : {}), ...(contactId === undefined ? {} : { contactId }) }
    const entries = await this.store.activity.page(project.id, filter, page)
    const total = page.after ? 0 : await this.store.activity.count(project.id, filter, AT_MOST)
    const told = await this.#told(project, entries)
    return pageOf(list, told, limit, total, ({ id }) => ({ value: '', id }))
  }

  /**
   * How often each kind of thing happened, in all or from `startDate` to `endDate`; moments are taken to the quarter of
   * an hour, outwards. Throws EngineError `VALIDATION_ERROR`.
   */
  async stats(project: Project, query: ActivityStatsInput | UntrustedInput = {}): Promise<ActivityStats> {
    const { from, to } = momentsOf(parse(ActivityStatsQuery, query, periodProblems))
    const end = to ?? new Date(this.kit.now().getTime() + DAY_MS)
    const period = { from: new Date(quarter(Math.floor, from ?? new Date(0))), to: new Date(quarter(Math.ceil, end)) }
    if (period.to <= period.from) period.to = new Date(period.from.getTime() + QUARTER_MS)
    const [figures] = await this.store.analytics.figures(project.id, [period])
    const [toFolder] = await this.store.analytics.toFolder(project.id, [period])
    const { sent = 0, delivered = 0, opened = 0, clicked = 0, bounced = 0, complained = 0 } = figures ?? {}
    return {
      totalEvents: figures?.events ?? 0,
      totalEmailsSent: sent,
      totalEmailsDelivered: delivered,
      totalEmailsToFolder: toFolder ?? 0,
      totalEmailsOpened: opened,
      totalEmailsClicked: clicked,
      totalEmailsBounced: bounced,
      totalComplaints: complained,
      totalEmailsReceived: figures?.received ?? 0,
      totalWorkflowsStarted: figures?.started ?? 0,
      totalWorkflowsCompleted: figures?.completed ?? 0,
      openRate: percentage(opened, sent),
      clickRate: percentage(clicked, sent),
    }
  }

  /** How much happened in the last minutes, 10,000 at most. Throws EngineError `VALIDATION_ERROR`. */
  async recentCount(
    project: Project,
    query: RecentActivityInput | UntrustedInput = {},
  ): Promise<{ readonly count: number; readonly minutes: number }> {
    const { minutes } = parse(RecentActivity, query)
    const from = new Date(this.kit.now().getTime() - minutes * MINUTE_MS)
    return { count: await this.store.activity.count(project.id, { from }, AT_MOST), minutes }
  }

  /** The types of which something has happened. */
  async types(project: Project): Promise<readonly ActivityType[]> {
    const found = await this.store.activity.types(project.id)
    return ACTIVITY_TYPES.filter((type) => found.has(type))
  }

  /**
   * The next 100 campaigns, mails and steps of workflows that have a time in the coming days, the next first. Throws
   * EngineError `VALIDATION_ERROR`.
   */
  async upcoming(project: Project, query: UpcomingInput | UntrustedInput = {}): Promise<readonly ToldActivity[]> {
    const { daysAhead } = parse(UpcomingQuery, query)
    const now = this.kit.now()
    const until = new Date(now.getTime() + daysAhead * DAY_MS)
    const found = await this.store.activity.upcoming(project.id, now, until, UPCOMING)
    const mails = found.flatMap(({ type, ...each }) => (type === 'email.scheduled' && 'id' in each ? [each.id] : []))
    const emails = new Map((await this.store.emails.some(project.id, mails)).map((email) => [email.id, email]))
    const data = await this.read.dataOf([...emails.values()])
    return found.map((each): ToldActivity => {
      const nobody = { contactId: null, contactEmail: null }
      if (each.type === 'campaign.scheduled') {
        const metadata = { campaignId: each.id, campaignName: each.name }
        return { id: each.id, type: each.type, timestamp: each.at, ...nobody, metadata }
      }
      if (each.type === 'email.scheduled') {
        const email = emails.get(each.id)
        const to = { contactId: email?.contactId ?? null, contactEmail: email?.to ?? null }
        return { id: each.id, type: each.type, timestamp: each.at, ...to, metadata: mailIn(data.get(each.id) ?? {}) }
      }
      const { contactId, contactEmail = null, executionId, workflowId, workflowName, waitingFor = null } = each
      const metadata = { workflowId, workflowName, executionId, waitingFor }
      return { id: executionId, type: each.type, timestamp: each.at, contactId, contactEmail, metadata }
    })
  }

  async #told(project: Project, entries: readonly ActivityEntry[]): Promise<readonly ToldActivity[]> {
    const events = entries.flatMap((entry) => ('event' in entry ? [entry.event] : []))
    const filled = await this.read.withData(project.id, events)
    const received = await this.#received(project, events)
    let next = 0
    return entries.map((entry): ToldActivity => {
      const { id } = entry
      if ('event' in entry) {
        const event = filled[next++] ?? entry.event
        return toldEvent(event, received.get(event.emailId ?? ''))
      }
      if ('campaign' in entry) {
        const { id: campaignId, name, sentAt } = entry.campaign
        const metadata = { campaignId, campaignName: name }
        return { id, type: 'campaign.sent', timestamp: sentAt, contactId: null, contactEmail: null, metadata }
      }
      const { type, at, contactId, contactEmail = null, executionId, workflowId, workflowName, status } = entry.workflow
      const metadata = { workflowId, workflowName, executionId, status }
      return { id, type, timestamp: at, contactId, contactEmail, metadata }
    })
  }

  /** Subject and sender of received mails, by the id of the mail. */
  async #received(
    { id }: Pick<Project, 'id'>,
    events: readonly EventWithContact[],
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const ids = events.flatMap(({ name, emailId }) =>
      name === EVENTS.received && emailId !== undefined ? [emailId] : [],
    )
    if (ids.length === 0) return new Map()
    const mails = await this.store.emails.some(id, ids)
    const heads = await this.store.emails.contentHeads(mails.map(({ contentId }) => contentId))
    const byId = new Map(heads.map((head) => [head.id, head]))
    return new Map(
      mails.map((mail) => {
        const { subject = '', from } = byId.get(mail.contentId) ?? {}
        return [mail.id, { subject, from: from?.email ?? '', fromName: from?.name ?? '' }]
      }),
    )
  }
}

/** The fields that are reported about a mail: all of the events of mails but those that hold whole texts. */
const MAIL_FIELDS = [
  ...['emailId', 'campaignId', 'templateId', 'sourceType', 'subject', 'from', 'fromName', 'messageId'],
  ...['link', 'opens', 'clicks', 'isFirstOpen', 'isFirstClick', 'machine'],
  'toFolder',
  ...['bounceType', 'bounceClass', 'bounceStatus', 'diagnostic', 'transientBounce'],
  ...['subscribed', 'reason', 'topicId', 'topic'],
]

function mailIn(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([key]) => MAIL_FIELDS.includes(key)))
}

function toldEvent(event: EventWithContact, received: JsonObject | undefined): ToldActivity {
  const { id, name, data, emailId, contact, createdAt: timestamp } = event
  const type = activityTypeOf(name)
  const about = { id, type, timestamp, contactId: contact?.id ?? null, contactEmail: contact?.email ?? null }
  if (type === 'event.triggered') return { ...about, metadata: { eventName: name, data } }
  return { ...about, metadata: { ...(emailId === undefined ? {} : { emailId }), ...mailIn(data), ...received } }
}

function quarter(round: (number: number) => number, moment: Date): number {
  return round(moment.getTime() / QUARTER_MS) * QUARTER_MS
}
