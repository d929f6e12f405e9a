import type { FieldCode, FieldProblem } from '../errors.ts'
import { type FilterCondition, type FilterValue, UNITS } from '../ports/store/filters.ts'
import { choicesOf, type FieldOf } from '../values/fields-of-contact.ts'
import { instantOf } from '../values/iso-date.ts'
import { isStorableText, type JsonObject, type Untrusted } from '../values/json.ts'
import { OPERATORS, type Takes, takenBy } from './operators.ts'
import { relativeDate } from './relative-dates.ts'
import { type Subject, type SubjectAt, subjectOf } from './subject.ts'

/** Reports a problem with its place in the request. */
export type ReportProblem = (field: string, code: FieldCode, message: string) => void

/** A reporter that adds to the list, up to MAX_PROBLEMS. */
export function reportInto(problems: FieldProblem[]): ReportProblem {
  return (field, code, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ field, code, message })
  }
}

const MAX_PROBLEMS = 100

/**
 * Reads one condition; what its operator does not need is dropped. Reports every problem, with `place` before it, and
 * then answers undefined.
 */
export function readCondition(
  input: JsonObject,
  place: string,
  report: ReportProblem,
  subjectAt: SubjectAt = subjectOf,
): FilterCondition | undefined {
  const asked = typeof input.operator === 'string' ? input.operator : ''
  const subject = readField(input.field, `${place}.field`, report, (field) => subjectAt(field, asked), asked)
  const operator = readOperator(input.operator, `${place}.operator`, subject, report)
  if (subject === undefined || operator === undefined || typeof input.field !== 'string') return undefined
  const takes = takenBy(subject.kind, operator) ?? 'nothing'
  let isValid = true
  const noteProblem: ReportProblem = (...said) => {
    isValid = false
    report(...said)
  }
  const value = readValue(takes, input.value, `${place}.value`, noteProblem, subject)
  if (takes === 'days') refuseOtherUnits(input.unit, `${place}.unit`, noteProblem)
  const unit = takes === 'span' ? readUnit(input.unit, `${place}.unit`, noteProblem) : undefined
  const count = subject.kind === 'event' ? readCount(input.count, `${place}.count`, noteProblem) : undefined
  if (!isValid) return undefined
  // what its operator takes was read above
  return {
    field: input.field,
    operator,
    ...(value !== undefined && { value }),
    ...(unit && { unit }),
    ...(count !== undefined && { count }),
  } as FilterCondition
}

/** The longest field, and the longest text of a value, in UTF-16 units: every contact is compared with each. */
const MAX_FIELD = 1000
const MAX_TEXT = 1000

/** The longest link, as in the list of a campaign's mails; contacts are only compared with its digest. */
const MAX_LINK = 2000

/** How many values `in` takes. */
const MAX_VALUES = 500

/** The highest number of events `count` may ask for. */
const MAX_COUNT = 1_000_000

/** The most days ahead that a day of the year may be: from there on it is every day. */
export const DAYS_OF_YEAR = 365

/** The longest span of time, in its unit. */
const MAX_SPAN = 1_000_000_000

function readField(
  input: Untrusted,
  place: string,
  report: ReportProblem,
  subjectOfField: (field: string) => Subject | undefined,
  operator: string,
): Subject | undefined {
  if (input === '') {
    report(place, 'required', 'is required')
    return undefined
  }
  if (!isText(input, place, MAX_FIELD, report)) return undefined
  const subject = subjectOfField(input)
  if (subject === undefined) report(place, 'invalid_enum_value', 'is not a field that contacts can be filtered by')
  // without an id it is a field of the data, which what people did with a campaign is no question for
  const isCampaign = input.startsWith('campaign.') && Object.hasOwn(OPERATORS.campaign, operator)
  if (!isCampaign || subject?.kind !== 'data') return subject
  report(place, 'invalid_enum_value', 'must be "campaign." and the id of a campaign for this operator')
  return undefined
}

function readOperator(
  input: Untrusted,
  place: string,
  subject: Subject | undefined,
  report: ReportProblem,
): string | undefined {
  if (!isText(input, place, MAX_FIELD, report)) return undefined
  if (subject === undefined || takenBy(subject.kind, input) !== undefined) return input
  report(
    place,
    'invalid_enum_value',
    `must be one of ${Object.keys(OPERATORS[subject.kind]).join(', ')} for this field`,
  )
  return undefined
}

function readUnit(input: Untrusted, place: string, report: ReportProblem) {
  if (isMissing(input)) report(place, 'required', 'is required')
  else if (!UNITS.some((unit) => unit === input)) {
    report(place, 'invalid_enum_value', `must be one of ${UNITS.join(', ')}`)
  }
  return UNITS.find((unit) => unit === input)
}

function refuseOtherUnits(input: Untrusted, place: string, report: ReportProblem): void {
  if (!isMissing(input) && input !== 'days') report(place, 'invalid_enum_value', 'must be days, or left out')
}

function readCount(input: Untrusted, place: string, report: ReportProblem): number | undefined {
  if (isMissing(input)) return undefined
  if (typeof input !== 'number' || !Number.isInteger(input)) report(place, 'invalid_type', 'must be a whole number')
  else if (input < 1) report(place, 'too_small', 'must be at least 1')
  else if (input > MAX_COUNT) report(place, 'too_big', `must be at most ${MAX_COUNT}`)
  else return input
  return undefined
}

