import type * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { isObject } from '../values/json.ts'
import { meantBy } from '../values/nearest.ts'
import { fieldProblem } from '../values/parse.ts'
import type { StandardIssue, StandardResult, StandardSchema } from '../values/standard-schema.ts'

/** The options a schema has read, or their problems. */
type ReadOptions<Options> = { readonly options: Options } | { readonly problems: readonly FieldProblem[] }

/** Reads options by any Standard Schema that answers at once. Never throws. */
export function readOptions<Options>(schema: StandardSchema<unknown, Options>, given: unknown): ReadOptions<Options> {
  try {
    const result = schema['~standard'].validate(given)
    if (!(result instanceof Promise)) return outcome(schema, result)
    // a later rejection that is not awaited must not crash the process
    result.catch(() => {})
    return failed(new Error('it is asynchronous; look things up in `open`'))
  } catch (error) {
    return failed(error)
  }
}

function outcome<Options>(schema: object, result: StandardResult<Options>): ReadOptions<Options> {
  return result.issues
    ? { problems: result.issues.flatMap((issue) => problemsOf(schema, issue)) }
    : { options: result.value }
}

/** The schema itself has failed. */
function failed(error: unknown): { readonly problems: readonly FieldProblem[] } {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    problems: [{ field: '', code: 'custom', message: `could not be checked by the plugin's schema: ${reason}` }],
  }
}

function problemsOf(schema: object, issue: StandardIssue): readonly FieldProblem[] {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part))
  if (isOfValibot(issue)) {
    const problem = fieldProblem(issue)
    const last = path.at(-1)
    return [
      issue.expected === 'never' && last !== undefined ? withHint(problem, last, schema, path.slice(0, -1)) : problem,
    ]
  }
  // Zod names all unknown keys of a strict object at once
  if ('code' in issue && issue.code === 'unrecognized_keys' && 'keys' in issue && Array.isArray(issue.keys)) {
    return issue.keys.map(String).map((key) => {
      const problem = { field: [...path, key].join('.'), code: 'custom', message: 'is not a known option' } as const
      return withHint(problem, key, schema, path)
    })
  }
  // Zod tells a wrong type by the same code; the standard itself knows none
  const code = 'code' in issue && issue.code === 'invalid_type' ? 'invalid_type' : 'custom'
  return [{ field: path.join('.'), code, message: issue.message }]
}

/** Adds what an unknown key was probably meant to be. */
function withHint(problem: FieldProblem, key: string, schema: object, path: readonly string[]): FieldProblem {
  const known = knownKeys(schema, path)
  return known.length === 0 ? problem : { ...problem, message: `${problem.message} (${meantBy(key, known)})` }
}

/** The keys that a schema of Valibot or Zod knows at this place; none when it does not say so. */
function knownKeys(schema: unknown, path: readonly string[]): readonly string[] {
  const entries = entriesOf(schema)
  const [key, ...rest] = path
  if (key === undefined) return Object.keys(entries)
  return Object.hasOwn(entries, key) ? knownKeys(entries[key], rest) : []
}

function entriesOf(given: unknown): Readonly<Record<string, unknown>> {
  if (typeof given !== 'object' || given === null) return {}
  const schema = given as Readonly<Record<string, unknown>>
  const { entries, shape, wrapped } = schema
  if (isObject(entries)) return entries
  if (isObject(shape)) return shape
  return wrapped === undefined ? {} : entriesOf(wrapped)
}

/** Valibot's issues hold more than the standard requires; they are put into this project's own wording. */
function isOfValibot(issue: object): issue is v.BaseIssue<unknown> {
  return 'kind' in issue && 'type' in issue && 'expected' in issue && 'received' in issue
}
