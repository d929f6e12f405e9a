import { isInYear, meets, numberIn } from '../../core/filters/data-tests.ts'
import type { ValueTest } from '../../core/ports/store/audiences.ts'
import { momentIn } from '../../core/values/iso-date.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { RecentlyUsed } from '../../core/values/recently-used.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { LOWER } from './sqlite-dialect.ts'
import { IN_YEAR, MEETS, MOMENT, NUMBER } from './sqlite-value-sql.ts'

/** Defines the functions that statements call besides SQLite's own. Every connection needs them. */
export function defineFunctions(client: SqliteClient): void {
  const questions = new RecentlyUsed<Question>(QUESTIONS, Number.POSITIVE_INFINITY, () => 0)
  let row: { readonly json: unknown; readonly data: JsonObject } = { json: undefined, data: {} }
  const define = (name: string, run: (...values: unknown[]) => unknown) =>
    client.function(name, { deterministic: true }, run)
  define(LOWER, (value) => (typeof value === 'string' ? value.toLowerCase() : null))
  define(MOMENT, (value) => momentIn(value)?.getTime() ?? null)
  define(IN_YEAR, (value, first, last) => Number(isInYear({ first: String(first), last: String(last) }, value)))
  define(NUMBER, (value) => (typeof value === 'string' ? (numberIn(value) ?? null) : null))
  define(MEETS, (json, path, test) => {
    // a filter asks the same of every row, and several things of each
    if (row.json !== json) row = { json, data: JSON.parse(String(json)) }
    const key = `[${path},${test}]`
    const question = questions.get(key) ?? questionOf(key)
    questions.set(key, question)
    return Number(meets(row.data, ...question))
  })
}

/** How many questions are kept read: as many as one filter may ask. */
const QUESTIONS = 500

type Question = readonly [path: readonly string[], test: ValueTest]

function questionOf(json: string): Question {
  // only the bounds of spans have these names, and only they are dates
  return JSON.parse(json, (key, value) => (key === 'from' || key === 'before' ? new Date(value) : value))
}
