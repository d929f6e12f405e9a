/** A field of contacts by its key, as people write it: `data.trialEnds` is "Trial ends", `first_name` "First name". */
export function fieldInWords(field: string): string {
  const words = field
    .replace(/^data\./, '')
    .replace(/[_-]+/g, ' ')
    .replace(/(\p{Ll}|\d)(\p{Lu})/gu, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .trim()
  return words === '' ? field : words[0]?.toUpperCase() + words.slice(1)
}
