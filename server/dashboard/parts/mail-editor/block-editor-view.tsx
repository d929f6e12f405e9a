import { useElementSize } from '@mantine/hooks'
import type { Editor, JSONContent } from '@tiptap/core'
import { NodeSelection } from '@tiptap/pm/state'
import { EditorContent, useEditor } from '@tiptap/react'
import { type CSSProperties, useEffect, useMemo, useRef } from 'react'
import { COLOR, fontOf, onColor, readable, widthsOf } from '../../../../core/mail/formats/mail-page.ts'
import { useAsk } from '../../api/ask.ts'
import { useTexts } from '../../texts/texts.tsx'
import { ContactPicker } from '../contact-picker.tsx'
import type { PreviewedContact } from '../mail-preview.tsx'
import { useNotices } from '../notices.ts'
import type { Variable } from '../variables.ts'
import { BlockBar } from './block-bar.tsx'
import { BlockPanel } from './block-panel.tsx'
import { choosePlace } from './change-blocks.ts'
import type { DrawnKind } from './compose.ts'
import type { Design, DesignNode, MailLook } from './design.ts'
import classes from './mail-editor.module.css'
import { nodesOf } from './nodes.ts'
import { cleanPaste, wordsAndPictures } from './paste.ts'
import { filesIn, insertPicture, usePictures } from './pictures.ts'
import { shownValues, showValues } from './shown-values.ts'
import { SlashMenu } from './slash-menu.tsx'

export interface BlockEditorProps {
  /** The mail as it is when the editor opens; later changes come from the editor alone. */
  readonly design: Design
  readonly onChange: (design: Design) => void
  readonly look: MailLook
  readonly label: string
  readonly variables: readonly Variable[]
  readonly kind: DrawnKind
  /** Whose values the fields show. */
  readonly contact: PreviewedContact
}

/** A mail to write in as it will look, with a bar to format and to add blocks, and the fields of the chosen block beside it. */
export default function BlockEditorView({ design, onChange, look, label, variables, kind, contact }: BlockEditorProps) {
  const t = useTexts()
  const latest = useRef(onChange)
  latest.current = onChange
  const uploading = usePictures()
  const upload = useRef(uploading)
  upload.current = uploading
  const notices = useNotices()
  const refuse = useRef((_: string) => {})
  refuse.current = (why) => notices.refused(new Error(why))
  const { postalAddress } = look
  const profiles = (look.links ?? []).map(({ name }) => name).join('\n')
  // others than before would make a new editor: without its history, and with the cursor at the start
  const extensions = useMemo(
    () => [...nodesOf(t.editor, postalAddress, profiles === '' ? [] : profiles.split('\n'), kind), shownValues],
    [t, postalAddress, profiles, kind],
  )
  const editor = useEditor(
    {
      extensions,
      content: { type: 'doc', content: design.content as JSONContent[] },
      // the styles of the editor come with the page: its policy allows no others
      injectCSS: false,
      editorProps: {
        attributes: { 'aria-label': label, role: 'textbox', 'aria-multiline': 'true' },
        // what is typed while a block is chosen would take its place
        handleTextInput: ({ state: { selection } }) => selection instanceof NodeSelection && selection.node.isBlock,
        transformPastedHTML: cleanPaste,
        handleDOMEvents: { mousedown: choosePlace },
        handleDrop: (view, event, _slice, isMoved) => {
          if (isMoved) return false
          const { pictures, others } = filesIn(event.dataTransfer)
          const at = view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos
          for (const file of pictures)
            void upload.current(file).then((found) => found && insertPicture(view, found, at))
          for (const { name } of others) refuse.current(t.editor.notShown(name))
          return pictures.length + others.length > 0
        },
        handlePaste: (view, { clipboardData }) => {
          const html = clipboardData?.getData('text/html') ?? ''
          // beside words, the file may be a picture of them
          const { hasWords, pictures: lost } = wordsAndPictures(html)
          const { pictures, others } = filesIn(hasWords ? null : clipboardData)
          for (const file of pictures) void upload.current(file).then((found) => found && insertPicture(view, found))
          for (const { name } of others) refuse.current(t.editor.notShown(name))
          if (pictures.length === 0 && lost > 0) refuse.current(t.editor.picturesLost(lost))
          return pictures.length > 0
        },
      },
      onUpdate: ({ editor: changed }) => latest.current(designIn(changed)),
    },
    [extensions],
  )
  const person = useAsk(
    ['contacts', contact.id],
    (api, signal) => api.GET('/contacts/{id}', { params: { path: { id: contact.id ?? '' } }, signal }),
    { enabled: contact.id !== undefined },
  )
  useEffect(() => {
    const { data, id, email, subscribed } = person.data ?? {}
    showValues(editor, contact.id === undefined ? undefined : { ...data, id, email, subscribed })
  }, [editor, person.data, contact.id])
  const color = look.color ?? COLOR
  const { whole } = widthsOf(look)
  const desk = useElementSize()
  const drawn = {
    '--mail-color': color,
    '--mail-readable': readable(color),
    '--mail-on-color': onColor(color),
    '--mail-font': fontOf(look),
    '--mail-width': `${whole}px`,
  } as CSSProperties
  return (
    <div className={classes.around} style={drawn}>
      <BlockBar editor={editor} variables={variables} />
      <div className={classes.place}>
        <div
          ref={desk.ref}
          className={classes.desk}
          // as the style sheet of a mail does on a screen of this width
          data-narrow={desk.width <= whole || undefined}
          data-stacked={desk.width <= Math.min(whole, 596) || undefined}
        >
          <div className={classes.paper} data-paper>
            {look.logoUrl === undefined || kind === 'snippet' ? null : (
              <img className={classes.logo} src={look.logoUrl} alt="" />
            )}
            <EditorContent editor={editor} />
          </div>
          <SlashMenu editor={editor} />
        </div>
        <div className={classes.beside}>
          <div className={classes.following}>
            <BlockPanel editor={editor} variables={variables} />
            <div className={classes.as}>
              <ContactPicker label={t.editor.valuesOf} value={contact.id} onChange={contact.choose} />
            </div>
          </div>
        </div>
      </div>
    </div>
  )
}

function designIn(editor: Editor): Design {
  return { version: 1, content: (editor.getJSON().content ?? []) as readonly DesignNode[] }
}
