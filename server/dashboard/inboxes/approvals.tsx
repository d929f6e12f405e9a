import { Button, Group, Paper, SimpleGrid, Stack, Text, Textarea } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { useConfirm } from '../parts/confirm.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { DraftChanges } from './draft-changes.tsx'
import { DraftFiles } from './files.tsx'
import { Message } from './message.tsx'
import { lineOf } from './people.ts'

type Draft = components['schemas']['InboxDraft']
/** How many messages of the conversation stand beside a draft. */
const BESIDE = 3
const CHANGES = ['drafts', 'threads', 'inboxes', 'emails'] as const

/** The mails of programs that wait for the user. */
export function Approvals() {
  const t = useTexts()
  const waiting = useAsk<{ readonly data: readonly Draft[] }>(
    ['drafts', 'approvals'],
    (api, signal) => api.GET('/approvals', { params: { query: { limit: 100 } }, signal }),
    { every: 15_000 },
  )
  return (
    <Page title={t.inboxes.toApprove} hint={t.inboxes.toApproveHint} trail={[{ text: t.inboxes.title, href: '/' }]}>
      <Answer of={waiting}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={<IconChecks />} title={t.inboxes.nothingToApprove} hint={t.inboxes.toApproveHint} />
          ) : (
            <Stack maw={1200}>
              {data.map((draft) => (
                <Waiting key={`${draft.id} ${draft.version}`} draft={draft} />
              ))}
            </Stack>
          )
        }
      </Answer>
    </Page>
  )
}

function Waiting({ draft }: { readonly draft: Draft }) {
  const t = useTexts()
  const may = useMay()
  const [refusal, setRefusal] = useState<string>()
  const path = { id: draft.id }
  const approve = useAct(
    (api) => api.POST('/drafts/{id}/approve', { params: { path }, body: { version: draft.version } }),
    { changes: CHANGES, done: t.inboxes.approved },
  )
  const refuse = useAct(
    (api, words: string) => api.POST('/drafts/{id}/refuse', { params: { path }, body: { refusal: words } }),
    {
      changes: CHANGES,
      done: t.inboxes.refused,
    },
  )
  const project = useProjectId()
  const confirm = useConfirm()
  const stop = useAct(
    (api, keyId: string) =>
      api.PATCH('/projects/{id}/keys/{keyId}', { params: { path: { id: project, keyId } }, body: { stopped: true } }),
    { changes: [...CHANGES, 'keys'], done: t.inboxes.agentStopped },
  )
  const askToStop = async (keyId: string) => {
    const { stopAgent: yes, stopAgentTitle: title, stopAgentHint: text } = t.inboxes
    if (await confirm({ title: title(draft.authorName), text, yes, grave: true })) stop.mutate(keyId)
  }
  const card = (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Facts
          of={[
            [t.inboxes.from, draft.authorName],
            [t.inboxes.to, lineOf(draft.to)],
            ...(draft.cc.length === 0 ? [] : [[t.inboxes.cc, lineOf(draft.cc)] as const]),
            ...(draft.bcc.length === 0 ? [] : [[t.inboxes.bcc, lineOf(draft.bcc)] as const]),
            [t.inboxes.subject, draft.subject],
            [t.inboxes.why, draft.reason],
          ]}
        />
        <DraftChanges draft={draft} />
        <MailFrame html={draft.body} title={draft.subject} />
        <DraftFiles draft={draft} />
        {draft.kind === 'forward' && draft.messageId !== null ? <Forwarded id={draft.messageId} /> : null}
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            <Moment at={draft.updatedAt} />
          </Text>
          {draft.threadId === null ? null : (
            <Button component={Link} href={`/${draft.inboxId}/${draft.threadId}`} variant="subtle" size="compact-sm">
              {t.inboxes.toThread}
            </Button>
          )}
        </Group>
        {may.approvals ? (
          refusal === undefined ? (
            <Group justify="flex-end">
              {draft.authorId === null ? null : (
                <Button variant="subtle" color="red" onClick={() => void askToStop(draft.authorId ?? '')}>
                  {t.inboxes.stopAgent}
                </Button>
              )}
              <Button variant="default" onClick={() => setRefusal('')}>
                {t.inboxes.refuse}
              </Button>
              <Button loading={approve.isPending} onClick={() => approve.mutate()}>
                {t.inboxes.approve}
              </Button>
            </Group>
          ) : (
            <Stack gap="xs">
              <Textarea
                label={t.inboxes.refuseHint}
                autosize
                minRows={2}
                maxLength={2000}
                value={refusal}
                onChange={({ currentTarget: { value } }) => setRefusal(value)}
              />
              <Group justify="flex-end">
                <Button variant="default" onClick={() => setRefusal(undefined)}>
                  {t.anywhere.cancel}
                </Button>
                <Button
                  loading={refuse.isPending}
                  disabled={refusal.trim() === ''}
                  onClick={() => refuse.mutate(refusal)}
                >
                  {t.inboxes.refuse}
                </Button>
              </Group>
            </Stack>
          )
        ) : null}
      </Stack>
    </Paper>
  )
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {card}
      {draft.threadId === null ? null : <Beside threadId={draft.threadId} />}
    </SimpleGrid>
  )
}

/** The message that goes along with a draft. */
function Forwarded({ id }: { readonly id: string }) {
  const t = useTexts()
  const message = useAsk<components['schemas']['EmailDetail']>(['emails', id], (api, signal) =>
    api.GET('/emails/{id}', { params: { path: { id } }, signal }),
  )
  return (
    <Stack gap="xs" component="section" aria-label={t.inboxes.forwards}>
      <Text size="sm" fw={600}>
        {t.inboxes.forwards}
      </Text>
      <Answer of={message} lines={4}>
        {({ from, subject, text }) => (
          <>
            <Text size="sm" c="dimmed">
              {from} · {subject || t.inboxes.noSubject}
            </Text>
            <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {text}
            </Text>
          </>
        )}
      </Answer>
    </Stack>
  )
}

/** The newest messages of the conversation that a draft belongs to, the newest first. */
function Beside({ threadId }: { readonly threadId: string }) {
  const t = useTexts()
  const messages = useAsk<{ readonly data: readonly components['schemas']['ThreadMessage'][] }>(
    ['threads', threadId, 'messages', BESIDE],
    (api, signal) =>
      api.GET('/threads/{id}/messages', { params: { path: { id: threadId }, query: { limit: BESIDE } }, signal }),
  )
  return (
    <Stack gap="sm" component="section" aria-label={t.inboxes.messages}>
      <Answer of={messages} lines={4}>
        {({ data }) => data.map((message) => <Message key={message.id} message={message} />)}
      </Answer>
    </Stack>
  )
}
