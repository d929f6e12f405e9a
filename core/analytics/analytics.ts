import { Throttle } from '../delivery/throttle/throttle.ts'
import { Transports } from '../delivery/transports.ts'
import { inject, injectable } from '../di.ts'
import { ReadEvents } from '../events/read-events.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { CampaignResults } from '../ports/store/analytics.ts'
import type { CampaignStatus } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { percentage } from '../values/percentage.ts'
import { dayAfter } from '../values/time-zone.ts'
import { removeAll } from '../work/rest.ts'
import { Activities } from './activity.ts'
import { type SendingLimits, sendingLimits } from './limits.ts'
import { Operations } from './operations.ts'
import {
  type CampaignFiguresInput,
  CampaignFiguresQuery,
  spanOf,
  spanProblems,
  type TimeSeriesInput,
  TimeSeriesQuery,
  type TopCampaignsInput,
  TopCampaignsQuery,
  type TopEventsInput,
  TopEventsQuery,
} from './requests.ts'

/** The results of a project's mail on one day: each figure counts the mails to which it happened first on that day. */
export interface DayFigures {
  /** The day in the time zone asked for, such as 2026-01-31. */
  readonly date: string
  /** Sent. */
  readonly emails: number
  /** How many mails were delivered. */
  readonly delivered: number
  /** How many of these were only written to a folder, since no mail server was set. */
  readonly toFolder: number
  /** How many mails were opened; further openings of a mail do not count. */
  readonly opens: number
  /** How many mails had a link followed. */
  readonly clicks: number
  /** How many mails bounced for good. */
  readonly bounces: number
  /** How many mails were reported as spam. */
  readonly complaints: number
}

/** How often a custom event occurred. */
export interface TopEvent {
  /** The name of the event. */
  readonly name: string
  /** How often it happened in the period. */
  readonly count: number
  /** By how many percent it occurred more often than in as many days before; null when it did not occur there. */
  readonly trend: number | null
}

/** A campaign and the results of its mails. Rates are percentages of the mails sent. */
export interface CampaignFigures {
  /** A UUID (version 7): those made later sort after those made before. */
  readonly id: string
  /** The name of the campaign. */
  readonly name: string
  /** Its subject, with placeholders. */
  readonly subject: string
  /** Where it is on its way. */
  readonly status: CampaignStatus
  /** How many mails were accepted by the next hop. */
  readonly sentCount: number
  /** How many were delivered. */
  readonly deliveredCount: number
  /** How many of these were only written to a folder, since no mail server was set. */
  readonly toFolderCount: number
  /** How many were opened. */
  readonly openedCount: number
  /** How many had a link followed. */
  readonly clickedCount: number
  /** How many bounced for good. */
  readonly bouncedCount: number
  /** Percentage of the mails sent that were opened. */
  readonly openRate: number
  /** Percentage of the mails sent with a click. */
  readonly clickRate: number
}

/** All campaigns of a project together. */
export interface CampaignsOverview {
  /** How many campaigns there are. */
  readonly total: number
  /** SCHEDULED or SENDING. */
  readonly active: number
  /** SENT. */
  readonly completed: number
  /** The mean of the rates of all campaigns that have sent a mail. */
  readonly averageOpenRate: number
  /** The mean of the click rates of the same campaigns. */
  readonly averageClickRate: number
  /** Newest first. */
  readonly campaigns: readonly CampaignFigures[]
}

/** Older figures are hardly written any more, so that joining them holds up no other write. */
const SETTLED_MS = 2 * 86_400_000

