import type * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { fieldProblem } from '../values/parse.ts'
import type { StandardIssue, StandardResult, StandardSchema } from '../values/standard-schema.ts'

/** Options that were read by their schema, or what is wrong with them. */
export type ReadOptions<Options> = { readonly options: Options } | { readonly problems: readonly FieldProblem[] }

/** Reads options by any Standard Schema; a promise when the schema looks something up. Never throws. */
export function readOptions<Options>(
  schema: StandardSchema<unknown, Options>,
  given: unknown,
): ReadOptions<Options> | Promise<ReadOptions<Options>> {
  try {
    const result = schema['~standard'].validate(given)
    return result instanceof Promise ? result.then(outcome, failed) : outcome(result)
  } catch (error) {
    return failed(error)
  }
}

function outcome<Options>(result: StandardResult<Options>): ReadOptions<Options> {
  return result.issues ? { problems: result.issues.map(problem) } : { options: result.value }
}

/** A schema's own mistake, or a look-up that failed. */
function failed(error: unknown): { readonly problems: readonly FieldProblem[] } {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    problems: [{ field: '', code: 'custom', message: `could not be checked by the plugin's schema: ${reason}` }],
  }
}

function problem(issue: StandardIssue): FieldProblem {
  if (isOfValibot(issue)) return fieldProblem(issue)
  const keys = (issue.path ?? []).map((part) => (typeof part === 'object' ? part.key : part))
  return { field: keys.map(String).join('.'), code: 'custom', message: issue.message }
}

/** Valibot's issues say more than the standard asks for, and are put into this project's words. */
function isOfValibot(issue: object): issue is v.BaseIssue<unknown> {
  return 'kind' in issue && 'type' in issue && 'expected' in issue && 'received' in issue
}