function readValue(
  takes: Takes,
  input: Untrusted,
  place: string,
  report: ReportProblem,
  subject: Subject,
): FilterValue | undefined {
  if (takes === 'nothing') return undefined
  if (isMissing(input)) {
    report(place, 'required', 'is required')
    return undefined
  }
  switch (takes) {
    case 'text':
      return isText(input, place, MAX_TEXT, report) ? input : undefined
    case 'part':
      if (!isText(input, place, MAX_TEXT, report)) return undefined
      if (input === '') report(place, 'too_small', 'must have at least 1 character')
      return input
    case 'link':
      if (!isText(input, place, MAX_LINK, report)) return undefined
      if (input === '') report(place, 'too_small', 'must have at least 1 character')
      return input
    case 'texts':
    case 'values':
      return readValues(takes, input, place, report)
    case 'date':
      if (typeof input === 'string' && !isText(input, place, MAX_TEXT, report)) return undefined
      if (typeof input === 'string' && instantOf(input) !== undefined) return input
      report(
        place,
        typeof input === 'string' ? 'invalid_date' : 'invalid_type',
        (typeof input === 'string' && relativeDate(input)) || 'must be an ISO 8601 date such as 2026-01-31',
      )
      return undefined
    case 'span':
      return readSpan(input, place, report)
    case 'days':
      return readDays(input, place, report)
    case 'boolean':
      if (typeof input === 'boolean') return input
      report(place, 'invalid_type', 'must be true or false')
      return undefined
    case 'choice':
      if (!isText(input, place, MAX_TEXT, report)) return undefined
      return subject.kind === 'choice' ? readChoice(subject.field, input, place, report) : undefined
    case 'number':
      if (typeof input === 'number' && Number.isFinite(input)) return input
      report(place, 'invalid_type', 'must be a number')
      return undefined
    case 'comparable':
      return readComparable(input, place, report)
    case 'value':
      return readScalar(input, place, 'a text, a number, true or false', report)
  }
}

function readChoice(field: FieldOf<'choice'>, input: string, place: string, report: ReportProblem) {
  const choices = choicesOf(field)
  if (choices.includes(input)) return input
  report(place, 'invalid_enum_value', `must be one of ${choices.join(', ')}; a field of the data is data.${field}`)
  return undefined
}

function readValues(
  takes: 'texts' | 'values',
  input: Untrusted,
  place: string,
  report: ReportProblem,
): FilterValue | undefined {
  if (!Array.isArray(input)) report(place, 'invalid_type', 'must be an array')
  else if (input.length === 0) report(place, 'too_small', 'must have at least 1 value')
  else if (input.length > MAX_VALUES) report(place, 'too_big', `must have at most ${MAX_VALUES} values`)
  else {
    return input.flatMap((value, i) => {
      const at = `${place}.${i}`
      const read =
        takes === 'values'
          ? readScalar(value, at, 'a text, a number, true or false', report)
          : isText(value, at, MAX_TEXT, report)
            ? value
            : undefined
      return read === undefined ? [] : [read]
    })
  }
  return undefined
}

function readScalar(
  input: Untrusted,
  place: string,
  kinds: string,
  report: ReportProblem,
): string | number | boolean | undefined {
  if (typeof input === 'string') return isText(input, place, MAX_TEXT, report) ? input : undefined
  if (typeof input === 'boolean' || (typeof input === 'number' && Number.isFinite(input))) return input
  report(place, 'invalid_type', `must be ${kinds}`)
  return undefined
}

function readComparable(input: Untrusted, place: string, report: ReportProblem) {
  const refusal = typeof input === 'string' ? relativeDate(input) : undefined
  if (refusal !== undefined) report(place, 'invalid_date', refusal)
  else if (typeof input === 'boolean') report(place, 'invalid_type', 'must be a text or a number')
  else return readScalar(input, place, 'a text or a number', report)
  return undefined
}

function readDays(input: Untrusted, place: string, report: ReportProblem): number | undefined {
  if (typeof input !== 'number' || !Number.isInteger(input)) {
    report(place, 'invalid_type', 'must be a whole number of days: 0 is today')
  } else if (input < 0) report(place, 'too_small', 'must be at least 0, which is today')
  else if (input > DAYS_OF_YEAR) report(place, 'too_big', `must be at most ${DAYS_OF_YEAR}`)
  else return input
  return undefined
}

function readSpan(input: Untrusted, place: string, report: ReportProblem): number | undefined {
  if (typeof input !== 'number' || Number.isNaN(input)) {
    report(place, 'invalid_type', 'must be a number such as 7, with the unit beside it, such as "unit": "days"')
  } else if (input <= 0) report(place, 'too_small', 'must be more than 0')
  else if (input > MAX_SPAN) report(place, 'too_big', `must be at most ${MAX_SPAN}`)
  else return input
  return undefined
}

function isText(input: Untrusted, place: string, max: number, report: ReportProblem): input is string {
  if (isMissing(input)) report(place, 'required', 'is required')
  else if (typeof input !== 'string') report(place, 'invalid_type', 'must be a text')
  else if (input.length > max) report(place, 'too_big', `must have at most ${max} characters`)
  else if (!isStorableText(input)) report(place, 'invalid_string', 'must not contain NUL or unpaired surrogates')
  else return true
  return false
}

function isMissing(input: Untrusted): input is undefined | null {
  return input === undefined || input === null
}
