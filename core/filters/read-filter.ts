import { EngineError, type FieldProblem } from '../errors.ts'
import type { AnyCondition, Filter, FilterCondition } from '../ports/store/filters.ts'
import { isJsonObject, type JsonObject, type Untrusted } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import { type ReportProblem, readCondition, reportInto } from './read-condition.ts'
import { relativeDate } from './relative-dates.ts'
import { type DataPaths, MAX_NESTING, type SubjectAt, subjectOf } from './subject.ts'

/** How many conditions a filter may have, including those of nested filters. */
const MAX_CONDITIONS = 50

/**
 * Reads a filter in our form, `{operator, conditions}`. Plunk's form, `{logic, groups: [{filters, conditions?}]}`, is
 * converted: the filters of a group and its nested form must all hold, the groups are joined by the
 * logic. Fields stay as they were written, bare keys too. `field` is the filter's place in the request. Throws
 * EngineError `VALIDATION_ERROR` with all problems.
 */
export function readFilter(input: Untrusted, field: string): Filter {
  return readPlaced(input, field).filter
}

/** A segment, a campaign or a topic that a filter names, and its place in the request. */
interface NamedThing {
  readonly id: string
  readonly place: string
}

/** A field of contacts' data that a filter names, and its place in the request. */
export interface NamedField {
  readonly paths: DataPaths
  readonly place: string
}

/** A value that is a time said from now on, such as `today`, asked of a field of contacts' data that may hold it as a text. */
interface SaidDate extends NamedField {
  readonly refusal: string
}

/** A filter that was read, with the segments, campaigns, topics and fields it names. */
export interface PlacedFilter {
  readonly filter: Filter
  readonly segments: readonly NamedThing[]
  readonly campaigns: readonly NamedThing[]
  /** By slug or id. */
  readonly topics: readonly NamedThing[]
  readonly fields: readonly NamedField[]
  readonly saidDates: readonly SaidDate[]
}

/** How a filter is read. */
interface ReadingOptions {
  readonly subjectAt?: SubjectAt
  /** The input is a condition, read as a filter of one. */
  readonly isSingle?: boolean
  /** The input is what was stored, maybe before empty values were refused. */
  readonly isStored?: boolean
}

/** As `readFilter`, with what is named. */
export function readPlaced(
  input: Untrusted,
  field: string,
  { subjectAt = subjectOf, isSingle = false, isStored = false }: ReadingOptions = {},
): PlacedFilter {
  const problems: FieldProblem[] = []
  const reading = new Reading(reportInto(problems), subjectAt, isStored)
  const filter = isSingle ? reading.single(input, field) : reading.filter(input, field, 1)
  if (filter === undefined || problems.length > 0) throw refused(problems)
  const { segments, campaigns, topics, fields, saidDates } = reading
  return { filter, segments, campaigns, topics, fields, saidDates }
}

/** Every problem that the filter shows by itself; none for an absent filter. */
export function filterProblems(input: Untrusted, field: string): readonly FieldProblem[] {
  if (input === undefined || input === null) return []
  try {
    readFilter(input, field)
    return []
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return error.fields
  }
}

/** Operators that take any text. */
const COMPARE_WHOLE: ReadonlySet<string> = new Set(['equals', 'notEquals', 'in', 'notIn'])

type Part = FilterCondition | Filter

class Reading {
  readonly segments: NamedThing[] = []
  readonly campaigns: NamedThing[] = []
  readonly topics: NamedThing[] = []
  readonly fields: NamedField[] = []
  readonly saidDates: SaidDate[] = []
  readonly #report: ReportProblem
  readonly #subjectAt: SubjectAt
  readonly #isStored: boolean
  #conditions = 0

  constructor(say: ReportProblem, subjectAt: SubjectAt, isStored: boolean) {
    this.#report = say
    this.#subjectAt = subjectAt
    this.#isStored = isStored
  }

  single(input: Untrusted, place: string): Filter | undefined {
    const condition = this.#condition(input, place)
    return condition && { operator: 'AND', conditions: [condition] }
  }

  filter(input: Untrusted, place: string, depth: number): Filter | undefined {
    if (input === undefined || input === null) this.#report(place, 'required', 'is required')
    else if (!isJsonObject(input)) this.#report(place, 'invalid_type', 'must be an object')
    else if (depth > MAX_NESTING) {
      this.#report(place, 'too_big', `must not be nested deeper than ${MAX_NESTING} levels`)
    } else if (isPlunks(input)) return this.#plunks(input, place, depth)
    else {
      const operator = this.#joined(input.operator, `${place}.operator`)
      const conditions = this.#list(input.conditions, `${place}.conditions`, (each, at) => this.#part(each, at, depth))
      return operator && conditions && { operator, conditions }
    }
    return undefined
  }

