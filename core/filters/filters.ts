import { inject, injectable } from '../di.ts'
import { type FieldProblem, invalidField } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { Audience } from '../ports/store/audiences.ts'
import type { Filter, FilterCondition } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Segment } from '../ports/store/segments.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Topic } from '../ports/store/topics.ts'
import { isId } from '../values/id.ts'
import type { Untrusted } from '../values/json.ts'
import { noteWarning, refused } from '../values/parse.ts'
import { mentionsOf } from './mentions.ts'
import { type PlacedFilter, readPlaced } from './read-filter.ts'
import { type Asked, NOBODY, resolve, topicAudience } from './resolve.ts'
import { MAX_NESTING, subjectOf } from './subject.ts'
import { unknownFields } from './unknown-fields.ts'
import { type WorkflowTest, workflowTest } from './workflow-filter.ts'

/** How a filter is read. */
interface ReadOptions {
  /** The segment it belongs to, which it must not lead back to. */
  readonly self?: string | undefined
  /** The input that is warned, and its place in the request: the filter itself, or what it is part of. */
  readonly told?: { readonly input: Untrusted; readonly place: string } | undefined
  /** It was stored, maybe before empty values were refused. */
  readonly isStored?: boolean
}

/** Reads filters and compiles them into audiences. */
@injectable()
export class Filters {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Pick<Kit, 'now'>,
  ) {}

  /**
   * Reads a filter in our form (`{operator, conditions}`) or Plunk's; `field` is its place in the request, for errors such
   * as `filters.conditions.1.operator`. The input is warned of fields that no contact has. Throws EngineError
   * `VALIDATION_ERROR`, also for a segment or a campaign that does not exist.
   */
  async read(
    project: Project,
    input: Untrusted,
    field: string,
    { self, told, isStored = false }: ReadOptions = {},
  ): Promise<Filter> {
    const read = readPlaced(input, field, { isStored })
    await this.check(project, read, field, { self, told: told ?? { input, place: field } })
    return read.filter
  }

  /**
   * Compiles a workflow's filter as of `now`, to be checked with `isMet`. `reads` are those of the transaction. Throws as
   * `audience` does.
   */
  inWorkflow(project: Project, filter: Filter, now: Date, reads: Repositories): Promise<WorkflowTest> {
    return workflowTest(filter, (condition) =>
      this.audience(project, { operator: 'AND', conditions: [condition] }, now, reads),
    )
  }

  /** Checks what a filter that was read names. Throws and warns as `read` does. */
  async check(project: Project, read: PlacedFilter, field: string, { self, told }: ReadOptions): Promise<void> {
    await this.#checkSegments(project, read, field, self)
    await this.#checkCampaigns(project, read)
    await this.#checkTopics(project, read)
    await this.#checkSaidDates(project, read)
    if (told === undefined) return
    for (const { field: place, message } of await unknownFields(this.store.contactFields, project.id, read.fields)) {
      noteWarning(told.input, { field: told.place === '' ? place : place.slice(told.place.length + 1), message })
    }
  }

  async #checkSegments(project: Project, read: PlacedFilter, field: string, self: string | undefined): Promise<void> {
    if (read.segments.length === 0) return
    const segments = this.#segmentsOf(project)
    const problems: FieldProblem[] = []
    for (const { id, place } of read.segments) {
      const message = await refusal(segments, id, self)
      if (message !== undefined) problems.push({ field: place, code: 'custom', message })
    }
    if (problems.length > 0) throw refused(problems)
    const asked = askedAt(project, this.kit.now())
    await new Expansion(segments, topicsOf(this.store, project), asked, field).filter(read.filter, [])
  }

  async #checkCampaigns(project: Project, { campaigns }: PlacedFilter): Promise<void> {
    const problems: FieldProblem[] = []
    for (const { id, place } of campaigns) {
      if (await this.store.campaigns.find(project.id, id)) continue
      problems.push({ field: place, code: 'custom', message: 'names no campaign of this project' })
    }
    if (problems.length > 0) throw refused(problems)
  }

  /** A text such as "today" may be what a field holds, but not where contacts have dates. */
  async #checkSaidDates(project: Project, { saidDates }: PlacedFilter): Promise<void> {
    const problems: FieldProblem[] = []
    for (const { paths, place, refusal } of saidDates) {
      const [key = ''] = paths[0] ?? []
      const kinds = await this.store.contactFields.find(project.id, key)
      if (kinds?.date) problems.push({ field: place, code: 'invalid_date', message: refusal })
    }
    if (problems.length > 0) throw refused(problems)
  }

  async #checkTopics(project: Project, { topics }: PlacedFilter): Promise<void> {
    const find = topicsOf(this.store, project)
    const problems: FieldProblem[] = []
    for (const { id, place } of topics) {
      if (await find(id)) continue
      const message = `names no topic of this project; the data of contacts is data.topic.${id.slice(0, 100)}`
      problems.push({ field: place, code: 'custom', message })
    }
    if (problems.length > 0) throw refused(problems)
  }

  /**
   * Compiles the filter, with time spans counted from `now` and its segments expanded. A condition on a segment that is
   * gone or leads back to itself, and on a topic that is gone, matches no contact. Throws EngineError
   * `VALIDATION_ERROR` when the filter with its segments has more than MAX_EXPANDED conditions.
   */
  async audience(
    project: Project,
    filter: Filter,
    now: Date = this.kit.now(),
    reads: Repositories = this.store,
  ): Promise<Audience> {
    const [segments, topics] = [this.#segmentsOf(project, reads), topicsOf(reads, project)]
    return new Expansion(segments, topics, askedAt(project, now), 'filter').filter(filter, [])
  }

  /** Finds segments, each at most once. */
  #segmentsOf(project: Project, reads: Repositories = this.store): SegmentsById {
    const found = new Map<string, Promise<Segment | undefined>>()
    return async (id) => {
      if (!isId(id)) return undefined
      const known = found.get(id) ?? reads.segments.find(project.id, id)
      found.set(id, known)
      return known
    }
  }
}

