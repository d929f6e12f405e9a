import { instantOf } from '../../core/values/iso-date.ts'
import type { SqliteClient } from './sqlite-client.ts'
import { LOWER } from './sqlite-dialect.ts'
import { MOMENT } from './sqlite-value-test.ts'

/** Defines the functions that statements call besides SQLite's own. Every connection needs them. */
export function defineFunctions(client: SqliteClient): void {
  for (const [name, run] of FUNCTIONS) {
    client.function(name, { deterministic: true }, (value) => (typeof value === 'string' ? run(value) : null))
  }
}

const FUNCTIONS: readonly (readonly [string, (text: string) => unknown])[] = [
  [LOWER, (text) => text.toLowerCase()],
  [MOMENT, (text) => instantOf(text)?.getTime() ?? null],
]
