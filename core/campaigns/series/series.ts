import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { CompiledMails } from '../../mail/compiled-mails.ts'
import type { Campaign } from '../../ports/store/campaigns.ts'
import type { Project } from '../../ports/store/projects.ts'
import { type FeedState, MAX_SERIES, type SeenItem, Series } from '../../ports/store/series.ts'
import type { Repositories, Store } from '../../ports/store/store.ts'
import type { WebhookSender } from '../../ports/webhook-sender.ts'
import { requireEnabled } from '../../projects/project.ts'
import { definedOnly } from '../../values/defined-only.ts'
import { isId } from '../../values/id.ts'
import type { UntrustedInput } from '../../values/input.ts'
import type { Untrusted } from '../../values/json.ts'
import { type NumberedPage, numberedPage } from '../../values/page.ts'
import { noteWarning, parse, refused } from '../../values/parse.ts'
import { changed, made } from '../../values/record.ts'
import { shownId } from '../../values/shown-id.ts'
import { fetchFeed } from './fetch-feed.ts'
import { FIRST_ITEMS, MAX_PER_ISSUE } from './issue-series.ts'
import { filledTexts, mixedMessage, mixedPlaces, usesItems } from './make-issue.ts'
import type { Feed, FeedItem } from './read-feed.ts'
import { nextTime } from './rhythm.ts'
import {
  ChangeSeries,
  type ChangeSeriesInput,
  CreateSeries,
  type CreateSeriesInput,
  ListSeries,
  type ListSeriesInput,
  rhythmOf,
  seriesProblems,
} from './series-request.ts'

/** The next issue of a series as it would be now. */
export interface SeriesPreview {
  /** With the items filled in. */
  readonly subject: string
  /** With the items filled in. */
  readonly body: string
  /** The items that it would have. */
  readonly items: readonly Omit<FeedItem, 'key'>[]
  /** Whether nothing is new, so that these are only the newest items, to look at. */
  readonly isSample: boolean
}

/** Series of campaigns: issues that are made again and again from a pattern, with what is new in a feed if there is one. */
export class AllSeries {
  constructor(
    private readonly store: Store,
    private readonly sender: WebhookSender,
    private readonly compiled: CompiledMails,
    private readonly kit: Pick<Kit, 'now' | 'newId'>,
  ) {}

  /** One page of series, newest first. */
  async list(project: Project, query: ListSeriesInput | UntrustedInput = {}): Promise<NumberedPage<Series>> {
    const { series } = this.store
    return numberedPage(
      { projectId: project.id, name: 'campaign-series' },
      parse(ListSeries, query),
      (page) => series.page(project.id, page),
      () => series.count(project.id),
    )
  }

