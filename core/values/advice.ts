/** The meaning of a sentence, for translations: the code stays the same, the values stand in it. */
export interface AdviceCode {
  /** Which sentence it is. */
  readonly code: string
  /** The values to fill into it, by name. */
  readonly params: Readonly<Record<string, string | number>>
}

/** A sentence in English with its code. */
export interface Sentence extends AdviceCode {
  readonly text: string
}

type NameIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NameIn<Rest> : never
/** The values to fill into a text of a table. */
export type Given<Text> = [NameIn<Text>] extends [never]
  ? readonly []
  : readonly [params: Readonly<Record<NameIn<Text>, string | number>>]

/** Makes the sentences of a table. */
export type SentencesOf<Texts extends Readonly<Record<string, string>>> = <Code extends keyof Texts & string>(
  code: Code,
  ...given: Given<Texts[Code]>
) => Sentence

/** Answers a function that makes the sentences of a table, whose texts have their values in `{braces}`. */
export function sentencesOf<const Texts extends Readonly<Record<string, string>>>(texts: Texts): SentencesOf<Texts> {
  return (code, ...given) => {
    const [params = {}] = given as readonly [AdviceCode['params']?]
    return { code, params, text: filledIn(texts[code] ?? code, params) }
  }
}

/** A text with these values instead of its `{braces}`. */
function filledIn(text: string, params: AdviceCode['params']): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}

export function textOf(sentences: readonly Sentence[]): string {
  return sentences.map(({ text }) => text).join(' ')
}

export function codesOf(sentences: readonly Sentence[]): readonly AdviceCode[] {
  return sentences.map(({ code, params }) => ({ code, params }))
}

/** Sentences as a finding has them. */
export function advised(...sentences: readonly Sentence[]) {
  return { advice: textOf(sentences), adviceCodes: codesOf(sentences) }
}
