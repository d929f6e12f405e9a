import type { Piece } from '../render/scan-template.ts'

/** The template variables for pages of this server that are the recipient's alone. */
export const PAGE_NAMES = ['unsubscribeUrl', 'subscribeUrl', 'manageUrl', 'viewUrl'] as const
type PageName = (typeof PAGE_NAMES)[number]

/** Tags that read a value without printing it. */
const CONDITIONS = new Set(['if', 'unless', 'elsif', 'case', 'when'])
/** A text in quotes; one that is not closed goes to the end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)/gs
/** `["unsubscribeUrl"]` at the beginning of a path equals the bare name. */
const BRACKETED = /(?<![\w.\]-])\[\s*(["'])(\w+)\1\s*\]/g

/** True when the piece prints one of these values, or stores it to print. A property of that name does not count. */
export function mentionsPage(piece: Piece, names: readonly PageName[] = PAGE_NAMES): boolean {
  if (piece.kind !== 'output' && (piece.kind !== 'tag' || CONDITIONS.has(piece.name))) return false
  const words = piece.content.replace(BRACKETED, ' $2').replace(QUOTED, ' ')
  return names.some((name) => new RegExp(`(?<![\\w.?-])${name}(?![\\w?-])`).test(words))
}
