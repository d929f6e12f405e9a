import { decodeReferences } from '../../values/decode-references.ts'
import { Pace } from '../../values/pace.ts'
import { escapeHtml } from '../render/printed.ts'
import { linkTarget, maybeTracked } from './link-target.ts'
import { liquidWithin } from './mask.ts'
import { mentionsPage } from './mentions.ts'
import { readHtml } from './read-html.ts'

/** Names and values to add to an address, in their order. */
export type Query = readonly [name: string, value: string][]

/**
 * An HTML template with these parameters in the address of every web link; one that an address has already stays. The
 * recipient's own pages, links with `data-no-track` and everything but http and https stay as they are. Where Liquid
 * writes a part of an address, they are added once the address is known. Other work runs between many links.
 */
export async function withLinkQuery(source: string, query: Query): Promise<string> {
  if (query.length === 0) return source
  const { hrefs, pieces } = readHtml(source)
  const all = new URLSearchParams([...query]).toString()
  const pace = new Pace()
  let text = ''
  let at = 0
  for (const { from, to, quote } of hrefs) {
    if (pace.isDue) await pace.rest()
    const value = source.slice(from, to)
    const liquid = liquidWithin(pieces, from, to)
    const [first] = liquid
    const isSpread = liquid.some((piece) => piece.from < from || piece.to > to || mentionsPage(piece))
    if (isSpread || !maybeTracked(source.slice(from, first?.from ?? to))) continue
    if (first === undefined && linkTarget(value, quote) === undefined) continue
    text += source.slice(at, from) + (first === undefined ? addedTo(value, query) : addedLater(value, all))
    at = to
  }
  return text + source.slice(at)
}

/** An address as it stands in HTML with these parameters; the same when it is none on the web. */
export function addedTo(html: string, query: Query): string {
  const address = decodeReferences(html)
  const added = withQuery(address, query)
  return added === address ? html : escapeHtml(added)
}

/** A web address with the parameters that it lacks, before its fragment. */
export function withQuery(address: string, query: Query): string {
  if (!/^\s*https?:\/\//i.test(address)) return address
  const hash = address.indexOf('#')
  const [whole, fragment] = hash < 0 ? [address.trimEnd(), ''] : [address.slice(0, hash), address.slice(hash)]
  const start = whole.indexOf('?')
  const given = new Set(start < 0 ? [] : new URLSearchParams(whole.slice(start)).keys())
  const added = new URLSearchParams(query.filter(([name]) => !given.has(name)))
  if (added.size === 0) return address
  const joint = start < 0 ? '?' : /[?&]$/.test(whole) ? '' : '&'
  return `${whole}${joint}${added}${fragment}`
}

/** The same in Liquid, for an address that is known only once it is filled in. */
function addedLater(value: string, query: string): string {
  return `{% capture mailwright_address %}${value}{% endcapture %}{{ mailwright_address | mailwright_query: "${query}" }}`
}
