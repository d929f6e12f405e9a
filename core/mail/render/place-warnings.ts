import type { Warning } from '../../values/unknown-keys.ts'
import { type Place, placesOf } from './html-places.ts'
import { type Piece, scanTemplate } from './scan-template.ts'
import { sizeProblem } from './source-size.ts'

/** How many such places of one body are named. */
const MAX_NAMED = 5
/** How many characters of a placeholder a warning quotes. */
const LONGEST = 60

const SAID: Partial<Record<Place, string>> = {
  unquoted: 'into an attribute without quotes: its blanks are escaped there; put quotes around it',
  'unquoted address': 'into an attribute without quotes: its blanks are escaped there; put quotes around it',
  tag: 'into a tag outside quotes: its blanks and signs are escaped there; print it into a quoted value',
}

/**
 * Warns of values that an HTML body prints where they could be taken for more than a value, each with its place. The
 * addresses of our own pages and HTML that is printed on purpose are left out.
 */
export function placeWarnings(body: string, field: string): readonly Warning[] {
  // one that is too large is refused
  if (!body.includes('{') || sizeProblem(body) !== undefined) return []
  const pieces = scanTemplate(body)
  const places = placesOf(body, pieces)
  const liquid = pieces.filter(({ kind }) => kind !== 'text')
  const found: Warning[] = []
  for (const [i, piece] of liquid.entries()) {
    const said = SAID[places[i] ?? 'text']
    if (said === undefined || !printsData(piece) || found.length >= MAX_NAMED) continue
    const shown = body.slice(piece.from, piece.to).replace(/\s+/g, ' ').slice(0, LONGEST)
    found.push({ field, message: `prints ${shown} ${said} (${placeIn(body, piece.from)})` })
  }
  return found
}

function printsData(piece: Piece): boolean {
  if (piece.kind === 'tag') return piece.name === 'echo'
  return (
    piece.kind === 'output' && !/^\s*(?:un)?subscribeUrl\b|^\s*(?:manage|view)Url\b|\|\s*raw\s*$/.test(piece.content)
  )
}

function placeIn(source: string, offset: number): string {
  const before = source.slice(0, offset)
  // without a comma: one separates warnings in a header field
  return `line ${before.split('\n').length} column ${offset - before.lastIndexOf('\n')}`
}