/** Figures of a project, from counts that are kept with every write. */
@injectable()
export class Analytics {
  /** The list of what happened, and of what is to come. */
  readonly activity: Activities
  /** How the whole server stands, for its operator. */
  readonly operations: Operations

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) mails: CompiledMails,
    @inject(Transports) transports: Transports,
    @inject(Throttle) throttle: Throttle,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.activity = new Activities(store, new ReadEvents(store, mails), kit)
    this.operations = new Operations(store, transports, throttle, kit)
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const settledBefore = () => new Date(this.kit.now().getTime() - SETTLED_MS)
    const join = (most: number) => this.store.analytics.joinParts(settledBefore(), most)
    return [{ name: 'join figures', cron: '11 * * * *', run: (signal) => removeAll(join, signal) }]
  }

  /** The quotas of a project and the ramps of its sender domains, and how much of them is used now. */
  limits(project: Project): Promise<SendingLimits> {
    return sendingLimits(this.store, this.kit, project)
  }

  /**
   * The results of mail, day by day without gaps, oldest first; by default the last 30 days, at most 366, as days are
   * in `timezone`. Throws EngineError `VALIDATION_ERROR`.
   */
  async timeSeries(project: Project, query: TimeSeriesInput | UntrustedInput = {}): Promise<readonly DayFigures[]> {
    const now = this.kit.now()
    const span = spanOf(
      parse(TimeSeriesQuery, query, (given) => spanProblems(given, now)),
      now,
    )
    const starts = span.days.starts(span.first, span.count + 1)
    const periods = starts.slice(1).map((to, i) => ({ from: starts[i] ?? to, to }))
    const figures = await this.store.analytics.figures(project.id, periods)
    const toFolder = await this.store.analytics.toFolder(project.id, periods)
    return figures.map((day, i) => ({
      date: dayAfter(span.first, i),
      emails: day.sent,
      delivered: day.delivered,
      toFolder: toFolder[i] ?? 0,
      opens: day.opened,
      clicks: day.clicked,
      bounces: day.bounced,
      complaints: day.complained,
    }))
  }

  /**
   * The custom events that occurred most often in some days, by default the last 30, and how that compares to as many
   * days before. Throws EngineError `VALIDATION_ERROR`.
   */
  async topEvents(project: Project, query: TopEventsInput | UntrustedInput = {}): Promise<readonly TopEvent[]> {
    const now = this.kit.now()
    const { limit, ...given } = parse(TopEventsQuery, query, (sound) => spanProblems(sound, now))
    const { days, first, count } = spanOf(given, now)
    const from = days.start(first)
    const period = { from, to: days.start(dayAfter(first, count)) }
    const before = { from: days.start(dayAfter(first, -count)), to: from }
    const events = await this.store.analytics.topEvents(project.id, period, before, limit)
    return events.map(({ name, count, before: earlier }) => ({ name, count, trend: trendOf(count, earlier) }))
  }

  /** The campaigns with the most opened, clicked or sent mails, most first. Throws EngineError `VALIDATION_ERROR`. */
  async topCampaigns(
    project: Project,
    query: TopCampaignsInput | UntrustedInput = {},
  ): Promise<readonly CampaignFigures[]> {
    const { metric, limit } = parse(TopCampaignsQuery, query)
    const figure = ({ opens: 'opened', clicks: 'clicked', sent: 'sent' } as const)[metric]
    const all = await this.store.analytics.campaigns(project.id)
    const sent = all.filter((campaign) => campaign.sent > 0)
    const most = sent.toSorted((a, b) => b[figure] - a[figure] || (a.id < b.id ? 1 : -1))
    return this.#named(project, most.slice(0, limit))
  }

  /** How the project's campaigns do: all together, and the newest ones. Throws EngineError `VALIDATION_ERROR`. */
  async campaigns(project: Project, query: CampaignFiguresInput | UntrustedInput = {}): Promise<CampaignsOverview> {
    const { limit } = parse(CampaignFiguresQuery, query)
    const all = await this.store.analytics.campaigns(project.id)
    const having = (...statuses: readonly CampaignStatus[]) =>
      all.filter(({ status }) => statuses.includes(status)).length
    const sent = all.filter((campaign) => campaign.sent > 0)
    const newest = all.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
    return {
      total: all.length,
      active: having('SCHEDULED', 'SENDING'),
      completed: having('SENT'),
      averageOpenRate: mean(sent.map((campaign) => percentage(campaign.opened, campaign.sent))),
      averageClickRate: mean(sent.map((campaign) => percentage(campaign.clicked, campaign.sent))),
      campaigns: await this.#named(project, newest),
    }
  }

  async #named(
    { id }: Pick<Project, 'id'>,
    campaigns: readonly CampaignResults[],
  ): Promise<readonly CampaignFigures[]> {
    const titles = await this.store.analytics.campaignTitles(
      id,
      campaigns.map((campaign) => campaign.id),
    )
    return campaigns.flatMap((campaign) => {
      const title = titles.get(campaign.id)
      // removed a moment ago
      if (title === undefined) return []
      const { sent, delivered, toFolder, opened, clicked, bounced, status } = campaign
      const taken = { sentCount: sent, deliveredCount: delivered, toFolderCount: toFolder }
      const counts = { ...taken, openedCount: opened, clickedCount: clicked }
      const rates = { openRate: percentage(opened, sent), clickRate: percentage(clicked, sent) }
      return { id: campaign.id, ...title, status, ...counts, bouncedCount: bounced, ...rates }
    })
  }
}

function trendOf(count: number, before: number): number | null {
  return before === 0 ? null : Math.round(((count - before) / before) * 10_000) / 100
}

function mean(rates: readonly number[]): number {
  if (rates.length === 0) return 0
  return Math.round((rates.reduce((sum, rate) => sum + rate, 0) / rates.length) * 100) / 100
}
