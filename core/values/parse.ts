import * as v from 'valibot'
import { EngineError, type FieldCode, type FieldProblem } from '../errors.ts'
import { isJsonObject, type Untrusted, unstorable } from './json.ts'
import { MAX_WARNINGS, unknownKeys, type Warning, warningsAbout } from './unknown-keys.ts'

/** Checks across several fields of an input: gets `sound`, the valid fields, and the input as sent. */
export type Rules<Schema extends v.GenericSchema> = (
  sound: Partial<v.InferOutput<Schema>>,
  sent: Readonly<Record<string, unknown>>,
) => Iterable<FieldProblem>

/**
 * Reads untrusted input through a valibot schema: unknown keys are dropped, and reported by `warningsOf`; answers the
 * schema's output. Throws EngineError `VALIDATION_ERROR` with every refused field, including those that `rules`
 * refuses. A schema sets a field code other than its kind's default by a message of the form `code: sentence` (see
 * `say`).
 */
export function parse<const Schema extends v.GenericSchema>(
  schema: Schema,
  input: Untrusted,
  rules?: Rules<Schema>,
): v.InferOutput<Schema> {
  if (schema.type === 'object' && Array.isArray(input)) requireObject(input)
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  const problems = result.issues?.map((issue) => fieldProblem(issue)) ?? []
  if (rules && isJsonObject(input)) problems.push(...brokenRules(rules, result.output, problems, input))
  if (!result.success || problems.length > 0) throw refused(problems, hint(unknownKeys(schema, input)))
  const problem = unstorable(result.output)
  if (problem) throw refused([problem])
  noteWarnings(schema, input)
  return result.output
}

/** Throws EngineError `VALIDATION_ERROR` unless this is a JSON object. */
export function requireObject(input: Untrusted): void {
  if (isJsonObject(input)) return
  throw refused([{ field: '', code: 'invalid_type', message: `must be an object, not ${kindOf(input)}` }])
}

/** Warnings about inputs, kept as long as the input object exists, so that rooms need not pass them on. */
const NOTED = new WeakMap<object, readonly Warning[]>()

/** Notes what an input is to be warned of: keys that the schema does not know, odd values. `parse` calls it itself. */
export function noteWarnings(schema: v.GenericSchema, input: Untrusted): void {
  if (typeof input !== 'object' || input === null) return
  const found = warningsAbout(schema, input)
  if (found.length > 0) NOTED.set(input, found)
  else NOTED.delete(input)
}

/** Adds a warning of a room about an input that it has read. */
export function noteWarning(input: Untrusted, warning: Warning): void {
  if (typeof input !== 'object' || input === null) return
  const noted = NOTED.get(input) ?? NONE
  // an input may be given again and again
  const isNoted = noted.some(({ field, message }) => field === warning.field && message === warning.message)
  if (!isNoted && noted.length < MAX_WARNINGS) NOTED.set(input, [...noted, warning])
}

/**
 * The warnings about an input, once a room has read it: its unknown keys, which were ignored, and values that were
 * probably meant otherwise. `input` is the same object that was given. At most 20.
 */
export function warningsOf(input: Untrusted): readonly Warning[] {
  if (typeof input !== 'object' || input === null) return NONE
  let all = NOTED.get(input) ?? NONE
  // some parts are read separately: the config of a step, each message of a batch
  for (const [key, part] of Object.entries(input)) {
    if (typeof part !== 'object' || part === null) continue
    all = joined(all, NOTED.get(part), key)
    if (!Array.isArray(part)) continue
    for (const [i, item] of part.entries()) {
      if (typeof item === 'object' && item !== null) all = joined(all, NOTED.get(item), `${key}.${i}`)
    }
  }
  return all.length > MAX_WARNINGS ? all.slice(0, MAX_WARNINGS) : all
}

const NONE: readonly Warning[] = []

function joined(all: readonly Warning[], more: readonly Warning[] | undefined, place: string): readonly Warning[] {
  if (more === undefined) return all
  return [...all, ...more.map(({ field, message }) => ({ field: `${place}.${field}`, message }))]
}

/** The problems from `rules`, without fields that are refused already. */
function brokenRules<Schema extends v.GenericSchema>(
  rules: Rules<Schema>,
  output: unknown,
  problems: readonly FieldProblem[],
  input: Readonly<Record<string, unknown>>,
): readonly FieldProblem[] {
  const faulty = new Set(problems.map(({ field }) => topOf(field)))
  const read = isJsonObject(output) ? output : {}
  const sound = faulty.size === 0 ? read : Object.fromEntries(Object.entries(read).filter(([key]) => !faulty.has(key)))
  return [...rules(sound as Partial<v.InferOutput<Schema>>, input)].filter(({ field }) => !faulty.has(topOf(field)))
}

