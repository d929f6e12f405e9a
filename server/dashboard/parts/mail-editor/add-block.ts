import type { Editor } from '@tiptap/core'
import { insertBlock } from './change-blocks.ts'
import type { DesignNode } from './design.ts'
import classes from './mail-editor.module.css'

/** Adds a block where the cursor is, and goes to its first field, or into its text. */
export function addBlock(editor: Editor, block: DesignNode): void {
  insertBlock(editor, block)
  // once the menu is closed
  setTimeout(() => {
    // or the whole page left
    if (editor.isDestroyed) return
    const field = document.querySelector<HTMLInputElement | HTMLTextAreaElement>(
      `.${classes.panel} :is(input:not([type='radio'], [type='file']), textarea)`,
    )
    if (field === null || block.content !== undefined || block.type === 'paragraph') return void editor.commands.focus()
    field.focus()
    // the words it begins with go once others are typed
    field.select()
  }, 100)
}
