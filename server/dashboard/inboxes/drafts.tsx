import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DraftForm } from './draft-form.tsx'

type Draft = components['schemas']['InboxDraft']

/** The drafts of an inbox that are not sent, or those of one of its threads. */
export function Drafts({
  inboxId,
  threadId,
  without,
}: {
  readonly inboxId: string
  readonly threadId?: string
  /** One that is being written beside them. */
  readonly without?: string | undefined
}) {
  const t = useTexts()
  const may = useMay()
  const [, navigate] = useLocation()
  const [opened, setOpened] = useState<Draft>()
  const drafts = useAsk<{ readonly data: readonly Draft[] }>(
    ['drafts', inboxId],
    (api, signal) =>
      api.GET('/inboxes/{id}/drafts', { params: { path: { id: inboxId }, query: { limit: 50 } }, signal }),
    { every: 30_000 },
  )
  const shown = (drafts.data?.data ?? []).filter(
    ({ id, ...draft }) => id !== without && (threadId === undefined || draft.threadId === threadId),
  )
  const close = (sentTo?: string) => {
    setOpened(undefined)
    if (sentTo !== undefined && sentTo !== threadId) navigate(`/${inboxId}/${sentTo}`)
  }
  // one that was sent or thrown away elsewhere stays open with what was typed
  if (shown.length === 0 && opened === undefined) return null
  return (
    <Stack gap="xs" aria-label={t.inboxes.drafts}>
      {shown.map((draft) => (
        <Paper key={draft.id} withBorder p="sm">
          <Group justify="space-between">
            <div>
              <Text size="sm" fw={600}>
                {t.inboxes.draftStatus[draft.status]} · {draft.subject || t.inboxes.noSubject}
              </Text>
              <Text size="sm" c="dimmed">
                {t.inboxes.by(draft.authorName)} · <Moment at={draft.updatedAt} />
              </Text>
              {draft.refusal === null ? null : <Text size="sm">{draft.refusal}</Text>}
            </div>
            {may.drafts ? (
              <Button size="compact-sm" variant="default" onClick={() => setOpened(draft)}>
                {t.inboxes.openDraft}
              </Button>
            ) : null}
          </Group>
        </Paper>
      ))}
      <SidePanel title={t.inboxes.openDraft} opened={opened !== undefined} onClose={() => close()}>
        {opened === undefined ? null : <DraftForm key={opened.id} inboxId={inboxId} draft={opened} onDone={close} />}
      </SidePanel>
    </Stack>
  )
}