function topOf(field: string): string {
  return field.split('.', 1)[0] ?? ''
}

/** A likely reason for the refusal: a misspelled required key is an unknown one. */
function hint(unknown: readonly Warning[]): string | undefined {
  if (unknown.length === 0) return undefined
  const named = unknown.slice(0, 3).map(({ field, message }) => `"${field}" ${message.replace(' and was ignored', '')}`)
  return `${named.join('; ')}${unknown.length > 3 ? ` (and ${unknown.length - 3} more)` : ''}.`
}

/**
 * The error of a room about an input that it has read, with the unknown keys of that input: one of them may be what it
 * misses. Any other error stays the same.
 */
export function withUnknownKeys(error: unknown, input: Untrusted): unknown {
  if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR' || error.suggestion !== undefined) return error
  const suggestion = hint(warningsOf(input).filter(({ message }) => message.includes(' and was ignored')))
  if (suggestion === undefined) return error
  return new EngineError(error.code, error.message, { fields: error.fields, suggestion, cause: error })
}

/** How many further fields an error's sentence names; old clients read nothing else. */
const MAX_NAMED = 5

/** A VALIDATION_ERROR with these fields. */
export function refused(fields: readonly FieldProblem[], suggestion?: string): EngineError {
  const [first] = fields
  const others = [...new Set(fields.slice(1).map(({ field }) => field))].slice(0, MAX_NAMED)
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more: ${others.join(', ')})` : ''
  const message = first ? `${first.field || 'body'}: ${first.message}${more}` : 'The request is not valid'
  return new EngineError('VALIDATION_ERROR', message, { fields, ...(suggestion === undefined ? {} : { suggestion }) })
}

/** A schema message that also sets the field code: `v.check(test, say('header_injection', 'must not …'))`. */
export function say(code: FieldCode, message: string): string {
  return `${code}: ${message}`
}

const SAID =
  /^(required|invalid_type|invalid_string|invalid_enum_value|invalid_date|too_small|too_big|reserved_event|header_injection|custom): (.*)$/s

/** A schema issue about one field, in this project's wording; the refused value is never repeated. */
export function fieldProblem(issue: v.BaseIssue<unknown>): FieldProblem {
  const field = pathOf(issue)
  const said = SAID.exec(issue.message)
  if (said) return { field, code: said[1] as FieldCode, message: said[2] ?? '' }
  const missing = issue.kind === 'schema' && issue.input === undefined
  if (missing) return { field, code: 'required', message: 'is required' }
  if (issue.expected === 'never' && issue.message.startsWith('Invalid '))
    return { field, code: 'custom', message: 'is not a known option' }
  const code = impliedCode(issue)
  // valibot's own messages all begin like this; any other message was written for this field
  const message = issue.message.startsWith('Invalid ') ? sentence(issue, code) : issue.message
  return { field, code, message }
}

function pathOf(issue: v.BaseIssue<unknown>): string {
  return v.getDotPath(issue) ?? ''
}

function impliedCode(issue: v.BaseIssue<unknown>): FieldCode {
  switch (issue.type) {
    case 'min_length':
    case 'non_empty':
    case 'min_value':
      return 'too_small'
    case 'max_length':
    case 'max_value':
      return 'too_big'
    case 'picklist':
    case 'literal':
      return 'invalid_enum_value'
    case 'check':
    case 'custom':
      return 'custom'
    default:
      return issue.kind === 'validation' ? 'invalid_string' : 'invalid_type'
  }
}

function sentence(issue: v.BaseIssue<unknown>, code: FieldCode): string {
  switch (code) {
    case 'invalid_type':
      return `must be ${EXPECTED[issue.expected ?? ''] ?? issue.expected}, not ${kindOf(issue.input)}`
    case 'invalid_enum_value':
      return `must be ${issue.expected
        ?.replaceAll('"', '')
        .replaceAll(' | ', ', ')
        .replace(/^\((.*)\)$/, 'one of $1')}`
    case 'too_small':
      return `must ${amount(issue, 'at least')}`
    case 'too_big':
      return `must ${amount(issue, 'at most')}`
    default:
      return issue.message
  }
}

const EXPECTED: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Object: 'an object',
  Array: 'an array',
}

function amount(issue: v.BaseIssue<unknown>, bound: string): string {
  const limit = 'requirement' in issue ? String(issue.requirement) : ''
  if (issue.type.endsWith('_value')) return `be ${bound} ${limit}`
  const things = Array.isArray(issue.input) ? 'item' : 'character'
  return `have ${bound} ${limit} ${things}${limit === '1' ? '' : 's'}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (Number.isNaN(value)) return 'NaN'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
