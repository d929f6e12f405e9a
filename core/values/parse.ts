import * as v from 'valibot'
import { EngineError, type FieldCode, type FieldProblem } from '../errors.ts'
import { type Untrusted, unstorable } from './json.ts'

/**
 * Reads untrusted input through a valibot schema: unknown fields are dropped, the answer is the schema's output.
 * Throws EngineError `VALIDATION_ERROR` that lists every refused field. A schema gives a field code other than the one
 * its kind implies by a message of the form `code: sentence` (see `say`).
 */
export function parse<const Schema extends v.GenericSchema>(schema: Schema, input: Untrusted): v.InferOutput<Schema> {
  if (schema.type === 'object' && Array.isArray(input)) {
    throw refused([{ field: '', code: 'invalid_type', message: 'must be an object, not an array' }])
  }
  const result = v.safeParse(schema, input, { abortPipeEarly: true })
  if (!result.success) throw refused(result.issues.map((issue) => fieldProblem(issue)))
  const problem = unstorable(result.output)
  if (problem) throw refused([problem])
  return result.output
}

/** A VALIDATION_ERROR over these fields. */
export function refused(fields: readonly FieldProblem[]): EngineError {
  const [first] = fields
  const more = fields.length > 1 ? ` (and ${fields.length - 1} more)` : ''
  const message = first ? `${first.field || 'body'}: ${first.message}${more}` : 'The request is not valid'
  return new EngineError('VALIDATION_ERROR', message, { fields })
}

/** A schema message that also sets the field code: `v.check(test, say('header_injection', 'must not …'))`. */
export function say(code: FieldCode, message: string): string {
  return `${code}: ${message}`
}

const SAID =
  /^(required|invalid_type|invalid_string|invalid_enum_value|invalid_date|too_small|too_big|reserved_event|header_injection|custom): (.*)$/s

/** What a schema's issue says about one field, in this project's words; the refused value itself is never repeated. */
export function fieldProblem(issue: v.BaseIssue<unknown>): FieldProblem {
  const field = pathOf(issue)
  const said = SAID.exec(issue.message)
  if (said) return { field, code: said[1] as FieldCode, message: said[2] ?? '' }
  const missing = issue.kind === 'schema' && issue.input === undefined
  if (missing) return { field, code: 'required', message: 'is required' }
  if (issue.expected === 'never') return { field, code: 'custom', message: 'is not a known option' }
  const code = impliedCode(issue)
  // valibot's own messages all begin so; whatever else stands there was written for this field
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
  return `have ${bound} ${limit} ${Array.isArray(issue.input) ? 'items' : 'characters'}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
