import type { FieldCode, FieldProblem } from '../core/errors.ts'
import { dotted, mapTexts, type Readings } from './substitute.ts'

/** A maker of things from given values, and the way to ask what is wrong with these. */
interface Making<Given, Made> {
  make(given: Given): Made | Promise<Made>
  /** Fields are named from the given values on. */
  problems(made: Made): readonly FieldProblem[] | Promise<readonly FieldProblem[]>
}

/** The codes a wrong type may have; plugins without a schema, and most schemas, say `custom` for all. */
const MAYBE_MISTYPED: ReadonlySet<FieldCode> = new Set(['invalid_type', 'invalid_enum_value', 'custom'])

/**
 * Makes something of values in which variables are text, since only who reads them knows where a number or a boolean
 * belongs. A field that is refused is tried with its reading, and keeps that, unless the reading is of a wrong type or
 * nothing can be made with it. `where` is the place of the values in the config. Throws what `make` throws for the
 * values as they are.
 */
export async function makeTyped<Given, Made>(
  given: Given,
  where: string,
  readings: Readings,
  { make, problems }: Making<Given, Made>,
): Promise<Made> {
  const fieldOf = (problem: FieldProblem) => dotted(where === '' ? problem.field : `${where}.${problem.field}`)
  const untried = new Map([...readings].filter(([field]) => field.startsWith(dotted(where))))
  let kept: Readings = new Map()
  let made = await make(given)
  while (untried.size > 0) {
    const refused = (await problems(made)).filter(({ code }) => MAYBE_MISTYPED.has(code)).map(fieldOf)
    const field = refused.find((each) => untried.has(each))
    const reading = field === undefined ? undefined : untried.get(field)
    if (field === undefined || reading === undefined) break
    untried.delete(field)
    const tried = new Map(kept).set(field, reading)
    try {
      const other = await make(mapTexts(given, (text, at) => tried.get(dotted(at)) ?? text, where) as Given)
      const isMistyped = (problem: FieldProblem) => problem.code === 'invalid_type' && fieldOf(problem) === field
      if ((await problems(other)).some(isMistyped)) continue
      kept = tried
      made = other
    } catch {
      // Code that accepts the text may throw on a number; report the problem found with the text
    }
  }
  return made
}
