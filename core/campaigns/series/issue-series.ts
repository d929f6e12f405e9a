import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { CompiledMails } from '../../mail/compiled-mails.ts'
import type { Campaign } from '../../ports/store/campaigns.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { FeedState, Series } from '../../ports/store/series.ts'
import type { Store } from '../../ports/store/store.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { requireVerifiedDomain } from '../../projects/project.ts'
import { Conflict } from '../../values/conflict.ts'
import { definedOnly } from '../../values/defined-only.ts'
import { Days } from '../../values/time-zone.ts'
import { SETTLED_MS } from '../../work/alone-work.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../../work/interrupted.ts'
import type { Leases } from '../../work/leases.ts'
import { NAME_LENGTH } from '../campaign-request.ts'
import { type CopyCampaigns, insertDraft, type NewDraft } from '../copy-campaigns.ts'
import { fetchFeed } from './fetch-feed.ts'
import { filledTexts } from './make-issue.ts'
import type { FeedItem } from './read-feed.ts'
import { nextTime } from './rhythm.ts'

/** How many items an issue has at most; further ones are in the next. */
export const MAX_PER_ISSUE = 50
/** How many items show what an issue looks like while none is new. */
export const FIRST_ITEMS = 5
/** How many series a tick looks at, and how many feeds are read at once. */
const DUE = 100
const AT_ONCE = 5
/** When a feed that could not be read is asked again, or a domain that waits, unless the next time comes first. */
const AGAIN_MS = 15 * 60_000
/** How many items of the past are remembered, besides those that the feed still has. */
const REMEMBERED = 2_000

/** The new items of a feed for an issue. */
interface News {
  readonly title: string
  readonly items: readonly FeedItem[]
  readonly state: FeedState
  /** All that the feed has. */
  readonly keys: readonly string[]
}

/** Makes the issues of series whose time has come. */
export class IssueSeries {
  readonly #since = performance.now()

  constructor(
    private readonly store: Store,
    private readonly sender: WebhookSender,
    private readonly compiled: CompiledMails,
    private readonly copying: CopyCampaigns,
    private readonly leases: Leases,
    private readonly kit: Kit,
  ) {}

  /**
   * Makes an issue of each series that is due: one, however many times were missed. The issue, the next time and the items
   * it has are written together, so that of two processes one makes it, and a crash neither loses nor repeats it. One
   * with which processes end three times, the last time alone, pauses with that reason.
   */
  async tick(signal: AbortSignal): Promise<void> {
    const due = (await this.store.series.due(this.kit.now(), DUE)).values()
    const left: Series[] = []
    const worker = async () => {
      for (const series of due) {
        if (signal.aborted) return
        if (!(await this.#attempt(series, false, signal))) left.push(series)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    if (performance.now() - this.#since < SETTLED_MS) return
    for (const series of left) if (!signal.aborted) await this.#attempt(series, true, signal)
  }

  /**
   * Another process that was first, or a store that is away for a moment, is no reason to end the tick. False: another
   * process has it, or processes have ended with it, so that it is only begun `alone`.
   */
  async #attempt(series: Series, alone: boolean, signal: AbortSignal): Promise<boolean> {
    const { id: key, projectId } = series
    try {
      const now = this.kit.now()
      const lease = { token: this.leases.token(), until: new Date(now.getTime() + BEGUN_LEASE_MS), alone }
      const [begun] = await this.store.begunWork.begin('series', [{ key, projectId }], now, lease)
      if (begun === undefined) return false
      await seeThrough(
        this.store,
        begun,
        () => this.#issueOrMiss(series, signal),
        (reason) => this.#miss(series, reason),
      )
    } catch (error) {
      if (!Conflict.is(error, 'gone'))
        this.kit.log.warn('could not make an issue of a series', { series: key, project: projectId, error })
    }
    return true
  }

  #issueOrMiss(series: Series, signal: AbortSignal): Promise<void> {
    return this.#issue(series, signal).catch(async (error: unknown) => {
      if (!EngineError.is(error) || TEMPORARY_KINDS.has(error.kind)) throw error
      const next = nextTime(series.rhythm, this.kit.now())
      if (error.code !== 'DOMAIN_NOT_VERIFIED') return this.#miss(series, error.message, next)
      // its records may be found any moment, and then the issue is late, but not lost
      await this.#miss(series, `${error.message} The issue waits until it is.`, this.#soon(next))
    })
  }

