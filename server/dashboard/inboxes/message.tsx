import { Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pill } from '../parts/pill.tsx'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import { Gallery } from './files.tsx'
import { useOwnPictures } from './own-pictures.ts'
import { lineOf } from './people.ts'

type ThreadMessage = components['schemas']['ThreadMessage']

/** A web address in a text; what ends a sentence or stands around it is none of it. */
const ADDRESS = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]}])/gi

function Outside({ address }: { readonly address: string }) {
  return (
    <Anchor href={address} target="_blank" rel="noopener noreferrer" inherit>
      {address}
    </Anchor>
  )
}

/** A message of a thread: what is new in it, and on request the whole. */
export function Message({ message }: { readonly message: ThreadMessage }) {
  const t = useTexts()
  const project = useProjectId()
  const { incoming, from, fromName, to, cc, at, status, body, text, replyText, replyHtml, attachments } = message
  const [isWhole, setWhole] = useState(false)
  const hasMore = replyText !== null && (text ?? '').trim().length > replyText.trim().length
  const html = useOwnPictures(isWhole || replyHtml === null ? body : replyHtml, attachments)
  const words = isWhole || replyText === null ? text : replyText
  const title = fromName ? `${fromName} <${from}>` : from
  const recipients = lineOf([...to, ...cc])
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
            {status === 'FAILED' || status === 'BOUNCED' ? (
              <Anchor component={Link} href={toProject(project, `/mails/${message.id}`)} size="sm">
                {t.inboxes.why}
              </Anchor>
            ) : null}
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
          <MailFrame html={html} title={title} links />
        ) : (
          <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {(words ?? '')
              .split(ADDRESS)
              .map((part, at) => (at % 2 === 0 ? part : <Outside key={at} address={part} />))}
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
