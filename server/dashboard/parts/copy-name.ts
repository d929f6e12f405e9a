import type { Texts } from '../texts/types.ts'

/** Of a longer name, a copy has so many characters of its own. */
const LONGEST = 200

/** The name of a copy, in the language of the reader. */
export function copyName(t: Texts, name: string): string {
  return t.anywhere.copyOf(name.slice(0, LONGEST).toWellFormed())
}
