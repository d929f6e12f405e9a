import { isDisclaimer, mayBeDisclaimer, mayBeginDisclaimer } from './disclaimer.ts'
import { isBlank, isRule, type Line } from './line.ts'
import { isDivider, isHeaderBlock, withRuleAbove } from './older-mail.ts'
import { quoteHeaderTo } from './quote-header.ts'
import { isShortSignature } from './short-signature.ts'

/** A longer text below two dashes is no signature. */
const MAX_SIGNATURE = 30
const MAX_LOOSE_SIGNATURE = 12
/** Legal text has more paragraphs at times, but no more lines than that. */
const MAX_PARAGRAPH = 60
/** How many paragraphs of legal text are looked for. */
const MAX_PARAGRAPHS = 6
/** How many lines of a paragraph are tried as its beginning. */
const MAX_TRIES = 3

/** Which lines of a mail are new. */
export interface NewLines {
  readonly isNew: readonly boolean[]
  /** True when an older mail goes on to the end, whatever follows the last line. */
  readonly endsInOlder: boolean
}

/** Which lines of a mail its author wrote: no quotes, no older mails, no signatures, no disclaimers. */
export function newLines(lines: readonly Line[]): NewLines {
  const isNew = lines.map(() => true)
  const end = dropQuotes(lines, isNew)
  for (let from = 0; from < end; ) {
    let to = from
    while (to < end && isNew[to]) to++
    for (let i = withoutSignatures(lines, from, to); i < to; i++) isNew[i] = false
    from = to + 1
  }
  dropBlanks(lines, isNew)
  return { isNew, endsInOlder: end < lines.length }
}

/** Returns where an older mail begins that goes on to the end. */
function dropQuotes(lines: readonly Line[], isNew: boolean[]): number {
  let hasHeader = false
  const dropFrom = (from: number, to: number) => isNew.fill(false, from, to)
  let tabbedTo = 0
  for (const [i, line] of lines.entries()) {
    if (i < tabbedTo) continue
    if (line.mark === 'signature' || isQuoted(lines, i) || (hasHeader && line.mark === 'indented')) {
      isNew[i] = false
      continue
    }
    if (line.mark === 'rest' || isDivider(line) || isHeaderBlock(lines, i)) {
      const from = withRuleAbove(lines, i)
      dropFrom(from, lines.length)
      return from
    }
    const header = quoteHeaderTo(lines, i)
    if (header === undefined) continue
    const next = firstText(lines, i + 1)
    if (next < lines.length && (isQuoted(lines, next) || lines[next]?.mark === 'indented')) {
      hasHeader = true
      dropFrom(header.from, next)
    } else if (isTabbed(lines[next])) {
      tabbedTo = lines.findIndex((each, j) => j > next && !isTabbed(each))
      if (tabbedTo < 0) tabbedTo = lines.length
      dropFrom(header.from, tabbedTo)
    } else if (header.isCertain && next < lines.length) {
      const from = withRuleAbove(lines, header.from)
      dropFrom(from, lines.length)
      return from
    }
  }
  return lines.length
}

function isQuoted(lines: readonly Line[], at: number): boolean {
  const { text = '', mark } = lines[at] ?? {}
  if (mark === 'quote') return true
  if (!/^ {0,3}[>＞]/.test(text)) return false
  // some servers write it before a sentence that begins with "From"
  return !text.startsWith('>From ') || [at - 1, at + 1].some((i) => /^ ?>/.test(lines[i]?.text ?? ''))
}

/** Whether mailx and those like it have put the line of a quote in, below who wrote it. */
function isTabbed({ text, mark }: Line = EMPTY): boolean {
  return mark === undefined && text.startsWith('\t')
}

function firstText(lines: readonly Line[], at: number): number {
  let i = at
  while (i < lines.length && isBlank(lines[i] ?? EMPTY)) i++
  return i
}
const EMPTY: Line = { text: '' }

/** Where the signature of these lines begins, with legal text and lines of mail programs below. */
function withoutSignatures(lines: readonly Line[], from: number, to: number): number {
  let end = withoutLegal(lines, from, to)
  const delimiter = delimiterAbove(lines, from, end)
  if (delimiter !== undefined) end = withoutLegal(lines, from, delimiter)
  return end
}

function withoutLegal(lines: readonly Line[], from: number, to: number): number {
  let kept = to
  for (let end = to; ; ) {
    while (end > from && (isBlank(lines[end - 1] ?? EMPTY) || isRule(lines[end - 1] ?? EMPTY))) end--
    // with the line that is drawn above it
    if (kept < to) kept = end
    if (end === from) return kept
    if (isShortSignature(lines[end - 1]?.text ?? '')) end--
    else {
      const begin = disclaimerBefore(lines, from, end)
      if (begin === undefined) return kept
      end = begin
    }
    kept = end
  }
}

/** The first line of the legal text that ends before this line: paragraphs, the first of which may begin within one. */
function disclaimerBefore(lines: readonly Line[], from: number, end: number): number | undefined {
  let below = end
  for (let count = 0; count < MAX_PARAGRAPHS; count++) {
    let begin = below
    while (begin > from && below - begin < MAX_PARAGRAPH && !isBlank(lines[begin - 1] ?? EMPTY)) begin--
    const found = beginOfDisclaimer(lines, begin, below)
    if (found !== undefined || !mayBeDisclaimer(joined(lines, begin, below))) return found
    below = begin
    while (below > from && isBlank(lines[below - 1] ?? EMPTY)) below--
  }
  return undefined
}

function beginOfDisclaimer(lines: readonly Line[], from: number, to: number): number | undefined {
  for (let begin = from, tries = 0; begin < to && tries < MAX_TRIES; begin++) {
    if (!mayBeginDisclaimer(lines[begin]?.text ?? '')) continue
    tries++
    if (isDisclaimer(joined(lines, begin, to))) return begin
  }
  return undefined
}

function joined(lines: readonly Line[], from: number, to: number): string {
  return lines
    .slice(from, to)
    .map(({ text }) => text.trim())
    .join(' ')
}

function delimiterAbove(lines: readonly Line[], from: number, end: number): number | undefined {
  let loose: number | undefined
  let count = 0
  for (let i = end - 1; i >= from && count <= MAX_SIGNATURE; i--) {
    const { text } = lines[i] ?? EMPTY
    if (/^--[ \u00a0]$/.test(text)) return i
    if (/^\s{0,3}--\s{0,3}$/.test(text)) {
      // several of them, or one between two paragraphs, divide a text
      if (loose !== undefined || count > MAX_LOOSE_SIGNATURE || isBlank(lines[i + 1] ?? EMPTY)) return undefined
      loose = i
    }
    if (text.trim() !== '') count++
  }
  return loose
}

/** Blank lines where something is left out: none at the beginning and the end, one between two texts. */
function dropBlanks(lines: readonly Line[], isNew: boolean[]): void {
  let from = 0
  for (let i = 0; i <= lines.length; i++) {
    if (i < lines.length && (!isNew[i] || isBlank(lines[i] ?? EMPTY))) continue
    const isOuter = from === 0 || i === lines.length
    const isWhole = !isOuter && isNew.slice(from, i).every(Boolean)
    const first = isOuter || isWhole ? -1 : isNew.indexOf(true, from)
    if (!isWhole) for (let j = from; j < i; j++) isNew[j] = j === first && j < i
    from = i + 1
  }
}
