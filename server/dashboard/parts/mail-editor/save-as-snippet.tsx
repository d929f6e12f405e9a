import { Button, Stack, Text, TextInput } from '@mantine/core'
import { IconPuzzle } from '@tabler/icons-react'
import type { Editor } from '@tiptap/core'
import { useState } from 'react'
import { useAct } from '../../api/ask.ts'
import { useProject } from '../../api/project.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { keyOf } from '../key-of.ts'
import { replaceBlock } from './change-blocks.ts'
import { composeAs } from './compose.ts'
import type { Design, DesignNode } from './design.ts'

const focus = (field: HTMLInputElement | null) => field?.focus()

/** Makes a snippet of the block at this place, which renders it from then on. */
export function SaveAsSnippet({ editor, at }: { readonly editor: Editor; readonly at: number }) {
  const t = useTexts()
  const project = useProject()
  const [title, setTitle] = useState<string | undefined>()
  const save = useAct(
    (api, called: string) => {
      const block = editor.state.doc.nodeAt(at)?.toJSON() as DesignNode
      const design: Design = { version: 1, content: [block] }
      const body = composeAs('snippet', design, project)
      return api.POST('/snippets', { body: { title: called, name: keyOf(called), body, design } })
    },
    {
      changes: ['snippets'],
      done: t.pieces.snippets.saved,
      onDone: ({ name }) => replaceBlock(editor, at, { type: 'snippet', attrs: { name, given: '' } }),
    },
  )
  if (title === undefined) {
    return (
      <Button
        variant="subtle"
        size="compact-sm"
        leftSection={<IconPuzzle size={14} />}
        style={{ alignSelf: 'flex-start' }}
        onClick={() => setTitle('')}
      >
        {t.editor.saveAsSnippet}
      </Button>
    )
  }
  const add = () => {
    if (title.trim() !== '') save.mutate(title.trim())
  }
  return (
    <Stack gap="xs">
      <TextInput
        label={t.templates.name}
        value={title}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // the form around the editor would be saved
          event.preventDefault()
          add()
        }}
        maxLength={255}
        ref={focus}
      />
      <Text size="xs" c="dimmed">
        {t.editor.saveAsSnippetHint}
      </Text>
      <Button size="xs" loading={save.isPending} disabled={title.trim() === ''} onClick={add}>
        {t.editor.saveAsSnippet}
      </Button>
    </Stack>
  )
}
