/** How long a source with placeholders may be, and how many it may have. */
const MAX_SOURCE = 2 * 1024 * 1024
const MAX_PLACEHOLDERS = 10_000
/** How many line breaks a body may have: plain text gets a tag for each, which takes seconds for tens of millions. */
export const MAX_BREAKS = 1_000_000

/** Why a source is too large to be read at all; undefined when it is not. It takes no longer for one that is far too large. */
export function sizeProblem(source: string): string | undefined {
  const placeholders = /\{[{%]/g
  // without placeholders it is sent as it is, and may be as large as a mail
  if (!placeholders.test(source)) return undefined
  if (source.length > MAX_SOURCE) return 'must have at most 2 MB when it has placeholders'
  for (let count = 2; placeholders.test(source); count++) {
    if (count > MAX_PLACEHOLDERS) return `must have at most ${MAX_PLACEHOLDERS} placeholders`
  }
  return undefined
}

/** Whether a body has more line breaks than any may have. Counts no further. */
export function hasTooManyBreaks(source: string): boolean {
  if (source.length <= MAX_BREAKS) return false
  return ['\n', '\r'].some((sign) => {
    let count = 0
    for (let at = source.indexOf(sign); at >= 0; at = source.indexOf(sign, at + 1)) {
      count++
      if (count > MAX_BREAKS) return true
    }
    return false
  })
}
