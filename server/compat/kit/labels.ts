/*
 * Some services have labels beside named texts. A mail here has named texts only (`tags`), so that labels become
 * `_category`, `_category-2` and so on, which no name of a client begins with.
 */

/** The tags of these labels. */
export function tagsOfLabels(name: string, labels: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(labels.map((label, i) => [i === 0 ? `_${name}` : `_${name}-${i + 1}`, label]))
}

/** The labels among the tags of a mail, in their order. */
export function labelsAmong(name: string, tags: Readonly<Record<string, string>>): readonly string[] {
  const places = Object.keys(tags).filter((key) => isLabel(name, key))
  const placeOf = (key: string) => Number(key.slice(name.length + 2) || 1)
  return places.sort((a, b) => placeOf(a) - placeOf(b)).map((key) => tags[key] ?? '')
}

/** The tags of a mail that are no labels. */
export function withoutLabels(name: string, tags: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => !isLabel(name, key)))
}

function isLabel(name: string, key: string): boolean {
  return key === `_${name}` || (key.startsWith(`_${name}-`) && /^\d+$/.test(key.slice(name.length + 2)))
}
