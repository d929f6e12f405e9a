import { Paper } from '@mantine/core'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { useEffect, useId, useRef, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { addBlock } from './add-block.ts'
import classes from './mail-editor.module.css'
import { NEW_BLOCKS } from './new-blocks.ts'

/** The text after the slash in a line that has nothing else; undefined in any other line. */
function typedIn({ state: { selection } }: Editor): string | undefined {
  const { $from, empty } = selection
  const { parent } = $from
  if (!empty || parent.type.name !== 'paragraph' || $from.parentOffset !== parent.content.size) return undefined
  return /^\/([\p{L} ]{0,30})$/u.exec(parent.textContent)?.[1]
}

/** The blocks that can be added, below an empty line in which a slash is typed. Arrows choose, Enter adds, Escape leaves. */
export function SlashMenu({ editor }: { readonly editor: Editor }) {
  const t = useTexts()
  const id = useId()
  const typed = useEditorState({ editor, selector: () => typedIn(editor) })
  const [left, setLeft] = useState<string | undefined>()
  const [at, setAt] = useState(0)
  const wanted = typed?.trim().toLowerCase() ?? ''
  const found = NEW_BLOCKS.filter(({ name }) => t.editor.blocks[name].toLowerCase().includes(wanted))
  const isOpen = typed !== undefined && typed !== left && found.length > 0
  const chosen = Math.min(at, found.length - 1)
  const add = (index: number) => {
    const block = found[index]
    if (block === undefined) return
    const { $from } = editor.state.selection
    editor.chain().focus().deleteRange({ from: $from.start(), to: $from.end() }).run()
    addBlock(editor, block.make(t.editor))
  }
  const press = (key: string): boolean => {
    if (!isOpen) return false
    if (key === 'ArrowDown') setAt((chosen + 1) % found.length)
    else if (key === 'ArrowUp') setAt((chosen + found.length - 1) % found.length)
    else if (key === 'Enter' || key === 'Tab') add(chosen)
    else if (key === 'Escape') setLeft(typed)
    else return false
    return true
  }
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!editor.isFocused || event.isComposing || !latest.current(event.key)) return
      event.preventDefault()
      event.stopPropagation()
    }
    // before the editor does something else with the key
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [editor])
  useEffect(() => {
    setAt(0)
    if (typed === undefined) setLeft(undefined)
  }, [typed])
  useEffect(() => {
    if (!isOpen) return
    const { dom } = editor.view
    dom.setAttribute('aria-controls', id)
    dom.setAttribute('aria-activedescendant', `${id}-${chosen}`)
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
    return () => {
      dom.removeAttribute('aria-controls')
      dom.removeAttribute('aria-activedescendant')
    }
  }, [editor, id, isOpen, chosen])
  if (!isOpen) return null
  const { bottom, left: x } = editor.view.coordsAtPos(editor.state.selection.from)
  const around = editor.view.dom.closest(`.${classes.desk}`)?.getBoundingClientRect()
  return (
    <Paper
      id={id}
      role="listbox"
      aria-label={t.editor.slash}
      withBorder
      shadow="md"
      className={classes.slash}
      style={{ top: bottom - (around?.top ?? 0) + 4, left: x - (around?.left ?? 0) }}
    >
      {found.map(({ name, icon: Icon }, index) => (
        <div
          key={name}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          className={classes.choice}
          // the editor keeps the focus
          onMouseDown={(event) => {
            event.preventDefault()
            add(index)
          }}
        >
          <Icon size={14} /> {t.editor.blocks[name]}
        </div>
      ))}
    </Paper>
  )
}
