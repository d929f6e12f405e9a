import { htmlLines } from './html-lines.ts'
import { isBlank, type Line } from './line.ts'
import { type NewLines, newLines } from './new-lines.ts'
import { withoutOlder } from './without-older.ts'

/** A mail as text and as HTML; either may be empty. */
export interface Written {
  readonly text: string
  readonly html: string
}

/** How many characters, lines, and tags and entities are looked at; what comes later stays. */
const MAX_READ = 1_000_000
const MAX_LINES = 20_000
const MAX_TAGS = 20_000

/**
 * The text that the author of a mail newly wrote: without the mail that is answered, signatures and legal text. In doubt
 * it stays, and a mail with nothing else, such as one that was forwarded without a word, stays whole.
 */
export function newlyWritten({ text, html }: Written): Written {
  const fromHtml = newHtml(html)
  const fromText = newText(text)
  const whole = text.trim()
  // the marks of HTML show what words do not
  const isShownByHtml = fromText === whole && fromHtml.html !== html
  return { text: whole === '' || isShownByHtml ? fromHtml.text : fromText, html: fromHtml.html }
}

function newText(text: string): string {
  const end = endOfPart(text, /\n/g, MAX_LINES)
  const lines = text
    .slice(0, end)
    .split(/\r\n|\r|\n/)
    .map((each) => ({ text: each }))
  const found = newLines(lines)
  const rest = found.endsInOlder ? '' : text.slice(end)
  return (joined(lines, found) + (rest && `\n${rest}`)).trim() || text.trim()
}

/** The HTML without what is older, and its lines as text. */
function newHtml(html: string): Written {
  const part = endOfPart(html, /[<&]/g, MAX_TAGS)
  const end = part < html.length ? Math.max(html.lastIndexOf('<', part), 0) : part
  const read = htmlLines(html.slice(0, end))
  // a page of a thousand elements in each other was written by no mail program
  if (read === undefined)
    return {
      html,
      text: html
        .slice(0, end)
        .replace(/<[^<>]*>/g, ' ')
        .trim(),
    }
  const { lines } = read
  const found = newLines(lines)
  const text = joined(lines, found)
  const isCut = lines.some((line, i) => !found.isNew[i] && !isBlank(line))
  if (!isCut || text === '') return { html, text: joined(lines, { isNew: lines.map(() => true) }) }
  return { html: withoutOlder(html, read, found, end), text }
}

/** The new lines; where something is left out between two of them, there is a blank line. */
function joined(lines: readonly Line[], { isNew }: Pick<NewLines, 'isNew'>): string {
  const parts: string[] = []
  let isGap = false
  for (const [i, { text }] of lines.entries()) {
    if (!isNew[i]) {
      isGap = true
      continue
    }
    const line = text.trimEnd()
    if (isGap && parts.length > 0 && line !== '' && parts.at(-1) !== '') parts.push('')
    parts.push(line)
    isGap = false
  }
  return parts.join('\n').trim()
}

/** Where the part that is looked at ends: before the last of the most signs that are looked at. */
function endOfPart(text: string, sign: RegExp, most: number): number {
  let last = 0
  let count = 0
  for (const { index } of text.slice(0, MAX_READ).matchAll(sign)) {
    last = index
    if (++count === most) return last
  }
  return text.length > MAX_READ ? last || MAX_READ : text.length
}
