import * as v from 'valibot'
import type { InputOf } from '../values/input.ts'

/** How many characters the body of a layout may have. */
const LAYOUT_LENGTH = 100_000

const fields = {
  /** The name in lists. */
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(255)),
  /** A description; null removes it. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  /** The HTML, with placeholders and snippets, and once with `{{ content }}`, where the mail's own body stands. */
  body: v.pipe(v.string(), v.minLength(1), v.maxLength(LAYOUT_LENGTH)),
}

export const CreateLayout = v.object(fields)

/** Every field is optional; null removes the description. */
export const ChangeLayout = v.partial(v.object(fields))

/** A new layout. */
export interface CreateLayoutInput extends InputOf<typeof CreateLayout> {}

/** The fields of a layout to change; null removes the description. */
export interface ChangeLayoutInput extends Partial<CreateLayoutInput> {}
