/** Patterns of the API's sentences, and the German for them: `$1` is what stands in the first brackets. */
export type InGerman = readonly (readonly [english: string, german: string])[]

/** A sentence of the API in German; one that is not in the list stays English. */
export function saidInGerman(sentence: string, list: InGerman): string {
  for (const [english, german] of list) {
    const found = new RegExp(`^${english}$`).exec(sentence)
    if (found) return german.replace(/\$(\d)/g, (_, at: string) => found[Number(at)] ?? '')
  }
  return sentence
}