function askedAt({ timeZone = 'UTC' }: Project, now: Date): Asked {
  return { now, zone: timeZone }
}

/** How many conditions a filter may have with its segments expanded; databases limit a statement's depth. */
const MAX_EXPANDED = 500

type TopicsByName = (name: string) => Promise<Topic | undefined>

/** Finds topics by slug or id, each at most once. */
function topicsOf({ topics }: Pick<Repositories, 'topics'>, { id: projectId }: Project): TopicsByName {
  const found = new Map<string, Promise<Topic | undefined>>()
  return (name) => {
    const known = found.get(name) ?? (isId(name) ? topics.find(projectId, name) : topics.named(projectId, name))
    found.set(name, known)
    return known
  }
}

type SegmentsById = (id: string) => Promise<Segment | undefined>

/** Why the filter of `self` may not name this segment. */
async function refusal(segments: SegmentsById, id: string, self: string | undefined): Promise<string | undefined> {
  if (self !== undefined && id === self) return 'must not name the segment itself'
  if ((await segments(id)) === undefined) return 'names no segment of this project'
  if (self !== undefined && (await leadsTo(segments, id, self))) return 'names a segment that leads back to this one'
  return undefined
}

/** Whether the segment's filter names the other one, directly or through the segments it names. */
async function leadsTo(segments: SegmentsById, id: string, target: string): Promise<boolean> {
  const seen = new Set<string>()
  for (let ids = [id]; ids.length > 0; ) {
    const next = new Set<string>()
    for (const each of ids) {
      seen.add(each)
      const filter = (await segments(each))?.filter
      for (const mentioned of filter ? mentionsOf(filter).segments : []) {
        if (mentioned === target) return true
        if (!seen.has(mentioned)) next.add(mentioned)
      }
    }
    ids = [...next]
  }
  return false
}

/** Expands one filter; stored filters may refer to anything, also in circles. */
class Expansion {
  readonly #segments: SegmentsById
  readonly #topics: TopicsByName
  readonly #asked: Asked
  readonly #place: string
  #conditions = 0

  constructor(segments: SegmentsById, topics: TopicsByName, asked: Asked, place: string) {
    this.#segments = segments
    this.#topics = topics
    this.#asked = asked
    this.#place = place
  }

  /** `within` are the segments this filter is nested in. */
  async filter(filter: Filter, within: readonly string[], depth = 1): Promise<Audience> {
    if (depth > MAX_NESTING) return NOBODY
    const of: Audience[] = []
    for (const each of filter.conditions) {
      of.push('conditions' in each ? await this.filter(each, within, depth + 1) : await this.#condition(each, within))
    }
    return { kind: filter.operator === 'OR' ? 'any' : 'all', of }
  }

  async #condition(condition: FilterCondition, within: readonly string[]): Promise<Audience> {
    this.#conditions++
    if (this.#conditions > MAX_EXPANDED) {
      const message = `must not have more than ${MAX_EXPANDED} conditions, those of the segments it leads to included`
      throw invalidField(this.#place, 'too_big', message)
    }
    const subject = subjectOf(condition.field)
    if (subject === undefined) return NOBODY
    if (subject.kind === 'topic') {
      const topic = await this.#topics(subject.name)
      return topic ? topicAudience(condition, topic) : NOBODY
    }
    if (subject.kind !== 'segment') return resolve(condition, subject, this.#asked)
    const members = within.includes(subject.id) ? undefined : await this.#members(subject.id, within)
    if (members === undefined) return NOBODY
    return condition.operator === 'notMemberOfSegment' ? { kind: 'not', of: members } : members
  }

  async #members(id: string, within: readonly string[]): Promise<Audience | undefined> {
    const segment = await this.#segments(id)
    if (segment?.type === 'STATIC') return { kind: 'member', segmentId: id }
    return segment?.filter && this.filter(segment.filter, [...within, id])
  }
}
