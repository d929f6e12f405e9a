import * as v from 'valibot'
import type { InputOf } from '../values/input.ts'
import { type PageInput, PageQuery } from '../values/page.ts'
import { say } from '../values/parse.ts'
import { SEEN_VERSION } from '../values/record-version.ts'

/** How many characters the name of a snippet may have, and its body. */
const SNIPPET_NAME_LENGTH = 64
const SNIPPET_LENGTH = 100_000
/** How many snippets a project may have. */
export const MAX_SNIPPETS = 500

const fields = {
  /** What bodies render it by: lower-case letters, digits and hyphens, such as `footer`. No other snippet has it. */
  name: v.pipe(
    v.string(),
    v.trim(),
    v.minLength(1),
    v.maxLength(SNIPPET_NAME_LENGTH),
    v.regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
      say('invalid_string', 'must have lower-case letters, digits and single hyphens only, such as legal-footer'),
    ),
  ),
  /** A description; null removes it. */
  description: v.nullish(v.pipe(v.string(), v.maxLength(10_000))),
  /** The HTML, with placeholders. It may render other snippets. */
  body: v.pipe(v.string(), v.minLength(1), v.maxLength(SNIPPET_LENGTH)),
}

export const CreateSnippet = v.object(fields)

/** Every field is optional; null removes the description. */
export const ChangeSnippet = v.object({ ...v.partial(v.object(fields)).entries, ...SEEN_VERSION })

/** The query of `GET /snippets` and `GET /layouts`. */
export const ListContent = v.object({
  ...PageQuery.entries,
  /** A part of the name or the description. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
})

/** A new snippet. */
export interface CreateSnippetInput extends InputOf<typeof CreateSnippet> {}

/** The fields of a snippet to change; null removes the description. */
export interface ChangeSnippetInput extends InputOf<typeof ChangeSnippet> {}

/** Narrows and pages a list of snippets or layouts. */
export interface ListContentInput extends PageInput, Omit<InputOf<typeof ListContent>, keyof PageInput> {}
