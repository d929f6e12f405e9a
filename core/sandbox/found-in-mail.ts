import { Parser } from 'htmlparser2'

/** A link of a mail. */
export interface FoundLink {
  /** Where it leads, before it is counted. */
  readonly url: string
  /** The words that it stands behind; empty for a picture. */
  readonly text: string
}

/** How many links of a mail are found, and in how much of it. */
const MOST_LINKS = 200
const LONGEST = 2_000_000
/** The text of a link, in characters. */
const LONGEST_WORDS = 200

/** The links of a mail's HTML, in their order, each address with the same words once; without HTML, those of its text. */
export function linksIn(html: string, text: string): readonly FoundLink[] {
  const found = html.trim() === '' ? ofText(text) : ofHtml(html)
  const known = new Set<string>()
  const links = found.filter(({ url, text: words }) => {
    const key = `${url}\n${words}`
    return !known.has(key) && known.add(key)
  })
  return links.slice(0, MOST_LINKS)
}

function ofHtml(html: string): readonly FoundLink[] {
  const links: { url: string; text: string }[] = []
  let open: { url: string; text: string } | undefined
  const parser = new Parser(
    {
      onopentag(name, { href }) {
        if (name !== 'a' && name !== 'area') return
        const url = href?.trim() ?? ''
        open = /^(?:https?|mailto|tel):/i.test(url) ? { url, text: '' } : undefined
        if (open && links.length < 10 * MOST_LINKS) links.push(open)
      },
      ontext(text) {
        if (open && open.text.length < LONGEST_WORDS) open.text += text
      },
      onclosetag(name) {
        if (name === 'a') open = undefined
      },
    },
    { decodeEntities: true },
  )
  parser.end(html.slice(0, LONGEST))
  return links.map(({ url, text }) => ({ url, text: wordsOf(text) }))
}

function ofText(text: string): readonly FoundLink[] {
  const found = text.slice(0, LONGEST).match(/\bhttps?:\/\/[^\s<>"']{1,2000}/g) ?? []
  // signs at the end belong to the sentence
  return found.slice(0, 10 * MOST_LINKS).map((url) => ({ url: url.replace(/[.,;:!?)\]}]{1,10}$/, ''), text: '' }))
}

function wordsOf(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_WORDS)
}

/** Words that stand near a code, in languages of mails. */
const NEAR =
  /(?:code|kode|kod|koden|koodi|código|codice|код)(?:s|e|en)?(?!\p{L})|(?<!\p{L})(?:pin|otp|tan|token)(?!\p{L})|kennwort|kennzahl|コード|验证码|代码/u
/** Four to ten digits, also in two groups, or capitals and digits together. */
const CANDIDATE =
  /(?<![\p{L}\p{N}_./@#&=?%-])(?:\d{4,10}|\d{3,4}[ -]\d{3,4}|[A-Z0-9]{5,10}|[A-Z0-9]{3,5}-[A-Z0-9]{3,5})(?![\p{L}\p{N}_/@=%-]|\.\p{N})/gu
/** How many lines, and how much of a line, are looked through. */
const MOST_LINES = 500
const LONGEST_LINE = 500

/**
 * The code that a mail gives to its reader to type in, such as `A1B2-C3` or 123456, digits without what separates their
 * groups; undefined when it has none. A code stands alone in its line, or in or after a line that speaks of one.
 */
export function codeIn(subject: string, text: string): string | undefined {
  const lines = [subject, ...text.split('\n')].slice(0, MOST_LINES).map((line) => line.trim().slice(0, LONGEST_LINE))
  const speaksOf = lines.map((line) => NEAR.test(line.toLowerCase()))
  const speaks = speaksOf.some(Boolean)
  if (!speaks) return undefined
  const found = lines.flatMap((line, at) => codesOf(line).map((code) => ({ code, at, isAlone: isAlone(line, code) })))
  const isNear = (at: number) => speaksOf.slice(Math.max(0, at - 3), at + 1).some(Boolean)
  const best = found.find(({ isAlone }) => isAlone) ?? found.find(({ at }) => isNear(at))
  // letters are typed as they stand
  return best && (/[A-Z]/.test(best.code) ? best.code : best.code.replace(/[ -]/g, ''))
}

function codesOf(line: string): readonly string[] {
  const addressless = line.replace(/\bhttps?:\/\/\S{1,2000}/g, ' ')
  return [...addressless.matchAll(CANDIDATE)].map(([code]) => code).filter((code) => /\d/.test(code) && !isYear(code))
}

/** A line that has nothing but the code, and signs around it. */
function isAlone(line: string, code: string): boolean {
  return line.replace(code, '').replace(/[\s*_:.|=-]/g, '') === ''
}

function isYear(code: string): boolean {
  return /^(?:19|20)\d\d$/.test(code)
}
