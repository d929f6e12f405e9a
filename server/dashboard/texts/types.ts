import type { en } from './en/all.ts'
import type { first } from './en/first.ts'

/** The same shape, of any words: texts stay texts, functions of texts keep what they take. */
export type Widened<Value> = Value extends string
  ? string
  : Value extends (...input: infer Input) => string
    ? (...input: Input) => string
    : { readonly [Key in keyof Value]: Widened<Value[Key]> }

/** The words of one language: every language has each of English's, so that a missing one does not compile. */
export type Texts = Widened<typeof en>

/** The words that are loaded at once. */
export type FirstTexts = Widened<typeof first>
