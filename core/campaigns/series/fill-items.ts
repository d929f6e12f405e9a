import { type Piece, scanTemplate } from '../../mail/render/scan-template.ts'
import type { Json, JsonObject } from '../../values/json.ts'

/** The variables of a feed that a body may use. */
const OF_FEED = ['items', 'feed'] as const

/** Stands for a placeholder that is filled in for each recipient later. */
const KEPT = { begin: '\ue0f0', end: '\ue0f1' }
/** Stands for a brace in a value, which must not begin a placeholder. */
const BRACE = '\ue0f2'
const MARKS = /[\ue0f0-\ue0f2]/g

/** A template whose placeholders for items are filled in, and those for recipients kept. */
export interface SplitTemplate {
  /** The same template, with marks for what is kept. */
  readonly source: string
  /** Whether anything in it is about items. */
  readonly usesItems: boolean
  /** The places that mix both, in words: they cannot be filled in. */
  readonly problems: readonly string[]
  /** The rendered template, with what was kept. */
  join(rendered: string): string
}

/**
 * Splits a template: what is about items (`items`, `feed`, and the variables of loops over them) is filled in when an issue
 * is made, everything else for each recipient. A block that is about items is filled in as a whole, so its conditions
 * can only ask for items.
 */
export function splitTemplate(written: string, mode: 'html' | 'text'): SplitTemplate {
  const source = written.replace(MARKS, '')
  const splitting = new Splitting(source)
  const marked = scanTemplate(source)
    .map((piece) => splitting.piece(piece))
    .join('')
  const { kept, problems, usesItems } = splitting
  const brace = mode === 'html' ? '&#123;' : '{'
  const join = (rendered: string) => {
    const values = rendered.replaceAll(BRACE, brace)
    // in a text a space keeps two signs from beginning a placeholder, also one that is kept
    const safe = mode === 'html' ? values : values.replace(/\{(?=[{%\ue0f0])/g, '{ ')
    return safe.replace(/\ue0f0(\d+)\ue0f1/g, (_, at: string) => kept[Number(at)] ?? '')
  }
  return { source: marked, usesItems, problems, join }
}

/** Values from outside, in which nothing can begin a placeholder or pass for a mark. */
export function harmless(value: Json): Json {
  if (typeof value === 'string') return value.replace(MARKS, '').replaceAll('{', BRACE)
  if (Array.isArray(value)) return value.map(harmless)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value as JsonObject).map(([key, each]) => [key, harmless(each)]))
}

interface Block {
  readonly name: string
  /** Whether it is about items. */
  readonly isFilled: boolean
  /** The names that it adds. */
  readonly adds: readonly string[]
}

const BLOCKS = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture'])
const BRANCHES = new Set(['elsif', 'when'])
const FREE = new Set(['else', 'break', 'continue'])

class Splitting {
  readonly kept: string[] = []
  readonly problems: string[] = []
  usesItems = false
  readonly #source: string
  readonly #blocks: Block[] = []
  readonly #assigned = new Set<string>(OF_FEED)

  constructor(source: string) {
    this.#source = source
  }

  piece(piece: Piece): string {
    const text = this.#source.slice(piece.from, piece.to)
    if (piece.kind === 'text') return text
    if (piece.kind === 'output') return this.#chosen(text, piece.fallback?.head ?? piece.content, false)
    if (piece.kind === 'tag') return this.#tag(piece.name, piece.content, text)
    return this.#keep(text)
  }

  #tag(name: string, content: string, text: string): string {
    const rest = content.replace(/^\s*[\w?-]+/, '')
    const block = this.#blocks.at(-1)
    if (BLOCKS.has(name)) {
      const loop = name === 'for' || name === 'tablerow' ? /^\s*([\w-]+)\s+in\s+((?:\S.*)?)$/s.exec(rest) : undefined
      const made = name === 'capture' ? rest.trim() : loop?.[1]
      const asked = name === 'capture' ? '' : (loop?.[2] ?? rest)
      const isFilled = this.#isOfItems(asked, text, block?.isFilled === true)
      this.#blocks.push({
        name,
        isFilled,
        adds: isFilled && made !== undefined ? [made, 'forloop', 'tablerowloop'] : [],
      })
      if (isFilled && name === 'capture' && made !== undefined) this.#assigned.add(made)
      return isFilled ? text : this.#keep(text)
    }
    if (name.startsWith('end')) {
      this.#blocks.pop()
      return block?.isFilled ? text : this.#keep(text)
    }
    if (BRANCHES.has(name)) {
      const isOfItems = this.#isOfItems(rest, text, block?.isFilled === true)
      if (isOfItems && !block?.isFilled) this.#refuse(text)
      return block?.isFilled ? text : this.#keep(text)
    }
    if (FREE.has(name)) return block?.isFilled ? text : this.#keep(text)
    if (name === 'assign') {
      const [, made = '', asked = ''] = /^\s*([\w-]+)\s*=(.*)$/s.exec(rest) ?? []
      if (!this.#isOfItems(asked, text, block?.isFilled === true)) return this.#keep(text)
      this.#assigned.add(made)
      return text
    }
    // a snippet is put in later, and knows no items then
    if (name === 'render' || name === 'include' || name === 'liquid') {
      if (rootsOf(rest).some((root) => this.#knows(root))) this.#refuse(text)
      return this.#keep(text)
    }
    return this.#chosen(text, rest, block?.isFilled === true)
  }

  #chosen(text: string, asked: string, isInside: boolean): string {
    return this.#isOfItems(asked, text, isInside) ? text : this.#keep(text)
  }

  /** Whether this is about items; within a block that is, it must be. */
  #isOfItems(asked: string, text: string, isInside: boolean): boolean {
    const roots = rootsOf(asked)
    const isOfItems = isInside || roots.some((root) => this.#knows(root))
    if (!isOfItems) return false
    this.usesItems = true
    if (roots.some((root) => !this.#knows(root))) this.#refuse(text)
    return true
  }

  #knows(root: string): boolean {
    return this.#assigned.has(root) || this.#blocks.some(({ adds }) => adds.includes(root))
  }

  #refuse(text: string): void {
    this.problems.push(text.replace(/\s+/g, ' ').slice(0, 80))
  }

  #keep(text: string): string {
    this.kept.push(text)
    return `${KEPT.begin}${this.kept.length - 1}${KEPT.end}`
  }
}

const WORDS = new Set([
  'true',
  'false',
  'nil',
  'null',
  'empty',
  'blank',
  'and',
  'or',
  'not',
  'contains',
  'in',
  'reversed',
  'limit',
  'offset',
  'cols',
])

/** The variables that an expression begins with: `item` of `item.title | truncate: size`, and `size`. */
function rootsOf(expression: string): readonly string[] {
  const bare = expression.replace(/"[^"]*"|'[^']*'/g, ' ')
  const roots: string[] = []
  // the name of a filter, of a named argument, of a property or a number is no variable
  for (const [, before = '', name = '', after = ''] of bare.matchAll(/(\|\s*|[.\]]\s*)?([A-Za-z_][\w-]*)\s*(:)?/g)) {
    if (before === '' && after === '' && !WORDS.has(name)) roots.push(name)
  }
  return roots
}
