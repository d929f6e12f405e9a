import type { Editor } from '@tiptap/core'
import { DOMParser, DOMSerializer } from '@tiptap/pm/model'

/** The text of a block in the editor: a paragraph, a heading, the words of a button. */
export interface TextPiece {
  /** Its HTML with its marks and fields. */
  readonly html: string
}

/** The texts of the blocks that are chosen, wholly or in part; all of the mail without a choice. */
export function textsIn(editor: Editor): readonly TextPiece[] {
  const { doc, selection, schema } = editor.state
  const { from, to, empty } = selection
  const serializer = DOMSerializer.fromSchema(schema)
  const pieces: TextPiece[] = []
  doc.nodesBetween(empty ? 0 : from, empty ? doc.content.size : to, (node) => {
    if (!node.isTextblock) return true
    const box = document.createElement('div')
    box.append(serializer.serializeFragment(node.content))
    if (node.textContent.trim() !== '') pieces.push({ html: box.innerHTML })
    return false
  })
  return pieces
}

/**
 * Puts other texts in the place of these, as one change that can be undone. A block that was changed meanwhile stays as it is.
 * Answers whether all were replaced.
 */
export function replaceTexts(editor: Editor, pieces: readonly TextPiece[], texts: readonly string[]): boolean {
  const { doc, schema, tr } = editor.state
  const serializer = DOMSerializer.fromSchema(schema)
  const parser = DOMParser.fromSchema(schema)
  let next = 0
  const places: { readonly from: number; readonly to: number; readonly text: string; readonly at: number }[] = []
  doc.descendants((node, at) => {
    if (!node.isTextblock) return true
    const box = document.createElement('div')
    box.append(serializer.serializeFragment(node.content))
    const found = pieces.findIndex(({ html }, i) => i >= next && html === box.innerHTML)
    const text = texts[found]
    if (found >= 0 && text !== undefined) {
      next = found + 1
      places.push({ from: at + 1, to: at + node.nodeSize - 1, text, at })
    }
    return false
  })
  // from the end, so that the places before stay where they are
  for (const { from, to, text, at } of places.toReversed()) {
    const node = doc.nodeAt(at)
    if (node === null) continue
    const box = document.createElement('div')
    box.innerHTML = text
    const parsed = parser.parse(box, { topNode: node.type.create(node.attrs), preserveWhitespace: 'full' })
    tr.replaceWith(from, to, parsed.content)
  }
  if (tr.docChanged) editor.view.dispatch(tr)
  return places.length === pieces.length
}