  /** The series. Throws EngineError `RESOURCE_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Series> {
    return (isId(id) ? await this.store.series.find(project.id, id) : undefined) ?? missingSeries(id)
  }

  /**
   * Stores a new series and turns it on. Its feed is read at once: what is in it already will be in no issue. Throws
   * EngineError `VALIDATION_ERROR` (also for a feed that cannot be read), `CONFLICT` when there are too many,
   * `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateSeriesInput | UntrustedInput): Promise<Series> {
    requireEnabled(project)
    const asked = parse(CreateSeries, input, (given) => seriesProblems(given))
    const { feedUrl } = asked
    await this.#checkPattern(project, asked.campaignId, feedUrl != null, input)
    const now = this.kit.now()
    const rhythm = rhythmOf(asked.rhythm)
    const read = feedUrl == null ? undefined : await this.#readNew(feedUrl)
    const series: Series = {
      id: this.kit.newId(),
      projectId: project.id,
      ...made(Series, { ...asked, rhythm }),
      sends: asked.sends ?? false,
      ...(read && { feed: read.state }),
      nextAt: nextTime(rhythm, now),
      issues: 0,
      createdAt: now,
      updatedAt: now,
    }
    await this.store.transaction(async (tx) => {
      await holdPattern(tx, series)
      if ((await tx.series.count(project.id)) >= MAX_SERIES) {
        throw new EngineError('CONFLICT', `A project can have ${MAX_SERIES} series; this one has them.`, {
          suggestion: 'Delete one that is no longer used.',
        })
      }
      await tx.series.insert(series)
      await tx.series.remember(seenBefore(series, read?.feed, now))
    })
    return series
  }

  /**
   * Changes the given fields. Another feed is read at once: what is in it already will be in no issue. Throws as
   * `create` does, and `RESOURCE_NOT_FOUND`.
   */
  async change(project: Project, id: string, input: ChangeSeriesInput | UntrustedInput): Promise<Series> {
    requireEnabled(project)
    const known = await this.get(project, id)
    const wanted = parse(ChangeSeries, input, (given) => seriesProblems(given, known))
    const { campaignId, feedUrl } = wanted
    const willHaveFeed = feedUrl === undefined ? known.feedUrl !== undefined : feedUrl !== null
    if (campaignId !== undefined) await this.#checkPattern(project, campaignId, willHaveFeed, input)
    const isOther = feedUrl !== undefined && feedUrl !== null && feedUrl !== known.feedUrl
    const read = isOther ? await this.#readNew(feedUrl) : undefined
    const rhythm = wanted.rhythm && rhythmOf(wanted.rhythm)
    return this.#changed(project, id, async (before, now) => {
      const { feed, problem, ...others } = changed(Series, before, {
        ...wanted,
        rhythm,
        sends: wanted.sends ?? undefined,
      })
      const isSameFeed = others.feedUrl === before.feedUrl
      const series: Series = {
        ...others,
        ...(isSameFeed ? definedOnly({ feed }) : {}),
        // of another feed or campaign it says nothing
        ...(isSameFeed && others.campaignId === before.campaignId ? definedOnly({ problem }) : {}),
        ...(read && { feed: read.state }),
        ...(rhythm && before.nextAt ? { nextAt: nextTime(rhythm, now) } : {}),
      }
      const [problemNow] = seriesProblems({}, series)
      if (problemNow) throw refused([problemNow])
      return { series, seen: seenBefore(series, read?.feed, now) }
    })
  }

  /** Makes no issues until it is resumed. Throws EngineError `RESOURCE_NOT_FOUND`, `PROJECT_DISABLED`. */
  async pause(project: Project, id: string): Promise<Series> {
    requireEnabled(project)
    return this.#changed(project, id, async ({ nextAt, ...series }) => ({ series, seen: [] }))
  }

  /** Makes issues again, from the next time on. Throws EngineError `RESOURCE_NOT_FOUND`, `PROJECT_DISABLED`. */
  async resume(project: Project, id: string): Promise<Series> {
    requireEnabled(project)
    return this.#changed(project, id, async (series, now) => ({
      series: { ...series, nextAt: series.nextAt ?? nextTime(series.rhythm, now) },
      seen: [],
    }))
  }

  /** Leaves out the next issue; new items of a feed wait for the one after it. Throws EngineError `CONFLICT` while it is paused, `RESOURCE_NOT_FOUND`. */
  async skip(project: Project, id: string): Promise<Series> {
    requireEnabled(project)
    return this.#changed(project, id, async (series) => {
      const { nextAt } = series
      if (nextAt) return { series: { ...series, nextAt: nextTime(series.rhythm, nextAt) }, seen: [] }
      throw new EngineError('CONFLICT', `The series "${series.name}" is paused; it has no next issue to skip.`, {
        suggestion: 'Resume it first.',
      })
    })
  }

  /** Removes it. Its issues and its pattern stay. Throws EngineError `RESOURCE_NOT_FOUND`, `PROJECT_DISABLED`. */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    const removed = isId(id) && (await this.store.transaction((tx) => tx.series.remove(project.id, id)))
    if (!removed) missingSeries(id)
  }

  /**
   * Reads the feed and shows what the next issue would be; nothing is stored. Throws EngineError `RESOURCE_NOT_FOUND`,
   * `CAMPAIGN_NOT_FOUND`, `CONFLICT` when the feed cannot be read, `VALIDATION_ERROR`.
   */
  async preview(project: Project, id: string): Promise<SeriesPreview> {
    const series = await this.get(project, id)
    const pattern = await this.store.campaigns.find(project.id, series.campaignId)
    if (!pattern) throw new EngineError('CAMPAIGN_NOT_FOUND', `There is no campaign ${series.campaignId} any more.`)
    const { subject, body } = pattern
    if (series.feedUrl === undefined) return { subject, body, items: [], isSample: false }
    const fetched = await fetchFeed(this.sender, series.feedUrl, {}, AbortSignal.timeout(LONGEST_MS))
    if (fetched.outcome !== 'read') {
      const reason = fetched.outcome === 'broken' ? fetched.reason : 'its server says that nothing changed'
      throw new EngineError('CONFLICT', `The feed ${series.feedUrl} cannot be read: ${reason}.`)
    }
    const { title, items } = fetched.feed
    const seen = await this.store.series.seen(
      series.id,
      items.map(({ key }) => key),
    )
    const fresh = items.filter(({ key }) => !seen.has(key)).slice(-MAX_PER_ISSUE)
    const shown = fresh.length > 0 ? fresh : items.slice(0, FIRST_ITEMS)
    const texts = await filledTexts(this.compiled, pattern, { title, items: shown })
    return { ...texts, items: shown.map(({ key: _, ...item }) => item), isSample: fresh.length === 0 }
  }

  /** Changes the series, locked, and answers it. */
  #changed(
    project: Project,
    id: string,
    change: (before: Series, now: Date) => Promise<{ readonly series: Series; readonly seen: readonly SeenItem[] }>,
  ): Promise<Series> {
    return this.store.transaction(async (tx) => {
      const before = (isId(id) ? await tx.series.lock(project.id, id) : undefined) ?? missingSeries(id)
      const now = this.kit.now()
      const { series, seen } = await change(before, now)
      const after = { ...series, updatedAt: now }
      if (series.campaignId !== before.campaignId) await holdPattern(tx, series)
      await tx.series.update(after)
      await tx.series.remember(seen)
      return after
    })
  }

  async #checkPattern(project: Project, id: string, hasFeed: boolean, input: Untrusted): Promise<Campaign> {
    const pattern = isId(id) ? await this.store.campaigns.find(project.id, id) : undefined
    if (!pattern) throw noPattern()
    if (!hasFeed) return pattern
    const [mixed] = mixedPlaces(pattern)
    if (mixed !== undefined) throw refused([{ field: 'campaignId', code: 'custom', message: mixedMessage(mixed) }])
    if (!usesItems(pattern)) {
      const message = 'shows no items of the feed: write {% for item in items %} … {% endfor %} into its body'
      noteWarning(input, { field: 'campaignId', message })
    }
    return pattern
  }

  /** Reads a feed for the first time. */
  async #readNew(url: string): Promise<{ readonly feed: Feed; readonly state: FeedState }> {
    const forbidden = this.sender.refusal?.(url)
    if (forbidden !== undefined) throw refused([{ field: 'feedUrl', code: 'custom', message: forbidden }])
    const fetched = await fetchFeed(this.sender, url, {}, AbortSignal.timeout(LONGEST_MS))
    if (fetched.outcome !== 'read') {
      const reason = fetched.outcome === 'broken' ? fetched.reason : 'its server says that nothing changed'
      throw refused([{ field: 'feedUrl', code: 'custom', message: `cannot be read: ${reason}` }])
    }
    const at = this.kit.now().toISOString()
    const { feed, etag, lastModified } = fetched
    return { feed, state: { title: feed.title, readAt: at, askedAt: at, ...definedOnly({ etag, lastModified }) } }
  }
}

/** How long a caller waits for a feed. */
const LONGEST_MS = 20_000

/** The items that were in the feed before the series, and so are in no issue. */
function seenBefore({ id, projectId }: Series, feed: Feed | undefined, seenAt: Date): readonly SeenItem[] {
  return (feed?.items ?? []).map(({ key }) => ({ seriesId: id, projectId, key, seenAt }))
}

function missingSeries(id: string): never {
  throw new EngineError('RESOURCE_NOT_FOUND', `There is no campaign series ${shownId(id)}.`)
}

/** Keeps the campaign from being deleted until the series is stored. */
async function holdPattern(tx: Repositories, { projectId, campaignId }: Series): Promise<void> {
  if (!(await tx.campaigns.lock(projectId, campaignId))) throw noPattern()
}

function noPattern(): EngineError {
  return refused([{ field: 'campaignId', code: 'custom', message: 'names no campaign of this project' }])
}
