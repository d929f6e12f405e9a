import * as v from 'valibot'
import type { FieldProblem } from '../../errors.ts'
import { type GivenSource, MAIL_FORMATS, type MailSource } from '../../values/mail-source.ts'

/** How many characters a source may have: as many as fit into a request. */
const LONGEST_SOURCE = 1_000_000

/** A mail as it was written; its body is made of it when it is saved. */
export const WrittenSource = v.object({
  /** Its format. */
  format: v.picklist(MAIL_FORMATS),
  /** The text as written, with placeholders. */
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(LONGEST_SOURCE)),
  /** Whether the rules of `<style>` are written into the elements they fit. */
  inlineCss: v.optional(v.boolean()),
})

export interface Written {
  readonly body?: string | null | undefined
  readonly source?: GivenSource | null | undefined
}

/**
 * The source after a change, as fields to spread: as a design, one that is given counts, null removes it, and without one
 * it stays only as long as the body that was made of it.
 */
export function sourceAfter(
  before: Written | undefined,
  given: Written,
  body: string,
): { readonly source?: MailSource } {
  const source = given.source === undefined && before?.body === body ? before.source : given.source
  if (source == null) return {}
  const { format, text, inlineCss } = source
  return { source: { format, text, ...(inlineCss === undefined ? {} : { inlineCss }) } }
}

/** A body is made of its source: of two, one would be lost. */
export function* sourceProblems({ body, source }: Written): Generator<FieldProblem> {
  if (source == null || body == null) return
  yield { field: 'body', code: 'custom', message: 'goes without source: it is made of it. Give one of the two' }
}

/** One of the two is required. */
export function* bodyProblems(given: Written): Generator<FieldProblem> {
  if (given.body == null && given.source == null)
    yield { field: 'body', code: 'required', message: 'is required, or else source' }
}
