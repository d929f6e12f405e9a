import type { Editor } from '@tiptap/core'
import type { Node as ProseNode } from '@tiptap/pm/model'
import { NodeSelection, TextSelection } from '@tiptap/pm/state'
import type { EditorView } from '@tiptap/pm/view'
import type { DesignNode } from './design.ts'

/** The nodes that hold blocks one below the other. */
const HOLDERS = new Set(['doc', 'column', 'condition'])

/** The kinds of blocks that have fields, or can be moved as a whole. */
const CHOSEN = [
  ...(['button', 'picture', 'spacer', 'social', 'card', 'postal', 'wayOut', 'snippet', 'source'] as const),
  ...(['columns', 'condition', 'divider', 'heading', 'variable', 'liquid', 'mailContent'] as const),
]
export type ChosenName = (typeof CHOSEN)[number]

/** A block that is chosen, or that the cursor is in, and where it begins. */
export interface Chosen {
  readonly name: ChosenName
  readonly at: number
  readonly attrs: Readonly<Record<string, unknown>>
  /** Of columns: how many there are. */
  readonly count: number
}

/** The block that the panel speaks of: the chosen one, else the nearest one around the cursor that has fields. */
export function chosenIn({ state: { selection } }: Editor): Chosen | undefined {
  if (selection instanceof NodeSelection) {
    const { node, from } = selection
    const name = node.type.name === 'horizontalRule' ? 'divider' : node.type.name
    if (isChosen(name)) return { name, at: from, attrs: node.attrs, count: node.childCount }
  }
  const { $from } = selection
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth)
    const { name } = node.type
    if (name === 'columns' || name === 'condition') {
      return { name, at: $from.before(depth), attrs: node.attrs, count: node.childCount }
    }
  }
  return undefined
}

function isChosen(name: string): name is ChosenName {
  return (CHOSEN as readonly string[]).includes(name)
}

/**
 * Puts a new block after the one that the cursor is in, or in the place of an empty line, and chooses it. The words it
 * begins with are chosen, so that what is typed takes their place.
 */
export function insertBlock({ view }: Editor, block: DesignNode): void {
  const { tr, schema, selection } = view.state
  const node = schema.nodeFromJSON(block)
  const { $to } = selection
  // the nearest holder that takes this block: columns, for one, do not stand in columns
  let depth = $to.depth
  while (depth > 0 && !(HOLDERS.has($to.node(depth).type.name) && takes($to.node(depth), node))) depth--
  const line = depth < $to.depth ? $to.node(depth + 1) : undefined
  const isEmpty = line?.isTextblock === true && line.childCount === 0
  const from = line === undefined ? selection.to : isEmpty ? $to.before(depth + 1) : $to.after(depth + 1)
  tr.replaceWith(from, isEmpty ? $to.after(depth + 1) : from, node)
  tr.setSelection(firstWords(tr.doc, from) ?? selectionAt(tr.doc, from))
  view.dispatch(tr.scrollIntoView())
}

/** The words of the first text within the block at this place; undefined where it has none. */
function firstWords(doc: ProseNode, at: number): TextSelection | undefined {
  const block = doc.nodeAt(at)
  let found: TextSelection | undefined
  doc.nodesBetween(at, at + (block?.nodeSize ?? 0), (node, place) => {
    if (found === undefined && node.isTextblock && node.content.size > 0) {
      found = TextSelection.create(doc, place + 1, place + 1 + node.content.size)
    }
    return found === undefined
  })
  return found
}

const takes = (holder: ProseNode, { type }: ProseNode) =>
  holder.canReplaceWith(holder.childCount, holder.childCount, type)

/** Sets attributes of the block at this place, which stays chosen. */
export function setAttributes({ view }: Editor, at: number, attrs: Readonly<Record<string, unknown>>): void {
  const { tr, selection } = view.state
  for (const [name, value] of Object.entries(attrs)) tr.setNodeAttribute(at, name, value)
  if (selection instanceof NodeSelection && selection.from === at) tr.setSelection(NodeSelection.create(tr.doc, at))
  view.dispatch(tr)
}

/** Chooses the place of the mail in a layout by the mouse; it cannot be dragged, so that browsers put the cursor beside it. */
export function choosePlace(view: EditorView, event: MouseEvent): boolean {
  const { state } = view
  if (!(event.target instanceof Element) || event.target.closest('[data-block="mailContent"]') === null) return false
  let place: number | undefined
  state.doc.forEach((node, at) => {
    if (node.type.name === 'mailContent') place = at
  })
  if (place === undefined) return false
  event.preventDefault()
  view.focus()
  view.dispatch(state.tr.setSelection(NodeSelection.create(state.doc, place)))
  return true
}

/** Makes it so many columns; what stood in one that goes moves into the last that stays. */
export function setColumns({ view }: Editor, at: number, count: number): void {
  const { tr, schema } = view.state
  const columns = tr.doc.nodeAt(at)
  const { column, paragraph } = schema.nodes
  if (!columns || !column || !paragraph) return
  const kept = columns.children.slice(0, count)
  while (kept.length < count) kept.push(column.create(null, paragraph.create()))
  const gone = columns.children.slice(count).flatMap(({ children }) => children)
  const last = kept.at(-1)
  if (last && gone.length > 0) kept[kept.length - 1] = column.create(null, [...last.children, ...gone])
  tr.replaceWith(at, at + columns.nodeSize, columns.type.create(columns.attrs, kept))
  tr.setSelection(TextSelection.near(tr.doc.resolve(at + 2)))
  view.dispatch(tr)
}

/** Changes places with the block before or after it. */
export function moveBlock({ view }: Editor, at: number, by: -1 | 1): void {
  const { tr } = view.state
  const $at = tr.doc.resolve(at)
  const node = $at.nodeAfter
  const other = by === 1 ? node && tr.doc.resolve(at + node.nodeSize).nodeAfter : $at.nodeBefore
  if (!node || !other) return
  const to = by === 1 ? at + other.nodeSize : at - other.nodeSize
  // at once: without one of them, the document might not be valid for a moment
  const [from, pair] = by === 1 ? [at, [other, node]] : [to, [node, other]]
  tr.replaceWith(from, from + node.nodeSize + other.nodeSize, pair)
  tr.setSelection(selectionAt(tr.doc, to))
  view.dispatch(tr.scrollIntoView())
}

/** Puts a copy after it. */
export function copyBlock({ view }: Editor, at: number): void {
  const { tr } = view.state
  const node = tr.doc.nodeAt(at)
  if (!node) return
  const to = at + node.nodeSize
  tr.insert(to, node).setSelection(selectionAt(tr.doc, to))
  view.dispatch(tr.scrollIntoView())
}

/** Puts another block in its place. */
export function replaceBlock({ view }: Editor, at: number, block: DesignNode): void {
  const { tr, schema } = view.state
  const node = tr.doc.nodeAt(at)
  if (!node) return
  tr.replaceWith(at, at + node.nodeSize, schema.nodeFromJSON(block))
  tr.setSelection(selectionAt(tr.doc, at))
  view.dispatch(tr)
}

export function deleteBlock({ view, commands }: Editor, at: number): void {
  const node = view.state.doc.nodeAt(at)
  if (!node) return
  // through the command, which keeps the document valid where nothing else is left
  commands.deleteRange({ from: at, to: at + node.nodeSize })
  view.focus()
}

function selectionAt(doc: ProseNode, at: number) {
  const node = doc.nodeAt(at)
  return node?.isAtom ? NodeSelection.create(doc, at) : TextSelection.near(doc.resolve(at + 1))
}
