import type { EngineError } from '../errors.ts'
import { invalidField } from '../errors.ts'
import { insideOf, isMailPage } from '../mail/formats/mail-page.ts'
import { BlockDepth } from '../mail/html/block-depth.ts'
import { masked } from '../mail/html/mask.ts'
import { placesOf } from '../mail/render/html-places.ts'
import { syntaxError } from '../mail/render/liquid-source.ts'
import { type Piece, scanTemplate } from '../mail/render/scan-template.ts'

/** A text in quotes; one that is not closed goes to the end. */
const QUOTED = /"(?:[^"\\]|\\.)*(?:"|\\?$)|'(?:[^'\\]|\\.)*(?:'|\\?$)/gs
/** The bare name, not a property of that name. */
const NAME = /(?<![\w.?-])content(?![\w?-])/
/** Whole documents have one of these. */
const DOCUMENT = /<(?:!doctype|html|head|body)\b/i

/** Why this cannot be the body of a layout: `{{ content }}` must stand in it once, in the text of its HTML. */
export function frameProblem(source: string, field: string): EngineError | undefined {
  const pieces = scanTemplate(source)
  const [place, second] = pieces.filter(isContent)
  const at = (offset: number, message: string) => syntaxError(source, offset, field, message)
  const other = pieces.find((piece) => !isContent(piece) && namesContent(piece))
  if (other) return at(other.from, "content is the mail's own body here, which only {{ content }} can name")
  if (place === undefined)
    return invalidField(field, 'custom', "must have {{ content }} once, where the mail's own body stands")
  if (second) return at(second.from, 'has {{ content }} more than once')
  if (new BlockDepth(pieces).at(place.from) > 0)
    return at(place.from, '{{ content }} must not be in a condition or a loop')
  return isInText(source, pieces, place) ? undefined : at(place.from, '{{ content }} must be in the text of the body')
}

/** The mail's own body in the frame of a layout, instead of `{{ content }}`. Of a whole document its body is taken. */
export function framed(frame: string, inner: string): string {
  const place = scanTemplate(frame).find(isContent)
  if (place === undefined) return frame
  // a drawn mail in a drawn layout is one card, not one within the other
  const own = (isMailPage(frame) ? insideOf(inner) : undefined) ?? bodyPart(inner)
  return frame.slice(0, place.from) + own + frame.slice(place.to)
}

function isContent(piece: Piece): boolean {
  return piece.kind === 'output' && piece.content.trim() === 'content'
}

function namesContent(piece: Piece): boolean {
  return (piece.kind === 'output' || piece.kind === 'tag') && NAME.test(piece.content.replace(QUOTED, ' '))
}

function isInText(source: string, pieces: readonly Piece[], place: Piece): boolean {
  const liquid = pieces.filter(({ kind }) => kind !== 'text')
  if (placesOf(source, pieces)[liquid.indexOf(place)] !== 'text') return false
  const text = masked(source, pieces).toLowerCase()
  const before = text.slice(0, place.from)
  return before.lastIndexOf('<') <= before.lastIndexOf('>') && !/<body\b/.test(text.slice(place.from))
}

/**
 * The part of a whole document that can stand in the body of another: the content of its `<body>`, behind the style
 * sheets of its head. Anything else is answered as it is.
 */
function bodyPart(source: string): string {
  if (!DOCUMENT.test(source)) return source
  const text = masked(source, scanTemplate(source))
  const styles = (to: number) =>
    [...text.slice(0, to).matchAll(/<style\b[^<>]*>(?:(?!<style\b)[\s\S])*?<\/style\s*>/gi)]
      .map(({ 0: found, index }) => source.slice(index, index + found.length))
      .join('')
  const body = /<body\b[^<>]*>/i.exec(text)
  if (body) {
    const from = body.index + body[0].length
    const end = text.toLowerCase().lastIndexOf('</body')
    return styles(body.index) + source.slice(from, end < from ? source.length : end)
  }
  const head = /<head\b[^<>]*>(?:(?!<head\b)[\s\S])*?<\/head\s*>/i.exec(text)
  const headEnd = head ? head.index + head[0].length : 0
  return styles(headEnd) + source.slice(headEnd).replace(/<!doctype\b[^<>]*>|<\/?html\b[^<>]*>/gi, '')
}
