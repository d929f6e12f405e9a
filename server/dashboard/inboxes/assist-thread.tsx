import { Button, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { IconSparkles } from '@tabler/icons-react'
import { useState } from 'react'
import { changeOf } from '../../../core/assistant/change-of.ts'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { SentQuestion } from '../parts/assistant/sent-question.tsx'
import { useHasAssistant } from '../parts/assistant/use-assistant.ts'
import { SidePanel } from '../parts/drawer.tsx'
import { useTexts } from '../texts/texts.tsx'

type Inbox = components['schemas']['Inbox']
type Thread = components['schemas']['ThreadDetail']
type Draft = components['schemas']['InboxDraft']
type Assisted = components['schemas']['AssistedThread']
type Action = Assisted['actions'][number]

interface AssistProps {
  readonly inbox: Inbox
  readonly thread: Thread
  /** Gets the draft that was made, to go on with. */
  readonly onDraft: (draft: Draft) => void
}

/** The button that has an answer drafted, where the server and the inbox have the assistant. */
export function AssistThread({ inbox, thread, onDraft }: AssistProps) {
  const t = useTexts()
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  const hasAssistant = useHasAssistant()
  if (!hasAssistant || inbox.assistant === undefined || !may.drafts) return null
  return (
    <>
      <Button variant="default" leftSection={<IconSparkles size={16} />} onClick={() => setOpen(true)}>
        {t.assistant.draft}
      </Button>
      <SidePanel title={t.assistant.draft} opened={isOpen} onClose={() => setOpen(false)}>
        <Assist
          inbox={inbox}
          thread={thread}
          onDraft={(draft) => {
            setOpen(false)
            onDraft(draft)
          }}
        />
      </SidePanel>
    </>
  )
}

function Assist({ thread, onDraft }: AssistProps) {
  const t = useTexts()
  const [wish, setWish] = useState('')
  const [asked, setAsked] = useState('')
  const { id, messageCount } = thread
  const body = { wish: asked.trim() }
  const shown = useAsk<Assisted>(
    ['assistant', 'threads', id, messageCount, body],
    (api, signal) =>
      api.POST('/threads/{id}/assist', { params: { path: { id } }, body: { ...body, preview: true }, signal }),
    { keep: true },
  )
  const ask = useAct(
    (api) => api.POST('/threads/{id}/assist', { params: { path: { id } }, body: { wish: wish.trim() } }),
    { changes: ['drafts', 'threads'] },
  )
  return (
    <Stack>
      <Text size="sm">{t.assistant.draftHint}</Text>
      <Textarea
        label={t.assistant.wish}
        description={t.assistant.wishHint}
        autosize
        minRows={2}
        maxRows={10}
        maxLength={2000}
        value={wish}
        onChange={({ currentTarget: { value } }) => setWish(value)}
        onBlur={() => setAsked(wish)}
        data-autofocus
      />
      <Answer of={shown} lines={2}>
        {({ sent }) => <SentQuestion sent={sent} />}
      </Answer>
      <Group justify="flex-end">
        <Button loading={ask.isPending} onClick={() => ask.mutate()}>
          {ask.data === undefined ? t.assistant.ask : t.assistant.askAgain}
        </Button>
      </Group>
      {ask.data === undefined ? null : <Advice of={ask.data} thread={thread} onDraft={onDraft} />}
    </Stack>
  )
}

/** The proposals: the draft to read and send, and the rest to accept. */
function Advice({
  of: { draft, reason, actions, dropped },
  thread,
  onDraft,
}: {
  readonly of: Assisted
  readonly thread: Thread
  readonly onDraft: (draft: Draft) => void
}) {
  const t = useTexts()
  const { id } = thread
  const project = useProjectId()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const nameOf = (assigneeId: string) => {
    const member = (members.data ?? []).find((each) => each.id === assigneeId)
    return member?.name ?? member?.email ?? assigneeId
  }
  const inWords = ({ type, label = '', assigneeId = '' }: Action) =>
    type === 'label'
      ? t.assistant.label(label)
      : type === 'assign'
        ? t.assistant.assign(nameOf(assigneeId))
        : type === 'archive'
          ? t.assistant.archive
          : t.assistant.spam
  const accept = useAct(
    async (api) => {
      // others may have given it labels meanwhile, and a change replaces them all
      const newest = await api.GET('/threads/{id}', { params: { path: { id } } })
      if (newest.data === undefined) return newest
      const body = changeOf(newest.data.labels, actions)
      return api.PATCH('/threads/{id}', { params: { path: { id } }, body })
    },
    { changes: ['threads', 'inboxes'], done: t.assistant.accepted },
  )
  return (
    <Stack gap="sm" role="status">
      {draft === null ? <Text size="sm">{t.assistant.noDraft}</Text> : null}
      {reason === null ? null : (
        <Text size="sm" c="dimmed">
          {reason}
        </Text>
      )}
      {draft === null ? null : (
        <Group>
          <Button onClick={() => onDraft(draft)}>{t.assistant.openDraft}</Button>
        </Group>
      )}
      {actions.length === 0 ? null : (
        <>
          <List size="sm">
            {actions.map((action) => (
              <List.Item key={`${action.type} ${action.label ?? ''}`}>{inWords(action)}</List.Item>
            ))}
          </List>
          <Group>
            <Button
              variant="default"
              loading={accept.isPending}
              disabled={accept.isSuccess}
              onClick={() => accept.mutate()}
            >
              {t.assistant.accept}
            </Button>
          </Group>
        </>
      )}
      {dropped.length === 0 ? null : (
        <>
          <Text size="sm">{t.assistant.dropped}</Text>
          <List size="sm">
            {dropped.map(({ action, reason: why }, at) => (
              <List.Item key={`${action} ${at}`}>{t.assistant.quoted(action, t.assistant.drops[why])}</List.Item>
            ))}
          </List>
        </>
      )}
    </Stack>
  )
}
