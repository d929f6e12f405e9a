import type { HtmlElement, HtmlLines } from './html-lines.ts'
import type { NewLines } from './new-lines.ts'

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * HTML without the lines that are not new. Whole elements are taken out, so that it stays well-formed. Only the source up
 * to `end` was read.
 */
export function withoutOlder(source: string, read: HtmlLines, { isNew, endsInOlder }: NewLines, end: number): string {
  const { leaves, elements, openCount } = read
  // how many new leaves there are before each
  const before = new Uint32Array(leaves.length + 1)
  for (const [i, { line }] of leaves.entries()) before[i + 1] = (before[i] ?? 0) + (isNew[line] ? 1 : 0)
  const isOlder = ({ name, firstLeaf, afterLeaf }: HtmlElement) =>
    afterLeaf > firstLeaf && before[afterLeaf] === before[firstLeaf] && name !== 'html' && name !== 'body'
  const rest = endsInOlder ? '' : source.slice(end)
  // the last elements to be closed are those that were open at the end: the rest may have more of them
  const closed = rest === '' ? elements : elements.slice(0, elements.length - openCount)
  const older: Range[] = [...leaves.filter(({ line }) => !isNew[line]), ...closed.filter(isOlder)]
  older.sort((a, b) => a.from - b.from)
  const parts: string[] = []
  let at = 0
  for (const { from, to } of older) {
    if (from > at) parts.push(source.slice(at, from))
    at = Math.max(at, to)
  }
  parts.push(source.slice(at, end), rest)
  if (end < source.length && endsInOlder) {
    const open = elements.slice(elements.length - openCount).filter((element) => !isOlder(element))
    parts.push(...open.map(({ name }) => `</${name}>`))
  }
  return parts.join('')
}
