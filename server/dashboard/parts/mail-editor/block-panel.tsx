import { ActionIcon, Group, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useEditorState } from '@tiptap/react'
import { useEffect, useState } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import { BlockFields, type BlockFieldsProps } from './block-fields.tsx'
import { chosenIn, copyBlock, deleteBlock, moveBlock, setAttributes, setColumns } from './change-blocks.ts'
import classes from './mail-editor.module.css'

interface PanelProps extends Pick<BlockFieldsProps, 'variables'> {
  readonly editor: Editor
}

/** The fields of the chosen block, and what can be done with it as a whole. */
export function BlockPanel({ editor, variables }: PanelProps) {
  const t = useTexts()
  const chosen = useEditorState({ editor, selector: () => chosenIn(editor) })
  // a mail that begins with a picture opens with it chosen, by nobody
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
    { label: t.editor.up, icon: IconArrowUp, act: () => moveBlock(editor, at, -1), within: false },
    { label: t.editor.down, icon: IconArrowDown, act: () => moveBlock(editor, at, 1), within: false },
    { label: t.editor.copy, icon: IconCopy, act: () => copyBlock(editor, at), within: false },
    { label: t.anywhere.delete, icon: IconTrash, act: () => deleteBlock(editor, at), within: true },
  ]
  const isWithin = name === 'variable' || name === 'liquid'
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
            .filter(({ within }) => within || !isWithin)
            .map(({ label, icon: Icon, act }) => (
              <ActionIcon key={label} variant="default" aria-label={label} title={label} onClick={act}>
                <Icon size={16} />
              </ActionIcon>
            ))}
        </Group>
      </Stack>
    </section>
  )
}