  /** A group with several parts, beside other groups, becomes a nested filter. */
  #plunks(input: JsonObject, place: string, depth: number): Filter | undefined {
    const logic = this.#joined(input.logic, `${place}.logic`)
    const alone = Array.isArray(input.groups) && input.groups.length === 1
    const groups = this.#list(input.groups, `${place}.groups`, (each, at) => this.#group(each, at, depth, alone))
    if (logic === undefined || groups === undefined) return undefined
    const [only] = groups
    if (alone && only) return only
    return { operator: logic, conditions: groups.map(unwrapped) }
  }

  #group(input: Untrusted, place: string, depth: number, alone: boolean): Filter | undefined {
    if (!isJsonObject(input)) {
      this.#report(place, 'invalid_type', 'must be an object')
      return undefined
    }
    const nested = input.conditions ?? undefined
    const bare = nested !== undefined && Array.isArray(input.filters) && input.filters.length === 0
    const filters = bare ? [] : this.#list(input.filters, `${place}.filters`, (each, at) => this.#condition(each, at))
    const size = (filters?.length ?? 0) + (nested === undefined ? 0 : 1)
    const inside = alone || size === 1 ? depth : depth + 1
    if (inside > MAX_NESTING) {
      this.#report(place, 'too_big', `must not be nested deeper than ${MAX_NESTING} levels`)
      return undefined
    }
    const inner = nested === undefined ? undefined : this.filter(nested, `${place}.conditions`, inside + 1)
    return filters && { operator: 'AND', conditions: inner ? [...filters, inner] : filters }
  }

  #part(input: Untrusted, place: string, depth: number): Part | undefined {
    const isFilter = isJsonObject(input) && ('conditions' in input || isPlunks(input))
    return isFilter ? this.filter(input, place, depth + 1) : this.#condition(input, place)
  }

  #condition(input: Untrusted, place: string): FilterCondition | undefined {
    this.#conditions++
    if (this.#conditions === MAX_CONDITIONS + 1) {
      this.#report(place, 'too_big', `must not be more than ${MAX_CONDITIONS} conditions in all`)
    }
    if (this.#conditions > MAX_CONDITIONS) return undefined
    if (!isJsonObject(input)) {
      this.#report(place, 'invalid_type', 'must be an object')
      return undefined
    }
    const condition = readCondition(input, place, this.#report, this.#subjectAt)
    if (condition && !this.#isStored) this.#refuseEmpty(condition, `${place}.value`)
    const subject = condition && this.#subjectAt(condition.field, condition.operator)
    if (subject?.kind === 'segment') this.segments.push({ id: subject.id, place: `${place}.field` })
    if (subject?.kind === 'topic') this.topics.push({ id: subject.name, place: `${place}.field` })
    if (subject?.kind === 'campaign') this.campaigns.push({ id: subject.id, place: `${place}.field` })
    if (condition && subject?.kind === 'data' && !subject.isElsewhere) {
      this.fields.push({ paths: subject.paths, place: `${place}.field` })
      this.#noteSaidDates(condition, subject.paths, `${place}.value`)
    }
    return condition
  }

  /** An empty text was forgotten: contacts whose value is empty are those without one, whom `notExists` finds. */
  #refuseEmpty({ field, operator, value }: AnyCondition, place: string): void {
    const values = Array.isArray(value) ? value : [value]
    values.forEach((each, i) => {
      if (typeof each !== 'string' || each.trim() !== '') return
      const at = Array.isArray(value) ? `${place}.${i}` : place
      const instead = operator === 'notEquals' || operator === 'notIn' ? 'exists' : 'notExists'
      this.#report(at, 'too_small', `must have at least 1 character; ${instead} asks whether ${field} has a value`)
    })
  }

  #noteSaidDates({ operator, value }: AnyCondition, paths: DataPaths, place: string): void {
    if (!COMPARE_WHOLE.has(operator)) return
    const values = Array.isArray(value) ? value : [value]
    values.forEach((each, i) => {
      const refusal = typeof each === 'string' ? relativeDate(each) : undefined
      const at = Array.isArray(value) ? `${place}.${i}` : place
      if (refusal !== undefined) this.saidDates.push({ paths, place: at, refusal })
    })
  }

  #joined(input: Untrusted, place: string): Filter['operator'] | undefined {
    if (input === 'AND' || input === 'OR') return input
    if (input === undefined || input === null) this.#report(place, 'required', 'is required')
    else this.#report(place, 'invalid_enum_value', 'must be AND or OR')
    return undefined
  }

  /** The valid items of a list that must not be empty. */
  #list<T>(input: Untrusted, place: string, read: (each: Untrusted, place: string) => T | undefined): T[] | undefined {
    if (input === undefined || input === null) this.#report(place, 'required', 'is required')
    else if (!Array.isArray(input)) this.#report(place, 'invalid_type', 'must be an array')
    else if (input.length === 0) this.#report(place, 'too_small', 'must have at least 1 item')
    else if (input.length > MAX_CONDITIONS) this.#report(place, 'too_big', `must have at most ${MAX_CONDITIONS} items`)
    else return input.map((each, i) => read(each, `${place}.${i}`)).filter((each) => each !== undefined)
    return undefined
  }
}

/** Whether a filter is in Plunk's form. */
export function isPlunks(input: JsonObject): boolean {
  return !('conditions' in input) && ('groups' in input || 'logic' in input)
}

function unwrapped(group: Filter): Part {
  const [only, ...more] = group.conditions
  return only && more.length === 0 ? only : group
}
