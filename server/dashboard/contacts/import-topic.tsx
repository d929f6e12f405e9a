import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import type { Api } from '../api/client.ts'
import { TopicSelect } from '../parts/topic-select.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The topic that all contacts of the file get: one of the project's, or one that is made on the spot. */
export function ImportTopic({ value, onChange }: { readonly value: string; readonly onChange: (id: string) => void }) {
  const t = useTexts()
  const [name, setName] = useState<string | undefined>()
  const make = useAct((api: Api, topic: string) => api.POST('/topics', { body: { name: topic } }), {
    changes: ['topics'],
    done: (_, topic) => t.topics.saved(topic),
    onDone: ({ id }) => {
      setName(undefined)
      onChange(id)
    },
  })
  return (
    <Stack gap="xs" align="flex-start">
      <TopicSelect value={value} onChange={onChange} hint={t.topics.importHint} />
      {name === undefined ? (
        <Button variant="subtle" size="xs" leftSection={<IconPlus size={14} />} onClick={() => setName('')}>
          {t.contacts.newTopic}
        </Button>
      ) : (
        <Group
          component="form"
          align="flex-end"
          gap="xs"
          onSubmit={(event) => {
            event.preventDefault()
            if (name.trim() !== '') make.mutate(name.trim())
          }}
        >
          <TextInput
            label={t.topics.name}
            description={t.contacts.newTopicHint}
            value={name}
            maxLength={100}
            data-autofocus
            autoFocus
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit" disabled={name.trim() === ''} loading={make.isPending}>
            {t.topics.make}
          </Button>
          <Button variant="default" onClick={() => setName(undefined)}>
            {t.anywhere.cancel}
          </Button>
        </Group>
      )}
    </Stack>
  )
}
