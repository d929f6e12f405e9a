/** Around the number of what is held, while HTML is read. Unicode keeps both from ever being characters of a text. */
const OPEN = '\ufdd0'
const CLOSE = '\ufdd1'
export const HELD = /\ufdd0(\d+)\ufdd1/
const ALL_HELD = new RegExp(HELD, 'g')
/** Each begins at its last opening, so that openings without an end are passed over once. */
const LIQUID =
  /\{%-?\s*(comment|raw)\s*-?%\}(?:(?!\{%-?\s*\1\s*-?%\})[\s\S])*?\{%-?\s*end\1\s*-?%\}|\{\{(?:(?!\{\{)[\s\S])*?\}\}|\{%(?:(?!\{%)[\s\S])*?%\}/g

/** The HTML that marks the place of a held block, by where it stands: only rows may stand between rows. */
const PLACES = {
  flow: (mark: string) => `<div data-held="">${mark}</div>`,
  rows: (mark: string) => `<tr data-held=""><td>${mark}</td></tr>`,
  cells: (mark: string) => `<td data-held="">${mark}</td>`,
  line: (mark: string) => mark,
} as const
const PLACED = /<tr data-held=""><td>(\ufdd0\d+\ufdd1)<\/td><\/tr>|<(div|td) data-held="">(\ufdd0\d+\ufdd1)<\/\2>/g

const BLOCK =
  /^(?:p|div|h[1-6]|table|caption|tbody|thead|tfoot|ul|ol|li|dl|dt|dd|tr|td|th|center|section|article|header|footer|main|nav|aside|address|figure|figcaption|blockquote|hr|pre|style|script|html|head|body|form|fieldset|details|summary)$/
const TABLE_PART = /^(?:table|caption|tbody|thead|tfoot|tr|td|th)$/
const VOID = /^(?:img|br|hr|input|col|area|source|meta|link|base|embed|wbr)$/

/** HTML whose Liquid is replaced by marks that survive the reading of HTML at their places. */
export interface HeldHtml {
  readonly html: string
  /** The text that a mark with this number stands for; it may have marks itself. */
  readonly sources: readonly string[]
}

/** A part of the HTML, as far as it matters here. Marks within tags belong to the tag. */
interface Token {
  readonly kind: 'open' | 'close' | 'mark' | 'comment' | 'raw'
  /** Of tags, in lower case. */
  readonly name: string
  readonly text: string
  readonly from: number
  readonly to: number
}

type Range = readonly [from: number, to: number]

/**
 * Holds what would not survive being read as HTML: Liquid, piece by piece; as a whole what Liquid tags put around
 * blocks (`{% if %}<p>…</p>{% endif %}`), since the tags and what is between them belong together; and elements whose
 * tag has Liquid instead of an attribute.
 */
export function holdLiquid(source: string): HeldHtml {
  const sources: string[] = []
  const hold = (text: string) => `${OPEN}${sources.push(text) - 1}${CLOSE}`
  const html = source.replaceAll(LIQUID, (piece) => hold(piece))
  const tokens = tokensOf(html)
  const tables = elementsOf(tokens, (name) => name === 'table')
  const wanted = [...aroundBlocks(tokens, sources), ...tokens.flatMap((token, at) => rangeOf(token, at, tokens))].map(
    (range) => widened(range, tokens, tables),
  )
  let held = ''
  let done = 0
  const last = lastTags(tokens)
  for (const [from, to] of joined(wanted)) {
    const inside = html.slice(from, to)
    const isBlock = tokens.some((token) => token.from >= from && token.to <= to && BLOCK.test(token.name))
    const place = placeAfter(last(from))
    held += html.slice(done, from)
    held += PLACES[place === 'flow' && !isBlock ? 'line' : place](hold(inside))
    done = to
  }
  return { html: held + html.slice(done), sources }
}

/** A text of the held HTML with everything in its place again. */
export function released(text: string, sources: readonly string[]): string {
  return text.replaceAll(PLACED, '$1$3').replaceAll(ALL_HELD, (_, at) => released(sources[Number(at)] ?? '', sources))
}

function tokensOf(html: string): readonly Token[] {
  const found =
    /<!--(?:(?!<!--)[\s\S])*?-->|<(style|script|title|textarea)\b[^<>]*>(?:(?!<\1\b)[\s\S])*?<\/\1\s*>|<(\/?)([a-z][^\s/>\ufdd0]*)((?:[\s/\ufdd0](?:"[^"]*"|'[^']*'|[^"'>])*)?)>|\ufdd0\d+\ufdd1/gi
  return [...html.matchAll(found)].map(({ 0: text, 1: raw, 2: slash, 3: name, index: from }) => {
    const kind = text.startsWith('<!--') ? 'comment' : raw ? 'raw' : name ? (slash ? 'close' : 'open') : 'mark'
    return { kind, name: (raw ?? name ?? '').toLowerCase(), text, from, to: from + text.length }
  })
}

/** From opening to closing tag of all elements of these names. */
function elementsOf(tokens: readonly Token[], isWanted: (name: string) => boolean): readonly Range[] {
  const open: Token[] = []
  const found: Range[] = []
  for (const token of tokens) {
    if (!isWanted(token.name)) continue
    if (token.kind === 'open') open.push(token)
    const start = token.kind === 'close' ? open.pop() : undefined
    if (start) found.push([start.from, token.to])
  }
  return found
}

/** The ranges from a Liquid tag to its end, tags included, where there are blocks between. */
function aroundBlocks(tokens: readonly Token[], sources: readonly string[]): readonly Range[] {
  const open: { readonly name: string; readonly from: number; readonly at: number }[] = []
  const found: Range[] = []
  for (const [at, { kind, text, from, to }] of tokens.entries()) {
    const name = kind === 'mark' ? /^\{%-?\s*(\w+)/.exec(sourceOf(text, sources))?.[1] : undefined
    if (name === undefined) continue
    const starts = name.startsWith('end') ? open.findLastIndex((tag) => tag.name === name.slice(3)) : -1
    const start = open[starts]
    if (start === undefined) {
      open.push({ name, from, at })
      continue
    }
    open.length = starts
    if (tokens.slice(start.at, at).some((token) => BLOCK.test(token.name))) found.push([start.from, to])
  }
  return found
}

/** Other ranges that are held as one: an element with Liquid instead of an attribute, a comment with Liquid, Liquid between rows. */
function rangeOf(token: Token, at: number, tokens: readonly Token[]): readonly Range[] {
  const { kind, text, name, from, to } = token
  if (kind === 'comment') return HELD.test(text) && !/^<!--\[if/i.test(text) ? [[from, to]] : []
  if (kind === 'mark') {
    const before = tokens.slice(0, at).findLast((each) => each.kind === 'open' || each.kind === 'close')
    return placeAfter(before) === 'flow' ? [] : [[from, to]]
  }
  if (kind !== 'open') return []
  const bare = text.replaceAll(/"[^"]*"|'[^']*'|=\s*[^\s"'>]+/g, '')
  if (!HELD.test(bare)) return []
  if (VOID.test(name) || text.endsWith('/>')) return [[from, to]]
  const own = elementsOf(tokens.slice(at), (each) => each === name).find(([start]) => start === from)
  return [own ?? [from, to]]
}

const sourceOf = (mark: string, sources: readonly string[]) => sources[Number(HELD.exec(mark)?.[1])] ?? ''

/** The range; or the table around it, when it begins in one cell or row and ends in another. */
function widened(range: Range, tokens: readonly Token[], tables: readonly Range[]): Range {
  const [from, to] = range
  const depths = new Map<string, number>()
  let isTorn = false
  for (const { kind, name, from: start, to: end } of tokens) {
    if (start < from || end > to || !TABLE_PART.test(name)) continue
    const depth = (depths.get(name) ?? 0) + (kind === 'open' ? 1 : -1)
    depths.set(name, depth)
    isTorn ||= depth < 0
  }
  if (!isTorn && [...depths.values()].every((depth) => depth === 0)) return range
  return tables.find(([start, end]) => start <= from && end >= to) ?? range
}

/** The ranges in order, without those within others; what overlaps is one. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const found: [number, number][] = []
  for (const [from, to] of ranges.toSorted(([a, b], [c, d]) => a - c || d - b)) {
    const last = found.at(-1)
    if (last === undefined || from >= last[1]) found.push([from, to])
    else last[1] = Math.max(last[1], to)
  }
  return found
}

/** Finds the tag before a place; places are asked for in order. */
function lastTags(tokens: readonly Token[]): (place: number) => Token | undefined {
  let at = 0
  let last: Token | undefined
  return (place) => {
    for (let token = tokens[at]; token !== undefined && token.to <= place; token = tokens[++at]) {
      if (token.kind === 'open' || token.kind === 'close') last = token
    }
    return last
  }
}

function placeAfter(tag: Token | undefined): keyof typeof PLACES {
  if (tag === undefined) return 'flow'
  const { kind, name } = tag
  if (kind === 'open')
    return /^(?:table|tbody|thead|tfoot|col|colgroup)$/.test(name) ? 'rows' : name === 'tr' ? 'cells' : 'flow'
  return /^(?:tr|tbody|thead|tfoot|caption|colgroup)$/.test(name) ? 'rows' : /^t[dh]$/.test(name) ? 'cells' : 'flow'
}
