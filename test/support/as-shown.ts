/** Where an answer is not as a page shows it: keys that it lacks, and values of another type. A shown null may be anything. */
export function unlike(shown: unknown, answered: unknown, path = ''): readonly string[] {
  if (shown === null) return answered === undefined ? [path] : []
  if (Array.isArray(shown)) {
    if (!Array.isArray(answered)) return [path]
    return shown.flatMap((each, at) => unlike(each, answered[at], `${path}[${at}]`))
  }
  if (typeof shown !== 'object') return typeof shown === typeof answered ? [] : [path]
  if (typeof answered !== 'object' || answered === null) return [path]
  const all = answered as Readonly<Record<string, unknown>>
  return Object.entries(shown).flatMap(([key, value]) => unlike(value, all[key], `${path}.${key}`))
}
