import * as v from 'valibot'
import type { FieldProblem } from '../errors.ts'
import { describedBy } from '../values/described.ts'
import { isJsonObject, type JsonObject } from '../values/json.ts'
import { say } from '../values/parse.ts'

/** How many KB a design may have as JSON: with its body it has to fit into a request. */
const KB_OF_DESIGN = 500

/**
 * The document that a visual editor made a body from, so that the mail opens again as it was drawn. What is in it is the
 * editor's business: it is stored as it is, and never sent.
 */
export const Design = describedBy(
  v.pipe(
    v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object')),
    v.check(
      (design) => JSON.stringify(design).length <= KB_OF_DESIGN * 1024,
      say('too_big', `must be at most ${KB_OF_DESIGN} KB as JSON`),
    ),
  ),
  v.record(v.string(), v.unknown()),
)

interface Drawn {
  readonly body?: string | null | undefined
  readonly design?: JsonObject | null | undefined
}

/**
 * The design after a change, as fields to spread. One that is given counts, null removes it. Without one it stays only
 * as long as the body does: a body that was changed by hand is source, and would be lost if its old design opened again.
 */
export function designAfter(before: Drawn | undefined, given: Drawn, body: string): { readonly design?: JsonObject } {
  const design = given.design === undefined && before?.body === body ? before.design : given.design
  return design == null ? {} : { design }
}

/** A design without the body it belongs to would soon draw another mail than the one that is sent. */
export function* designProblems({ body, design }: Drawn): Generator<FieldProblem> {
  if (design == null || body != null) return
  yield { field: 'body', code: 'required', message: 'is required with design: it is the HTML made from it' }
}
