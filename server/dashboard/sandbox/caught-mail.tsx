import { Anchor, Button, Group, Paper, Stack, Tabs, Text, Title } from '@mantine/core'
import { IconDownload, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAct, useAsk } from '../api/ask.ts'
import { API_URL, fileUrl } from '../api/base.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { Answer } from '../parts/answer.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { Copy } from '../parts/copy.tsx'
import { Facts } from '../parts/facts.tsx'
import { useFormats } from '../parts/formats.ts'
import { HeaderList } from '../parts/header-list.tsx'
import { MailFrame } from '../parts/mail-frame.tsx'
import { Moment } from '../parts/moment.tsx'
import { downloadFrom } from '../parts/save-file.ts'
import { toProject } from '../shell/to-app.ts'
import { useTexts } from '../texts/texts.tsx'
import classes from './sandbox.module.css'

type Detail = components['schemas']['CaughtMailDetail']

/** A caught mail: who it was for, what it says, and what a test looks for in it. */
export function CaughtMail({ id }: { readonly id: string }) {
  const mail = useAsk<Detail>(['sandbox', 'mail', id], (api, signal) =>
    api.GET('/sandbox/messages/{id}', { params: { path: { id } }, signal }),
  )
  return (
    <Answer of={mail} lines={10}>
      {(found) => (
        <Paper withBorder p="md">
          <Stack gap="md">
            <Head mail={found} />
            {found.code === null ? null : <Code code={found.code} />}
            <Views mail={found} />
          </Stack>
        </Paper>
      )}
    </Answer>
  )
}

function Head({ mail }: { readonly mail: Detail }) {
  const t = useTexts()
  const formats = useFormats()
  const project = useProjectId()
  const { id, to, toName, from, fromName, alsoTo, cc, bcc, replyTo, subject, byTestKey, opens, clicks, createdAt } =
    mail
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-start" gap="xs">
        <Title order={2} size="h4" className={classes.subject}>
          <Breakable text={subject || t.mails.noSubject} />
        </Title>
        <Group gap="xs">
          <Button component={Link} href={toProject(project, `/mails/${id}`)} variant="default" size="xs">
            {t.sandbox.amongMails}
          </Button>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconDownload size={14} />}
            onClick={() => void downloadFrom(new URL(`emails/${id}/raw`, API_URL), project, `${id}.eml`)}
          >
            {t.mails.raw}
          </Button>
          <Remove id={id} />
        </Group>
      </Group>
      <Facts
        of={[
          [t.mails.from, fromName ? `${fromName} <${from}>` : from],
          [t.mails.to, [toName ? `${toName} <${to}>` : to, ...alsoTo].join(', ')],
          [t.sandbox.cc, cc.join(', ')],
          [t.sandbox.bcc, bcc.join(', ')],
          [t.sandbox.replyTo, replyTo],
          [t.sandbox.caughtAt, <Moment key="at" at={createdAt} />],
          [t.sandbox.why, byTestKey ? t.sandbox.byTestKey : t.sandbox.byMode],
          [t.mails.opens, opens > 0 && formats.number(opens)],
          [t.mails.clicks, clicks > 0 && formats.number(clicks)],
        ]}
      />
    </Stack>
  )
}

/** It stays among the mails of the project, so that no question is asked. */
function Remove({ id }: { readonly id: string }) {
  const t = useTexts()
  const [, navigate] = useLocation()
  const remove = useAct((api) => api.DELETE('/sandbox/messages/{id}', { params: { path: { id } } }), {
    changes: ['sandbox', 'emails'],
    done: () => t.sandbox.removed,
    onDone: () => navigate('/'),
  })
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<IconTrash size={14} />}
      loading={remove.isPending}
      onClick={() => remove.mutate()}
    >
      {t.sandbox.remove}
    </Button>
  )
}

function Code({ code }: { readonly code: string }) {
  const t = useTexts()
  return (
    <Group gap="xs">
      <Text size="sm">{t.sandbox.code}</Text>
      <Text component="code" fw={700} size="lg" className={classes.code}>
        {code}
      </Text>
      <Copy value={code} label={t.sandbox.copyCode} />
    </Group>
  )
}

function Views({ mail }: { readonly mail: Detail }) {
  const t = useTexts()
  const formats = useFormats()
  const { html, text, links, attachments, headers, subject } = mail
  const [view, setView] = useState(html === null || html === '' ? 'text' : 'html')
  if (html === null && text === null) return <Text c="dimmed">{t.mails.removed}</Text>
  const counted = (name: string, count: number) => (count === 0 ? name : `${name} (${formats.number(count)})`)
  return (
    <Tabs value={view} onChange={(next) => next && setView(next)} keepMounted={false}>
      <Tabs.List mb="sm">
        <Tabs.Tab value="html">{t.mails.html}</Tabs.Tab>
        <Tabs.Tab value="text">{t.mails.text}</Tabs.Tab>
        <Tabs.Tab value="links">{counted(t.sandbox.links, links.length)}</Tabs.Tab>
        <Tabs.Tab value="files">{counted(t.sandbox.files, attachments.length)}</Tabs.Tab>
        <Tabs.Tab value="headers">{t.sandbox.headers}</Tabs.Tab>
        <Tabs.Tab value="source">{t.sandbox.source}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        {html ? (
          <MailFrame html={html} title={subject || t.mails.noSubject} />
        ) : (
          <Text c="dimmed">{t.sandbox.noHtml}</Text>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <pre className={classes.text}>{text}</pre>
      </Tabs.Panel>
      <Tabs.Panel value="links">
        <Links links={links} />
      </Tabs.Panel>
      <Tabs.Panel value="files">
        {attachments.length === 0 ? <Text c="dimmed">{t.sandbox.noFiles}</Text> : null}
        {attachments.map(({ filename, url, contentType, size }) => (
          <Anchor key={`${filename} ${url}`} href={fileUrl(url)} size="sm" display="block" download>
            {filename} ({contentType}, {formats.bytes(size)})
          </Anchor>
        ))}
      </Tabs.Panel>
      <Tabs.Panel value="headers">
        <HeaderList headers={headers} />
      </Tabs.Panel>
      <Tabs.Panel value="source">
        <Source id={mail.id} />
      </Tabs.Panel>
    </Tabs>
  )
}

/** Where the links lead. They are opened only by whom presses them, in a page of their own. */
function Links({ links }: Pick<Detail, 'links'>) {
  const t = useTexts()
  if (links.length === 0) return <Text c="dimmed">{t.sandbox.noLinks}</Text>
  return (
    <ol className={classes.links}>
      {links.map(({ url, text }, at) => (
        <li key={at}>
          {text === '' ? null : <Text size="sm">{text}</Text>}
          <Group gap={4} wrap="nowrap" align="flex-start">
            {/^https?:/i.test(url) ? (
              <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm" className={classes.url}>
                {url}
              </Anchor>
            ) : (
              <Text size="sm" className={classes.url}>
                {url}
              </Text>
            )}
            <Copy value={url} />
          </Group>
        </li>
      ))}
    </ol>
  )
}

/** The message as it would have been handed over, which is made anew for it. */
function Source({ id }: { readonly id: string }) {
  const found = useAsk(['sandbox', 'source', id], (api, signal) =>
    api.GET('/emails/{id}/raw', { params: { path: { id } }, parseAs: 'text', signal }),
  )
  return (
    <Answer of={found} lines={12}>
      {(source) => <pre className={classes.text}>{source as string}</pre>}
    </Answer>
  )
}
