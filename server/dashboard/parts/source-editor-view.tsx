import { autocompletion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import { html } from '@codemirror/lang-html'
import { liquid } from '@codemirror/lang-liquid'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { Annotation, EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { basicSetup } from 'codemirror'
import { useEffect, useRef } from 'react'
import classes from './source-editor.module.css'

export interface SourceEditorProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
  /** The names to complete inside `{{ }}`, such as `data.plan`. */
  readonly variables?: readonly { readonly name: string; readonly detail?: string }[]
  readonly readOnly?: boolean
  readonly minHeight?: number
}

/** Colors that are readable on light and on dark (WCAG 2.2, 1.4.3). */
const COLORS = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'light-dark(#0b6272, #62d2df)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'light-dark(#6a3d9a, #d0a8ff)' },
  { tag: [tags.attributeValue, tags.string], color: 'light-dark(#1b6b36, #8fd9a3)' },
  { tag: [tags.keyword, tags.operator, tags.modifier], color: 'light-dark(#a3330b, #ffb08a)' },
  { tag: [tags.variableName, tags.number, tags.bool], color: 'light-dark(#8a4b00, #ffd08a)' },
  { tag: [tags.comment, tags.meta], color: 'light-dark(#596068, #a9afb6)' },
])

/** Marks what was not written in the editor, so that it is not reported as a change. */
const FROM_OUTSIDE = Annotation.define<boolean>()

/** Keeps the line ends of Windows where all lines have them. */
function lineEndsOf(text: string): Extension {
  const isWindows = text.includes('\r\n') && !/\r(?!\n)|(?<!\r)\n/.test(text)
  return isWindows ? EditorState.lineSeparator.of('\r\n') : []
}

/** CodeMirror. Its styles go into a sheet of the document, so that no inline style is needed. */
export default function SourceEditorView({
  value,
  onChange,
  label,
  variables = [],
  readOnly = false,
  minHeight = 420,
}: SourceEditorProps) {
  const place = useRef<HTMLDivElement>(null)
  const editor = useRef<EditorView | null>(null)
  const latest = useRef({ onChange, variables })
  latest.current = { onChange, variables }
  // the text as the mail has it: the editor itself knows one kind of line ends alone
  const known = useRef(value)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is made once; later values come in below
  useEffect(() => {
    const complete = (context: CompletionContext): CompletionResult | null => {
      const open = context.matchBefore(/\{[{%][^{}]*$/)
      const word = context.matchBefore(/(?<![\w.])[\w.]*$/)
      if (open === null || word === null || (word.from === word.to && !context.explicit)) return null
      const options = latest.current.variables.map(({ name, detail = '' }) => ({
        label: name,
        detail,
        type: 'variable',
      }))
      return { from: word.from, options, validFor: /^[\w.]*$/ }
    }
    const view = new EditorView({
      parent: place.current as HTMLDivElement,
      state: EditorState.create({
        doc: value,
        extensions: [
          basicSetup,
          liquid({ base: html() }),
          syntaxHighlighting(COLORS),
          autocompletion({ override: [complete] }),
          EditorView.lineWrapping,
          EditorState.readOnly.of(readOnly),
          lineEndsOf(value),
          EditorView.cspNonce.of(document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(FROM_OUTSIDE))) return
            known.current = update.state.sliceDoc()
            latest.current.onChange(known.current)
          }),
        ],
      }),
    })
    editor.current = view
    return () => view.destroy()
  }, [])
  useEffect(() => {
    const view = editor.current
    if (view === null || known.current === value) return
    known.current = value
    const changes = { from: 0, to: view.state.doc.length, insert: value }
    view.dispatch({ changes, annotations: FROM_OUTSIDE.of(true) })
  }, [value])
  return <div ref={place} className={classes.editor} style={{ minHeight }} />
}
