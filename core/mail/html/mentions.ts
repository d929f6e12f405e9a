import type { Piece } from '../render/scan-template.ts'

/** The names under which a template has the recipient's pages. */
export const PAGE_NAMES = ['unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const
type PageName = (typeof PAGE_NAMES)[number]

/** Tags that look at a value without printing it. */
const CONDITIONS = new Set(['if', 'unless', 'elsif', 'case', 'when'])
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/gs
/** `["unsubscribeUrl"]` at the beginning of a path is the same as the bare name. */
const BRACKETED = /(?<![\w.\]-])\[\s*(["'])(\w+)\1\s*\]/g

/** True when the piece prints, or keeps for printing, one of these values. A property of that name is another thing. */
export function mentionsPage(piece: Piece, names: readonly PageName[] = PAGE_NAMES): boolean {
  if (piece.kind !== 'output' && (piece.kind !== 'tag' || CONDITIONS.has(piece.name))) return false
  const words = piece.content.replace(BRACKETED, ' $2').replace(QUOTED, ' ')
  return names.some((name) => new RegExp(`(?<![\\w.?-])${name}(?![\\w?-])`).test(words))
}
