import type { DesignNode } from './design.ts'
import { snippetOf } from './liquid.ts'

/** Spaces, and characters that take none: mails fill up the preview of the inbox with them. */
export const NO_WORDS = /^(?:\s|\u00ad|\u034f|[\u200b-\u200f]|\u2060)*$/

export type Marks = NonNullable<DesignNode['marks']>

/** The formats that everything within an element inherits. */
export interface Place {
  /** Where text stands. */
  readonly side: string
  /** Where pictures and buttons stand. */
  readonly box: string
  /** The side is that of `align` or `center`, which do not reach the text of a table. */
  readonly isByAlign: boolean
  readonly marks: Marks
  /** Of a heading around it. */
  readonly level?: number | undefined
}
export const START: Place = { side: 'left', box: 'left', isByAlign: false, marks: [] }

/** Blocks in their order; text and what stands in lines of text becomes paragraphs between them. */
export class Flow {
  readonly blocks: DesignNode[] = []
  readonly line: DesignNode[] = []
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  end(): void {
    const words = trimmed(this.line.reduce(joined, []))
    this.line.length = 0
    if (words.length === 0) return
    const { level, side } = this.#place
    if (words.every(isTag)) this.blocks.push(sourceBlock(words.map(({ attrs }) => attrs?.source ?? '').join('')))
    else if (level === undefined) this.blocks.push(aligned({ type: 'paragraph', content: words }, side))
    else this.blocks.push(aligned({ type: 'heading', attrs: { level }, content: words }, side))
  }

  add(...blocks: readonly DesignNode[]): void {
    this.end()
    this.blocks.push(...blocks)
  }
}

export const marked = (marks: Marks) => (marks.length === 0 ? {} : { marks })

/** The marks with more: each once, the inner link instead of the outer one; code is nothing else. */
export function withMarks(marks: Marks, more: Marks): Marks {
  const isNew = ({ type }: Marks[number]) => !more.some((other) => other.type === type)
  const all = [...marks.filter(isNew), ...more]
  return all.length > 1 ? all.filter(({ type }) => type !== 'code') : all
}

function isTag(node: DesignNode): boolean {
  return node.type === 'liquid'
    ? !String(node.attrs?.source).startsWith('{{')
    : node.type === 'hardBreak' || isBlank(node)
}

const isBlank = ({ type, text = '' }: DesignNode) => type === 'text' && NO_WORDS.test(text)

/** HTML as it is; a snippet that stands alone is a separate block. */
export function sourceBlock(html: string): DesignNode {
  const snippet = snippetOf(html)
  if (snippet) return { type: 'snippet', attrs: { ...snippet } }
  return { type: 'source', attrs: { html: html.trim() } }
}

function aligned(node: DesignNode, side: string): DesignNode {
  return side === 'left' ? node : { ...node, attrs: { ...node.attrs, textAlign: side } }
}

/** Texts with the same marks are one. */
function joined(line: DesignNode[], node: DesignNode): DesignNode[] {
  const last = line.at(-1)
  const isSame =
    last?.type === 'text' && node.type === 'text' && JSON.stringify(last.marks) === JSON.stringify(node.marks)
  if (!isSame) line.push(node)
  else line[line.length - 1] = { ...last, text: `${last.text}${node.text}`.replaceAll(/ {2,}/g, ' ') }
  return line
}

/** Without the spaces that HTML does not show, and without breaks at the ends; nothing when there are no words. */
function trimmed(line: readonly DesignNode[]): DesignNode[] {
  const isEmpty = (node: DesignNode) => node.type === 'hardBreak' || isBlank(node)
  const start = line.findIndex((node) => !isEmpty(node))
  const words = start < 0 ? [] : line.slice(start, line.findLastIndex((node) => !isEmpty(node)) + 1)
  const first = words[0]
  if (first?.type === 'text') words[0] = { ...first, text: (first.text ?? '').replace(/^[ \n]+/, '') }
  const last = words.at(-1)
  if (last?.type === 'text')
    words[words.length - 1] = { ...last, text: (last.text ?? '').replace(/(?<![ \n])[ \n]+$/, '') }
  return words
}
