import * as v from 'valibot'
import { type InputOf } from './input.ts'

/** The longest name of what can be copied, in characters. */
const LONGEST = 255

/** The body of a request that copies a template, a campaign or a workflow. */
export const CopyRequest = v.object({
  /** The name of the copy; without it that of the original, followed by `(Copy)`. */
  name: v.nullish(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(LONGEST))),
})

/** How a copy is to differ from its original. */
export interface CopyInput extends InputOf<typeof CopyRequest> {}

/** The name of a copy: "… (Copy)", cut to 255 characters without splitting one. */
export function copyName(name: string, ending = ' (Copy)'): string {
  return `${name.slice(0, LONGEST - ending.length).replace(/[\ud800-\udbff]$/, '')}${ending}`
}
