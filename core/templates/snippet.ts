import * as v from 'valibot'
import { Design } from '../mail/design.ts'
import { Snippet } from '../ports/store/snippets.ts'
import type { InputOf } from '../values/input.ts'
import { type PageInput, PageQuery } from '../values/page.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION } from '../values/record-version.ts'

/** How many snippets a project may have. */
export const MAX_SNIPPETS = 500

export const CreateSnippet = creating(Snippet, { design: Design })

export const ChangeSnippet = v.object({
  ...changing(Snippet, { design: Design }).entries,
  ...SEEN_VERSION,
  /** With another name: whether it is changed in all that renders the snippet, too; otherwise they refuse it. */
  rename: v.optional(v.boolean()),
})

/** The query of `GET /snippets` and `GET /layouts`. */
export const ListContent = v.object({
  ...PageQuery.entries,
  /** A part of the title, the name or the description. */
  search: v.optional(v.pipe(v.string(), v.maxLength(255))),
})

/** A new snippet. */
export interface CreateSnippetInput extends InputOf<typeof CreateSnippet> {}

/** The fields of a snippet to change; null removes the description. */
export interface ChangeSnippetInput extends InputOf<typeof ChangeSnippet> {}

/** Narrows and pages a list of snippets or layouts. */
export interface ListContentInput extends PageInput, Omit<InputOf<typeof ListContent>, keyof PageInput> {}
