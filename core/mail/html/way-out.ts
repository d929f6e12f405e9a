import type { Piece } from '../render/scan-template.ts'
import { BlockDepth } from './block-depth.ts'
import { mentionsPage } from './mentions.ts'
import { showsLink, UNKNOWN_TEXT } from './shown-link.ts'

/** The pages where a recipient can unsubscribe. */
export const UNSUBSCRIBE_PAGES = ['unsubscribeUrl', 'manageUrl'] as const

/** Whether every mail made of a template shows a way to unsubscribe, none does, or only the finished mail shows. */
export type WayOut = 'always' | 'never' | 'perhaps'

/** Prints the address of such a page and nothing else. */
const PLAIN = /^\s*(?:unsubscribeUrl|manageUrl|\[\s*(["'])(?:unsubscribeUrl|manageUrl)\1\s*\])\s*(?:\|\s*raw\s*)?$/
const RAW = /\|\s*raw\b/
/** Tags that give a name another value. */
const SETTING =
  /^\s*(?:(?:assign|capture|for|tablerow|increment|decrement|liquid)\b|mailwright_snippet\b.*\b(?:unsubscribeUrl|manageUrl)\s*:)/s
const PAGE = 'https://page.invalid/'

/** Decides for an HTML template as far as its source shows. */
export function wayOutOfHtml(source: string, pieces: readonly Piece[]): WayOut {
  const shows = (as: Filling) => showsLink(filled(source, pieces, as), [PAGE])
  return wayOut(pieces, shows)
}

/** Decides for a plain-text template as far as its source shows. */
export function wayOutOfText(source: string, pieces: readonly Piece[]): WayOut {
  return wayOut(pieces, (as) => filled(source, pieces, as).includes(PAGE))
}

function wayOut(pieces: readonly Piece[], shows: (as: Filling) => boolean): WayOut {
  if (!pieces.some((piece) => mentionsPage(piece, UNSUBSCRIBE_PAGES))) return 'never'
  const code = pieces.filter((piece) => piece.kind === 'output' || piece.kind === 'tag')
  const hasTags = code.some(({ kind }) => kind === 'tag')
  if (!hasTags && !shows({ other: 'x', blocks: true, isAnyPage: true })) return 'never'
  // printed HTML may hide what follows, and a tag may change what a name stands for
  if (code.some(({ kind, content }) => (kind === 'tag' ? SETTING : RAW).test(content) && !PLAIN.test(content)))
    return 'perhaps'
  const isAlways = [true, false].every((blocks) => shows({ other: UNKNOWN_TEXT, blocks, isAnyPage: false }))
  return isAlways ? 'always' : 'perhaps'
}

interface Filling {
  /** The stand-in for other values. */
  readonly other: string
  /** Whether the contents of blocks are there. */
  readonly blocks: boolean
  /** Whether an address that is changed counts as the page's. */
  readonly isAnyPage: boolean
}

function filled(source: string, pieces: readonly Piece[], { other, blocks, isAnyPage }: Filling): string {
  const depth = new BlockDepth(pieces)
  let text = ''
  for (const piece of pieces) {
    if (piece.kind === 'tag' || (!blocks && depth.at(piece.from) > 0)) continue
    if (piece.kind === 'output') {
      const isPage = PLAIN.test(piece.content) || (isAnyPage && mentionsPage(piece, UNSUBSCRIBE_PAGES))
      text += isPage ? PAGE : other
    } else if (piece.kind !== 'comment') text += source.slice(piece.from, piece.to)
  }
  return text
}
