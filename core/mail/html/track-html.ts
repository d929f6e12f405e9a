import type { Piece } from '../render/scan-template.ts'
import { linkTarget, maybeTracked } from './link-target.ts'
import { liquidWithin } from './mask.ts'
import { mentionsPage } from './mentions.ts'
import { type Href, type HtmlMarks, readHtml } from './read-html.ts'

/** A tracked link of a template; its number is its place among them. */
export interface TrackedLink {
  /** The value of its `href` in the source: HTML, possibly with Liquid. */
  readonly source: string
  readonly quote: Href['quote']
  /** Its target, when it is the same for everybody. */
  readonly target?: string
  /** Whether it is a web address for everybody, as far as the source shows. */
  readonly isWeb: boolean
}

export interface TrackedSource {
  /** The source with the links' values replaced and the pixel added; nothing else is changed. */
  readonly source: string
  readonly links: readonly TrackedLink[]
}

/**
 * How a link whose address contains Liquid is written: `apart` makes the address a separate template, which is right
 * when it depends on the recipient's values only; `in place` leaves it where it is, in its loop and after the tags that
 * set its variables.
 */
export type DynamicLinks = 'apart' | 'in place'

const WHOLE_HOST = /^https?:\/\/[a-z0-9.-]+(?::\d+)?[/?#]/i
/** The image that is loaded when the mail is opened. */
export const PIXEL = [
  '<img src="',
  '" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">',
] as const
const PIXEL_TEMPLATE = PIXEL.join('{{ mailwright_pixel | raw }}')

/**
 * Rewrites an HTML template so that its web links and an image (unless it has none) lead to this service. `canRead` says whether a piece of
 * the source is a template in itself. Unchanged are links with `data-no-track`, to anything but http and https, to the
 * recipient's own pages, and everything in comments, styles and scripts.
 */
export function trackHtml(
  source: string,
  dynamic: DynamicLinks,
  canRead: (address: string) => boolean,
  { marks = readHtml(source), hasPixel = true }: { readonly marks?: HtmlMarks; readonly hasPixel?: boolean } = {},
): TrackedSource {
  const links: TrackedLink[] = []
  let text = ''
  let at = 0
  const end = marks.end
  let isPixelIn = !hasPixel
  const copyTo = (to: number) => {
    if (!isPixelIn && end <= to) {
      text += source.slice(at, end) + PIXEL_TEMPLATE
      at = end
      isPixelIn = true
    }
    text += source.slice(at, to)
    at = to
  }
  for (const href of marks.hrefs) {
    const link = linkOf(source, href, liquidWithin(marks.pieces, href.from, href.to), canRead)
    if (link === undefined) continue
    copyTo(href.from)
    text += placeholder(link, links.push(link) - 1, dynamic)
    at = href.to
  }
  copyTo(source.length)
  return { source: text, links }
}

function linkOf(
  source: string,
  { from, to, quote }: Href,
  liquid: readonly Piece[],
  canRead: (address: string) => boolean,
): TrackedLink | undefined {
  const value = source.slice(from, to)
  const [first] = liquid
  if (first === undefined) {
    const target = linkTarget(value, quote)
    return target === undefined ? undefined : { source: value, quote, target, isWeb: true }
  }
  if (liquid.some((piece) => piece.from < from || piece.to > to || mentionsPage(piece))) return undefined
  const beginning = source.slice(from, first.from)
  if (!maybeTracked(beginning) || !canRead(value)) return undefined
  // Escaped output stays within the quotes, and after a complete host anything is a path
  const isEscaped = liquid.every((piece) => piece.kind === 'output' && !piece.content.includes('|'))
  const isWeb = quote !== '' && isEscaped && WHOLE_HOST.test(beginning) && linkTarget(beginning, quote) !== undefined
  return { source: value, quote, isWeb }
}

function placeholder({ source, target, isWeb }: TrackedLink, number: number, dynamic: DynamicLinks): string {
  if (target !== undefined || (isWeb && dynamic === 'apart')) return `{{ mailwright_click | raw }}/${number}`
  if (dynamic === 'apart') return `{{ mailwright_link_${number} | raw }}`
  return `{% capture mailwright_target %}${source}{% endcapture %}{{ mailwright_target | mailwright_link: ${number} }}`
}
