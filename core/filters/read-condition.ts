import type { FieldCode, FieldProblem } from '../errors.ts'
import { type FilterCondition, type FilterValue, UNITS } from '../ports/store/filters.ts'
import { instantOf } from '../values/iso-date.ts'
import { isStorableText, type JsonObject, type Untrusted } from '../values/json.ts'
import { TRACKING_CONSENTS } from '../values/tracking-consent.ts'
import { OPERATORS, type Takes, takenBy } from './operators.ts'
import { type Subject, type SubjectAt, subjectOf } from './subject.ts'

/** Collects what is wrong, each with its place in the request. */
export type Say = (field: string, code: FieldCode, message: string) => void

/** Says it into the list, which tells no more than MAX_PROBLEMS. */
export function sayInto(problems: FieldProblem[]): Say {
  return (field, code, message) => {
    if (problems.length < MAX_PROBLEMS) problems.push({ field, code, message })
  }
}

const MAX_PROBLEMS = 100

/**
 * Reads one condition; what its operator does not need is dropped. Everything wrong with it is said, with `place` before
 * it, and then it is undefined.
 */
export function readCondition(
  input: JsonObject,
  place: string,
  say: Say,
  subjectAt: SubjectAt = subjectOf,
): FilterCondition | undefined {
  const meant = (field: string) => subjectAt(field, typeof input.operator === 'string' ? input.operator : '')
  const subject = readField(input.field, `${place}.field`, say, meant)
  const operator = readOperator(input.operator, `${place}.operator`, subject, say)
  if (subject === undefined || operator === undefined || typeof input.field !== 'string') return undefined
  const takes = takenBy(subject.kind, operator) ?? 'nothing'
  let sound = true
  const hear: Say = (...said) => {
    sound = false
    say(...said)
  }
  const value = readValue(takes, input.value, `${place}.value`, hear)
  const unit = takes === 'span' ? readUnit(input.unit, `${place}.unit`, hear) : undefined
  const count = subject.kind === 'event' ? readCount(input.count, `${place}.count`, hear) : undefined
  if (!sound) return undefined
  return {
    field: input.field,
    operator,
    ...(value !== undefined && { value }),
    ...(unit && { unit }),
    ...(count !== undefined && { count }),
  }
}

/** The longest field, and the longest text of a value, in UTF-16 units: a look at every contact compares it with each. */
const MAX_FIELD = 1000
const MAX_TEXT = 1000

/** How many values `in` takes. */
const MAX_VALUES = 500

/** How many events `count` may ask for. */
const MAX_COUNT = 1_000_000

/** The longest span of time, in its unit. */
const MAX_SPAN = 1_000_000_000

function readField(
  input: Untrusted,
  place: string,
  say: Say,
  meant: (field: string) => Subject | undefined,
): Subject | undefined {
  if (!isText(input, place, MAX_FIELD, say)) return undefined
  const subject = meant(input)
  if (subject === undefined) say(place, 'invalid_enum_value', 'is not a field that contacts can be filtered by')
  return subject
}

function readOperator(input: Untrusted, place: string, subject: Subject | undefined, say: Say): string | undefined {
  if (!isText(input, place, MAX_FIELD, say)) return undefined
  if (subject === undefined || takenBy(subject.kind, input) !== undefined) return input
  say(place, 'invalid_enum_value', `must be one of ${Object.keys(OPERATORS[subject.kind]).join(', ')} for this field`)
  return undefined
}

function readUnit(input: Untrusted, place: string, say: Say) {
  if (isMissing(input)) say(place, 'required', 'is required')
  else if (!UNITS.some((unit) => unit === input)) {
    say(place, 'invalid_enum_value', `must be one of ${UNITS.join(', ')}`)
  }
  return UNITS.find((unit) => unit === input)
}