  #soon(next: Date): Date {
    return new Date(Math.min(next.getTime(), this.kit.now().getTime() + AGAIN_MS))
  }

  async #issue(series: Series, signal: AbortSignal): Promise<void> {
    const project = await this.store.projects.find(series.projectId)
    const next = nextTime(series.rhythm, this.kit.now())
    if (!project || project.disabled) return this.#miss(series, 'The project is disabled.', next)
    const pattern = await this.store.campaigns.find(project.id, series.campaignId)
    if (!pattern) return this.#miss(series, 'The campaign that it is made from was deleted. Choose another one.')
    const news = series.feedUrl === undefined ? undefined : await this.#news(series, series.feedUrl, next, signal)
    if (news === 'broken') return
    if (news?.items.length === 0) return this.#write(series, next, news.state)
    const draft = await this.#draft(project, series, pattern, news)
    await this.#write(series, next, news?.state, { project, draft, news })
    this.kit.log.info('made an issue of a series', {
      series: series.id,
      project: project.id,
      campaign: draft.campaign.id,
    })
  }

  /** The new items of the feed; of an unchanged one none. A broken one is noted, and asked again soon. */
  async #news(series: Series, url: string, next: Date, signal: AbortSignal): Promise<News | 'broken'> {
    const { feed: known = {} } = series
    const fetched = await fetchFeed(this.sender, url, known, signal)
    if (signal.aborted) throw new Conflict('gone')
    const now = this.kit.now()
    if (fetched.outcome === 'broken') {
      await this.#miss(series, `The feed cannot be read: ${fetched.reason}.`, this.#soon(next))
      return 'broken'
    }
    const askedAt = now.toISOString()
    if (fetched.outcome === 'unchanged') return { title: '', items: [], keys: [], state: { ...known, askedAt } }
    const { title, items } = fetched.feed
    const keys = items.map(({ key }) => key)
    const seen = await this.store.series.seen(series.id, keys)
    const fresh = items.filter(({ key }) => !seen.has(key))
    // the oldest first come into a mail; of what is left, the next request must not be told that nothing changed
    const isAll = fresh.length <= MAX_PER_ISSUE
    const version = isAll ? definedOnly({ etag: fetched.etag, lastModified: fetched.lastModified }) : {}
    const state = { title, readAt: askedAt, askedAt, ...version }
    return { title, items: fresh.slice(-MAX_PER_ISSUE), keys, state }
  }

  /** The issue: a draft, or a campaign that is due at once. */
  async #draft(project: Project, series: Series, pattern: Campaign, news: News | undefined): Promise<NewDraft> {
    const now = this.kit.now()
    const clock = new Days(series.rhythm.timezone).clock(now)
    const date = series.rhythm.every === 'hour' ? clock.slice(0, 16).replace('T', ' ') : clock.slice(0, 10)
    const differs = { name: `${series.name} ${date}`.slice(-NAME_LENGTH), seriesId: series.id }
    if (series.sends) requireVerifiedDomain(project, pattern.from)
    const draft = news
      ? await this.#filled(project, pattern, news, differs)
      : await this.copying.copy(project, pattern, differs)
    if (!series.sends) return draft
    return { ...draft, campaign: { ...draft.campaign, status: 'SCHEDULED', scheduledAt: now } }
  }

  /** An editor's document has no items in it, so it does not go along. */
  async #filled(project: Project, pattern: Campaign, news: News, differs: Partial<Campaign>): Promise<NewDraft> {
    const { design, source, ...plain } = pattern
    const texts = await filledTexts(this.compiled, pattern, news, ({ field, filter, value, reason }) =>
      this.kit.log.warn('a filter could not do its work in a series', {
        campaign: pattern.id,
        field,
        filter,
        value,
        reason,
      }),
    )
    return this.copying.copy(project, plain, { ...differs, ...texts })
  }

  /** Writes the issue with all that follows from it, unless another process was first. */
  #write(
    series: Series,
    nextAt: Date,
    feed: FeedState | undefined,
    made?: { readonly project: Project; readonly draft: NewDraft; readonly news: News | undefined },
  ): Promise<void> {
    const now = this.kit.now()
    return this.store.transaction(async (tx) => {
      const { problem, ...held } = heldBy(series, await tx.series.lock(series.projectId, series.id))
      const counted = made ? { issues: held.issues + 1, lastAt: now } : {}
      await tx.series.update({ ...held, ...counted, ...(feed ? { feed } : {}), nextAt, updatedAt: now })
      if (!made) return
      await insertDraft(tx, made.project, made.draft)
      if (!made.news) return
      const { id: seriesId, projectId } = series
      const campaignId = made.draft.campaign.id
      await tx.series.remember(
        made.news.items.map(({ key }) => ({ seriesId, projectId, key, seenAt: now, campaignId })),
      )
      await tx.series.forget(seriesId, made.news.keys, REMEMBERED)
    })
  }

  /** Notes why there is no issue, and when the next is due; without a time the series pauses. */
  async #miss(series: Series, problem: string, nextAt?: Date): Promise<void> {
    const now = this.kit.now()
    await this.store.transaction(async (tx) => {
      const { nextAt: _, ...held } = heldBy(series, await tx.series.lock(series.projectId, series.id))
      const feed = held.feed ? { feed: { ...held.feed, askedAt: now.toISOString() } } : {}
      await tx.series.update({ ...held, ...feed, problem, ...(nextAt ? { nextAt } : {}), updatedAt: now })
    })
    this.kit.log.warn('a series made no issue', { series: series.id, project: series.projectId, reason: problem })
  }
}

/** Kinds of errors that may be gone a moment later. */
const TEMPORARY_KINDS: ReadonlySet<string> = new Set(['unavailable', 'internal', 'limited'])

/** The series as it is locked, if it is still the one that was due. */
function heldBy(due: Series, held: Series | undefined): Series {
  const isSame =
    held?.nextAt?.getTime() === due.nextAt?.getTime() && held?.updatedAt.getTime() === due.updatedAt.getTime()
  if (held === undefined || !isSame) throw new Conflict('gone')
  return held
}
