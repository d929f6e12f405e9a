import type * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { fieldProblem } from '../values/parse.ts'
import type { StandardIssue, StandardResult, StandardSchema } from '../values/standard-schema.ts'

/** The options a schema has read, or their problems. */
type ReadOptions<Options> = { readonly options: Options } | { readonly problems: readonly FieldProblem[] }

/** Reads options by any Standard Schema that answers at once. Never throws. */
export function readOptions<Options>(schema: StandardSchema<unknown, Options>, given: unknown): ReadOptions<Options> {
  try {
    const result = schema['~standard'].validate(given)
    if (!(result instanceof Promise)) return outcome(result)
    // a later rejection that is not awaited must not crash the process
    result.catch(() => {})
    return failed(new Error('it is asynchronous; look things up in `open`'))
  } catch (error) {
    return failed(error)
  }
}

function outcome<Options>(result: StandardResult<Options>): ReadOptions<Options> {
  return result.issues ? { problems: result.issues.map(problem) } : { options: result.value }
}

/** The schema itself has failed. */
function failed(error: unknown): { readonly problems: readonly FieldProblem[] } {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    problems: [{ field: '', code: 'custom', message: `could not be checked by the plugin's schema: ${reason}` }],
  }
}

function problem(issue: StandardIssue): FieldProblem {
  if (isOfValibot(issue)) return fieldProblem(issue)
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  // Zod tells a wrong type by the same code; the standard itself knows none
  const code = 'code' in issue && issue.code === 'invalid_type' ? 'invalid_type' : 'custom'
  return { field: keys.map(String).join('.'), code, message: issue.message }
}

/** Valibot's issues hold more than the standard requires; they are put into this project's own wording. */
function isOfValibot(issue: object): issue is v.BaseIssue<unknown> {
  return 'kind' in issue && 'type' in issue && 'expected' in issue && 'received' in issue
}
