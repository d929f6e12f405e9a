/** How many characters the slug of a topic may have. */
export const TOPIC_SLUG_LENGTH = 64
/** The longest slug, in characters. */
const MAX_LENGTH = 200

/**
 * The text as lower-case words joined by hyphens: `Zürich Fans` becomes `zurich-fans`. Letters and digits of every
 * script stay, Latin ones without their accents (Unicode's form KD); a text without any becomes the numbers of its
 * characters, so that a slug is never empty.
 */
export function slugOf(text: string): string {
  const plain = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFKC')
    .toLowerCase()
  const words = plain.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [...text.trim()].map((sign) => numberOf(sign))
  return [...words.join('-')].slice(0, MAX_LENGTH).join('').replace(/-$/, '')
}

/** The slug and its numbered forms, `news`, `news-2`, `news-3` and so on: `count` of them, each of at most `length` characters. */
export function numberedSlugs(slug: string, length: number, count: number): readonly string[] {
  const numbered = Array.from({ length: count - 1 }, (_, i) => cutSlug(slug, length, `-${i + 2}`))
  return [cutSlug(slug, length), ...numbered]
}

/** The beginning of a slug and this end, without half a character or a hyphen where it is cut. */
export function cutSlug(slug: string, length: number, end = ''): string {
  const beginning = slug
    .slice(0, length - end.length)
    .replace(/[\ud800-\udbff]$/, '')
    .replace(/-$/, '')
  return `${beginning}${end}`
}

function numberOf(sign: string): string {
  return (sign.codePointAt(0) ?? 0).toString(16)
}
