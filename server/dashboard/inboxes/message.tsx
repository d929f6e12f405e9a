import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { components } from '../api/client.ts'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Gallery } from './files.tsx'

type ThreadMessage = components['schemas']['ThreadMessage']

/** A message of a thread: what is new in it, and on request the whole. */
export function Message({ message }: { readonly message: ThreadMessage }) {
  const t = useTexts()
  const { incoming, from, fromName, to, cc, at, status, body, text, replyText, replyHtml, attachments } = message
  const [isWhole, setWhole] = useState(false)
  const hasMore = replyText !== null && (text ?? '').trim().length > replyText.trim().length
  const html = isWhole || replyHtml === null ? body : replyHtml
  const words = isWhole || replyText === null ? text : replyText
  const title = fromName ? `${fromName} <${from}>` : from
  const recipients = [...to, ...cc].map(({ email, name }) => name ?? email).join(', ')
  return (
    <Paper withBorder p="md" component="article" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start">
          <div>
            <Text size="sm" fw={600}>
              {title}
            </Text>
            <Text size="sm" c="dimmed">
              {t.inboxes.to}: {recipients}
            </Text>
          </div>
          <Group gap="xs">
            {incoming ? null : <Pill status={status} />}
            <Text size="sm" c="dimmed">
              <Moment at={at} />
            </Text>
          </Group>
        </Group>
        {words === null && html === null ? (
          <Text size="sm" c="dimmed">
            {t.inboxes.textRemoved}
          </Text>
        ) : html ? (
          <MailFrame html={html} title={title} />
        ) : (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
            {words}
          </Text>
        )}
        <Group justify="space-between">
          {hasMore ? (
            <Button variant="subtle" size="compact-sm" onClick={() => setWhole(!isWhole)}>
              {isWhole ? t.inboxes.showNew : t.inboxes.showAll}
            </Button>
          ) : (
            <span />
          )}
          {incoming ? (
            <Text size="xs" c="dimmed">
              {t.inboxes.authentication(message.spf ?? '–', message.dkim ?? '–', message.dmarc ?? '–')}
            </Text>
          ) : null}
        </Group>
        <Gallery files={attachments} />
      </Stack>
    </Paper>
  )
}
