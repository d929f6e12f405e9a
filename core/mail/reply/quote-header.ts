import { isBlank, type Line, plainWords } from './line.ts'

/** More lines than a header of a quote is wrapped over, and more characters than it has. */
const MAX_LINES = 4
const MAX_LENGTH = 300

/** How such a header begins: with a word before the date, with the date itself, or with who wrote. */
const BEGINNINGS = [
  /^(?:On|Am|Den|Le|El|Il|Op|W dniu|Dnia|Em|No dia|Na|A|À|Às|En|Em data|In data|Il giorno) (?=[^:]*\d)/,
  /^(?:On|Am|Le|El|Il|Op|Em) \p{L}{2,12}[.,]? ?/u,
  /^Dne (?=\d)/,
  /^在 ?(?=\d)/,
  /^\d{4}(?:年|[-/.] ?\d)/,
  /^\d{1,2}[./]\d{1,2}[./]\d{2,4}/,
  /^\d{1,2}\.? \p{L}{3,12}\.?,? \d{4}/u,
  /^\p{L}{2,12}[.,]{1,2} (?=[^:]*\d)/u,
  /^"?[^\s<>"][^<>"]{0,80}"? ?[<(][^\s<>()]{1,250}@[^\s<>()]{1,250}[>)]/,
]
/** How it ends. In German and Dutch the name comes after the verb. */
const ENDINGS =
  /(?:\bwr(?:ote|ites)|\bsaid|\bschrieb(?: .{1,200})?|\bgeschrieben|\ba écrit|\bescribió|\bescribe|\bha scritto|\bscrive|\bschreef(?: .{1,200})?|\bgeschreven|\bpisze|\bnapisał(?:a|\(a\)|\/a)?|\bescreveu(?: ?\(.{1,100}\))?|\bskrev(?: .{1,200})?|\bkirjoitti|\bnap[ií]sal(?:a|\(a\)|\/a)?|\bírta|\ba scris|\byazdı|пишет|написал(?:а|\(а\))?|пише|έγραψε|のメール|のメッセージ|書きました|写道|寫道|撰写|来信)[ ,]*:$/i
/** An author who repeats words of the recipient begins so as well. */
const BY_THE_AUTHOR = /\b(?:you|I|we) wrote ?:$/i
const TIME = /\d{1,2} ?(?:[:.h时時点]|Uhr) ?\d{2}/
const DAY = /\d{4}|\d{1,2}[./-]\d{1,2}[./-]\d{2}|\d{1,2}[.月]? ?\p{L}{3}/u
/** In other languages: whose it is stands last, with the address. */
const NAMED = /<[^\s<>@]{1,100}@[^\s<>@]{1,255}>[ ,]*:$/
/** A line of a header ends in the middle of it. */
const IS_SENTENCE = /[:!?…。！？]$|(?<![ap]\.m)\.$/
const ADDRESS = /[^\s<>()@]@[^\s<>()@]/

/** The header of a quote ("On … wrote:"), which ends in a line. */
export interface QuoteHeader {
  /** Its first line. */
  readonly from: number
  /** True when it has a day, a time and an author, so that it is one even if no line after it is marked as quoted. */
  readonly isCertain: boolean
}

/** The header of a quote that ends in this line, also wrapped over some lines. */
export function quoteHeaderTo(lines: readonly Line[], end: number): QuoteHeader | undefined {
  const last = withoutFrame(lines[end]?.text ?? '')
  if (!last.endsWith(':')) return undefined
  let joined = ''
  let uncertain: QuoteHeader | undefined
  for (let from = end; from >= 0 && from > end - MAX_LINES; from--) {
    const line = lines[from]
    if (line === undefined || isBlank(line) || line.text.length > MAX_LENGTH) break
    const words = withoutFrame(line.text)
    if (from < end && IS_SENTENCE.test(words)) break
    joined = joined === '' ? words : `${words} ${joined}`
    if (joined.length > MAX_LENGTH) break
    if (!BEGINNINGS.some((beginning) => beginning.test(words))) continue
    const hasEnding = ENDINGS.test(joined)
    const hasAddress = ADDRESS.test(joined)
    const hasDate = TIME.test(joined) && DAY.test(joined)
    if (hasDate && ((hasEnding && hasAddress) || NAMED.test(joined))) return { from, isCertain: true }
    if (hasDate || (hasEnding && (hasAddress || DAY.test(joined)))) uncertain = { from, isCertain: false }
  }
  if (uncertain) return uncertain
  // above a quote these count, too: "Ada Lovelace wrote:", and whatever has a day, a time and an address
  const isName = ENDINGS.test(last) && last.length <= 60 && last.split(' ').length <= 6 && !BY_THE_AUTHOR.test(last)
  const isDated = TIME.test(last) && DAY.test(last) && ADDRESS.test(last)
  return isName || isDated ? { from: end, isCertain: false } : undefined
}

/** Some programs put dashes around it, and a colon nowhere. */
function withoutFrame(text: string): string {
  const words = plainWords(text.slice(0, MAX_LENGTH + 100))
    .replaceAll('*', '')
    .replaceAll(/[\u201c\u201d]/g, '"')
  const bare = words.replace(/^-{2,40} ?/, '')
  const isFramed = bare !== words || words.endsWith('---')
  const end = bare.replace(/-{2,40}$/, '').trim()
  return isFramed && !end.endsWith(':') && end !== bare ? `${end}:` : end
}
