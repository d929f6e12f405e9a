import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useAct, useAsk } from '../../api/ask.ts'
import type { components, operations } from '../../api/client.ts'
import { useTexts } from '../../texts/texts.tsx'
import { Answer } from '../answer.tsx'
import { SentQuestion } from './sent-question.tsx'

type Changed = components['schemas']['AssistedTexts']
/** Texts, and how the assistant should change them. */
export type TextQuestion = Omit<
  NonNullable<operations['changeTexts']['requestBody']>['content']['application/json'],
  'preview'
>

/** Shows what would go to the model, and asks it when the user wants that. */
export function AskTexts({
  question,
  onClose,
  onChanged,
}: {
  /** Absent: it is closed. */
  readonly question: TextQuestion | undefined
  readonly onClose: () => void
  readonly onChanged: (changed: Changed) => void
}) {
  const t = useTexts()
  return (
    <Modal
      opened={question !== undefined}
      onClose={onClose}
      title={question === undefined ? '' : t.assistant.tasks[question.task]}
      closeButtonProps={{ 'aria-label': t.anywhere.close }}
      size="lg"
    >
      {question === undefined ? null : <Asking question={question} onClose={onClose} onChanged={onChanged} />}
    </Modal>
  )
}

function Asking({
  question,
  onClose,
  onChanged,
}: {
  readonly question: TextQuestion
  readonly onClose: () => void
  readonly onChanged: (changed: Changed) => void
}) {
  const t = useTexts()
  const shown = useAsk<Changed>(['assistant', 'texts', question], (api, signal) =>
    api.POST('/assistant/texts', { body: { ...question, preview: true }, signal }),
  )
  const ask = useAct((api) => api.POST('/assistant/texts', { body: question }), {
    changes: [],
    onDone: (changed) => {
      onChanged(changed)
      onClose()
    },
  })
  return (
    <Stack>
      <Text size="sm">{question.task === 'subjects' ? t.assistant.subjectsHint : t.assistant.textsHint}</Text>
      <Answer of={shown} lines={2}>
        {({ sent }) => <SentQuestion sent={sent} />}
      </Answer>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t.anywhere.cancel}
        </Button>
        <Button loading={ask.isPending} onClick={() => ask.mutate()} data-autofocus>
          {t.assistant.ask}
        </Button>
      </Group>
    </Stack>
  )
}
