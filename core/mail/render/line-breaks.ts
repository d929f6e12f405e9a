import { type Piece, scanTemplate } from './scan-template.ts'

/** A body with such a tag is HTML. */
const TAG = /<[a-z!/]/i
const BREAK = /\r\n|\r|\n/g

/**
 * A body without a single HTML tag is plain text: its line breaks become `<br>`, so that the mail reads as it was
 * written. Any other body stays unchanged, also one that prints HTML with `| raw`. White space that a placeholder
 * removes (`{{-`), and that at the end, does not count.
 */
export function withLineBreaks(body: string): string {
  if (TAG.test(body) || !/[\r\n]/.test(body)) return body
  const pieces = scanTemplate(body)
  if (pieces.some(printsHtml)) return body
  const written = pieces.map((piece, i) => {
    const text = body.slice(piece.from, piece.to)
    if (piece.kind !== 'text') return text
    const next = pieces[i + 1]
    const lead = takes(pieces[i - 1], 'trimRight') ? text.length - text.trimStart().length : 0
    const end = next === undefined || takes(next, 'trimLeft') ? Math.max(lead, text.trimEnd().length) : text.length
    return text.slice(0, lead) + text.slice(lead, end).replace(BREAK, '<br>\n') + text.slice(end)
  })
  return written.join('')
}

function printsHtml(piece: Piece): boolean {
  return piece.kind === 'output' && /\|\s*raw\b/.test(piece.content)
}

function takes(piece: Piece | undefined, side: 'trimLeft' | 'trimRight'): boolean {
  return (piece?.kind === 'output' || piece?.kind === 'tag') && piece[side]
}