function readCount(input: Untrusted, place: string, say: Say): number | undefined {
  if (isMissing(input)) return undefined
  if (typeof input !== 'number' || !Number.isInteger(input)) say(place, 'invalid_type', 'must be a whole number')
  else if (input < 1) say(place, 'too_small', 'must be at least 1')
  else if (input > MAX_COUNT) say(place, 'too_big', `must be at most ${MAX_COUNT}`)
  else return input
  return undefined
}

function readValue(takes: Takes, input: Untrusted, place: string, say: Say): FilterValue | undefined {
  if (takes === 'nothing') return undefined
  if (isMissing(input)) {
    say(place, 'required', 'is required')
    return undefined
  }
  switch (takes) {
    case 'text':
      return isText(input, place, MAX_TEXT, say) ? input : undefined
    case 'part':
      if (!isText(input, place, MAX_TEXT, say)) return undefined
      if (input === '') say(place, 'too_small', 'must have at least 1 character')
      return input
    case 'texts':
    case 'values':
      return readValues(takes, input, place, say)
    case 'date':
      if (!isText(input, place, MAX_TEXT, say)) return undefined
      if (instantOf(input) === undefined) say(place, 'invalid_date', 'must be an ISO 8601 date such as 2026-01-31')
      return input
    case 'span':
      return readSpan(input, place, say)
    case 'boolean':
      if (typeof input === 'boolean') return input
      say(place, 'invalid_type', 'must be true or false')
      return undefined
    case 'consent':
      if (!isText(input, place, MAX_TEXT, say)) return undefined
      if (TRACKING_CONSENTS.some((consent) => consent === input)) return input
      say(
        place,
        'invalid_enum_value',
        `must be one of ${TRACKING_CONSENTS.join(', ')}; a field of the data is data.tracking`,
      )
      return undefined
    case 'comparable':
      if (typeof input !== 'boolean') return readScalar(input, place, 'a text or a number', say)
      say(place, 'invalid_type', 'must be a text or a number')
      return undefined
    case 'value':
      return readScalar(input, place, 'a text, a number, true or false', say)
  }
}

function readValues(takes: 'texts' | 'values', input: Untrusted, place: string, say: Say): FilterValue | undefined {
  if (!Array.isArray(input)) say(place, 'invalid_type', 'must be an array')
  else if (input.length === 0) say(place, 'too_small', 'must have at least 1 value')
  else if (input.length > MAX_VALUES) say(place, 'too_big', `must have at most ${MAX_VALUES} values`)
  else {
    return input.flatMap((value, i) => {
      const at = `${place}.${i}`
      const read =
        takes === 'values'
          ? readScalar(value, at, 'a text, a number, true or false', say)
          : isText(value, at, MAX_TEXT, say)
            ? value
            : undefined
      return read === undefined ? [] : [read]
    })
  }
  return undefined
}

function readScalar(input: Untrusted, place: string, kinds: string, say: Say): string | number | boolean | undefined {
  if (typeof input === 'string') return isText(input, place, MAX_TEXT, say) ? input : undefined
  if (typeof input === 'boolean' || (typeof input === 'number' && Number.isFinite(input))) return input
  say(place, 'invalid_type', `must be ${kinds}`)
  return undefined
}

function readSpan(input: Untrusted, place: string, say: Say): number | undefined {
  if (typeof input !== 'number' || Number.isNaN(input)) say(place, 'invalid_type', 'must be a number')
  else if (input <= 0) say(place, 'too_small', 'must be more than 0')
  else if (input > MAX_SPAN) say(place, 'too_big', `must be at most ${MAX_SPAN}`)
  else return input
  return undefined
}

function isText(input: Untrusted, place: string, max: number, say: Say): input is string {
  if (isMissing(input)) say(place, 'required', 'is required')
  else if (typeof input !== 'string') say(place, 'invalid_type', 'must be a text')
  else if (input.length > max) say(place, 'too_big', `must have at most ${max} characters`)
  else if (!isStorableText(input)) say(place, 'invalid_string', 'must not contain NUL or unpaired surrogates')
  else return true
  return false
}

function isMissing(input: Untrusted): input is undefined | null {
  return input === undefined || input === null
}
