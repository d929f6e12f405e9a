/** The longest word that is compared: the time grows with its length times that of every known word. */
const MAX_LENGTH = 64

/** The known word that a refused one probably meant, or else all of them; there is at least one. */
export function meantBy(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  if (near !== undefined) return `did you mean ${near}?`
  return `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`
}

/** The known word that a mistyped one most likely meant, or undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined
  const allowed = Math.max(1, Math.floor(word.length / 3))
  let best: string | undefined
  let least = allowed + 1
  for (const candidate of known) {
    // as many letters would have to be added or dropped
    if (Math.abs(candidate.length - word.length) > allowed) continue
    const steps = distance(word.toLowerCase(), candidate.toLowerCase())
    if (steps < least) {
      least = steps
      best = candidate
    }
  }
  return best
}

/** The number of letters to add, drop, change or swap with their neighbour (optimal string alignment). */
export function distance(from: string, to: string): number {
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, i) => i)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swap = swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[to.length] ?? 0
}
