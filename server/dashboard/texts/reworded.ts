/** Patterns of the API's sentences, and what people read instead: `$1` is what stands in the first brackets. */
export type Rewordings = readonly (readonly [pattern: string, words: string])[]

/** A sentence of the API in other words; one that is not in the list stays as it is. */
export function reworded(sentence: string, list: Rewordings): string {
  for (const [pattern, words] of list) {
    const found = new RegExp(`^${pattern}$`).exec(sentence)
    if (found) return words.replace(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? '')
  }
  return sentence
}
