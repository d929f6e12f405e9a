import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { useEffect, useState } from 'react'
import { useMay } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { BlockFields, type BlockFieldsProps } from './block-fields.tsx'
import { chosenIn, copyBlock, deleteBlock, moveBlock, setAttributes, setColumns } from './change-blocks.ts'
import classes from './mail-editor.module.css'
import { SaveAsSnippet } from './save-as-snippet.tsx'

interface PanelProps extends Pick<BlockFieldsProps, 'variables'> {
  readonly editor: Editor
}

/** The fields of the chosen block, and what can be done with it as a whole. */
export function BlockPanel({ editor, variables }: PanelProps) {
  const t = useTexts()
  const may = useMay()
  const chosen = useEditorState({ editor, selector: () => chosenIn(editor) })
  // a mail that begins with a picture opens with it chosen, which its author did not do
  const [isBegun, setBegun] = useState(false)
  useEffect(() => {
    const begin = () => setBegun(true)
    editor.on('focus', begin).on('update', begin)
    return () => void editor.off('focus', begin).off('update', begin)
  }, [editor])
  if (chosen === undefined || !isBegun) {
    return (
      <div className={classes.panel}>
        <Text size="sm" c="dimmed">
          {t.editor.choose}
        </Text>
      </div>
    )
  }
  const { name, at } = chosen
  const tools = [
    { label: t.editor.up, icon: IconArrowUp, act: () => moveBlock(editor, at, -1), within: false, moves: true },
    { label: t.editor.down, icon: IconArrowDown, act: () => moveBlock(editor, at, 1), within: false, moves: true },
    { label: t.editor.copy, icon: IconCopy, act: () => copyBlock(editor, at), within: false, moves: false },
    { label: t.anywhere.delete, icon: IconTrash, act: () => deleteBlock(editor, at), within: true, moves: false },
  ]
  const isWithin = name === 'variable' || name === 'liquid'
  const isPlace = name === 'mailContent'
  return (
    <section className={classes.panel} aria-label={t.editor.panel}>
      <Stack gap="sm">
        <Text fw={600}>{t.editor.blocks[name]}</Text>
        <BlockFields
          key={`${name} ${at}`}
          chosen={chosen}
          variables={variables}
          set={(attrs) => setAttributes(editor, at, attrs)}
          setColumns={(count) => setColumns(editor, at, count)}
        />
        <Group gap={4}>
          {tools
            .filter(({ within, moves }) => (within || !isWithin) && (moves || !isPlace))
            .map(({ label, icon: Icon, act }) => (
              <ActionIcon key={label} variant="default" aria-label={label} title={label} onClick={act}>
                <Icon size={16} />
              </ActionIcon>
            ))}
        </Group>
        {isWithin || isPlace || name === 'snippet' || !may.templates ? null : (
          <SaveAsSnippet key={at} editor={editor} at={at} />
        )}
      </Stack>
    </section>
  )
}
