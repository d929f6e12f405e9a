import type { Filters } from '../filters/filters.ts'
import { topicAudience } from '../filters/resolve.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { AudienceMember } from '../ports/store/campaign-mails.ts'
import type { Campaign, FanOut } from '../ports/store/campaigns.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { missingSegment } from '../segments/segment.ts'
import { fieldOfContact } from '../values/fields-of-contact.ts'
import { isJsonObject, type Json } from '../values/json.ts'
import { leftOut, underTopic } from './left-out.ts'

const EVERYBODY: Audience = { kind: 'all', of: [] }

/**
 * The campaign's audience, with time spans counted from `now` and segments as they are now; unsubscribed and suppressed
 * contacts included. Throws EngineError `SEGMENT_NOT_FOUND`, `VALIDATION_ERROR` when the filter became too large.
 */
export async function campaignAudience(
  store: Store,
  filters: Filters,
  project: Project,
  { audienceType, segmentId = '', audienceFilter }: Campaign,
  now: Date,
): Promise<Audience> {
  if (audienceType === 'ALL') return EVERYBODY
  if (audienceType === 'FILTERED') return audienceFilter ? filters.audience(project, audienceFilter, now) : EVERYBODY
  const segment = (await store.segments.find(project.id, segmentId)) ?? missingSegment(segmentId)
  return segment.filter ? filters.audience(project, segment.filter, now) : { kind: 'member', segmentId }
}

/**
 * The audience as plain JSON, so that later changes of segments and filters do not affect it. A test of a field is named
 * after the field, as in all versions: during an upgrade one version may store what another reads.
 */
export function frozenAudience(audience: Audience): Json {
  const name = (_key: string, value: unknown) => {
    if (!isJsonObject(value) || typeof value.field !== 'string' || value.kind === 'moment') return value
    const { field, ...test } = value
    return { ...test, kind: field }
  }
  return JSON.parse(JSON.stringify(audience, name))
}

/** Reads what `frozenAudience` wrote. Throws TypeError for a test that this version does not know. */
export function thawedAudience({ audience }: FanOut): Audience {
  if (audience === undefined) return EVERYBODY
  const revive = (key: string, value: unknown) => {
    // only the bounds of spans have these names, and only they are dates
    if ((key === 'from' || key === 'before') && typeof value === 'string') return new Date(value)
    if (!isJsonObject(value) || typeof value.kind !== 'string') return value
    const field = fieldOfContact(value.kind)
    // a store would leave out what it does not know, and a test left out lets everybody in
    if (!field && !KINDS.has(value.kind)) throw new TypeError(`a stored audience has a test of "${value.kind}"`)
    return { ...value, ...field }
  }
  return JSON.parse(JSON.stringify(audience), revive)
}

/** The tests that are not named after a field. */
const KINDS: ReadonlySet<string> = new Set([
  'all',
  'any',
  'not',
  'moment',
  'data',
  'event',
  'member',
  'campaign',
  'topic',
])

/** The first member of the audience who would get the mail; undefined when there is none. */
export async function firstRecipient(
  store: Store,
  project: Project,
  audience: Audience,
  campaign: Campaign,
  now: Date,
): Promise<AudienceMember | undefined> {
  const topic = campaign.topicId === undefined ? undefined : await store.topics.find(project.id, campaign.topicId)
  const gets = topic ? [topicAudience({ operator: 'equals', value: true }, topic)] : []
  const subscribed: Audience = {
    kind: 'all',
    of: [audience, { kind: 'flag', field: 'subscribed', is: true }, ...gets],
  }
  const upTo = await newestContact(store, project)
  // the first page nearly always has one; filtering for subscribed contacts can be slow
  let wanted = audience
  for (let after = ''; ; wanted = subscribed) {
    const page = await store.campaignMails.audiencePage(project.id, wanted, {
      after,
      upTo,
      limit: PAGE,
      now,
      ...underTopic(campaign),
    })
    const first = page.find((member) => leftOut(member) === undefined)
    const last = page.at(-1)
    if (first !== undefined || last === undefined || page.length < PAGE) return first
    after = last.id
  }
}

/** The highest contact id of the project; empty when it has no contacts. */
export async function newestContact(store: Store, project: Project): Promise<string> {
  const [newest] = await store.contacts.page(project.id, {}, { sort: 'createdAt', dir: 'desc' }, { limit: 1 })
  return newest?.id ?? ''
}

const PAGE = 100
