import { Badge, Button, Group, SegmentedControl, Switch, Text } from '@mantine/core'
import { IconInbox, IconPencil, IconSettings } from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useLocation, useSearch } from 'wouter'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { useKeys } from '../parts/keys-pressed.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { DeleteButton } from '../parts/noun-actions.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Beginning } from './beginning.tsx'
import { DraftForm } from './draft-form.tsx'
import { Drafts } from './drafts.tsx'
import { InboxForm } from './inbox-form.tsx'
import { KeyList } from './key-list.tsx'
import { ThreadBulkBar } from './thread-bulk-bar.tsx'
import classes from './thread-list.module.css'
import { FOLDERS } from './threads-beside.tsx'

type Inbox = components['schemas']['Inbox']
type Thread = components['schemas']['Thread'] & Partial<Pick<components['schemas']['FoundThread'], 'excerpt'>>

/** The conversations of an inbox. */
export function ThreadList({ id }: { readonly id: string }) {
  const inbox = useAsk<Inbox>(['inboxes', id], (api, signal) => {
    return api.GET('/inboxes/{id}', { params: { path: { id } }, signal })
  })
  return <Answer of={inbox}>{(found) => <Threads inbox={found} />}</Answer>
}

function Threads({ inbox }: { readonly inbox: Inbox }) {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const [, navigate] = useLocation()
  const { values, change } = useAddress()
  const query = useSearch()
  const close = () => change({ write: undefined, edit: undefined })
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  /** The rows that were shown, by id. */
  const known = useRef(new Map<string, Thread>())
  const chosen = [...selected].flatMap((id) => known.current.get(id) ?? [])
  const folder = FOLDERS.find((each) => each === values.folder) ?? 'inbox'
  useKeys({
    j: () => focusRow(1),
    k: () => focusRow(-1),
    '/': () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    c: may.drafts && !inbox.address.startsWith('*') ? () => change({ write: '1' }) : undefined,
  })
  return (
    <Page
      title={inbox.name}
      hint={inbox.address}
      trail={[{ text: t.inboxes.title, href: '/' }]}
      actions={
        <>
          {may.settings ? (
            <Button variant="default" leftSection={<IconSettings size={16} />} onClick={() => change({ edit: '1' })}>
              {t.inboxes.edit}
            </Button>
          ) : null}
          {may.drafts && !inbox.address.startsWith('*') ? (
            <Button leftSection={<IconPencil size={16} />} onClick={() => change({ write: '1' })}>
              {t.inboxes.write}
            </Button>
          ) : null}
          <KeyList of="list" />
        </>
      }
    >
      <Drafts inboxId={inbox.id} />
      {chosen.length > 0 ? (
        <ThreadBulkBar inbox={inbox} threads={chosen} onDone={() => setSelected(new Set())} />
      ) : null}
      <List<Thread>
        noun="threads"
        of={[inbox.id]}
        label={inbox.name}
        ask={(api, { search, ...query }, signal) => {
          const where = folder === 'inbox' ? {} : { folder }
          const unread = values.unread === '1' ? { unread: true } : {}
          const path = { id: inbox.id }
          // what is searched for comes with the best first, of all times
          return search
            ? api.GET('/threads', { params: { query: { q: search, inboxId: inbox.id, limit: 50, ...where } }, signal })
            : api.GET('/inboxes/{id}/threads', { params: { path, query: { ...query, folder, ...unread } }, signal })
        }}
        onRows={(rows) => {
          for (const thread of rows) known.current.set(thread.id, thread)
        }}
        {...(may.threads ? { selection: { ids: selected, change: setSelected } } : {})}
        search={t.inboxes.search}
        filters={['folder', 'unread']}
        says={(name) => (name === 'unread' ? t.inboxes.onlyUnread : t.inboxes.folders[folder])}
        controls={
          <Group gap="sm">
            {/* six folders are wider than a phone */}
            <div className={classes.folders}>
              <SegmentedControl
                aria-label={t.inboxes.folder}
                value={folder}
                onChange={(to) => {
                  setSelected(new Set())
                  change({ folder: to === 'inbox' ? undefined : to, cursor: undefined })
                }}
                data={FOLDERS.map((value) => ({ value, label: t.inboxes.folders[value] }))}
              />
            </div>
            <Switch
              label={t.inboxes.onlyUnread}
              checked={values.unread === '1'}
              onChange={({ currentTarget: { checked } }) =>
                change({ unread: checked ? '1' : undefined, cursor: undefined })
              }
            />
          </Group>
        }
        every={15_000}
        href={(thread) => `/${inbox.id}/${thread.id}${query === '' ? '' : `?${query}`}`}
        rowName={({ subject }) => subject || t.inboxes.noSubject}
        columns={[
          {
            key: 'subject',
            title: t.inboxes.subject,
            cell: ({ subject, snippet, excerpt, unread, labels }) => (
              <>
                <Group gap={6}>
                  <Text size="sm" fw={unread ? 700 : 400}>
                    {subject || t.inboxes.noSubject}
                  </Text>
                  {labels.map((name) => (
                    <Label key={name} inbox={inbox} name={name} />
                  ))}
                </Group>
                <Beginning snippet={snippet} excerpt={excerpt} />
              </>
            ),
          },
          {
            key: 'from',
            title: t.inboxes.from,
            cell: ({ participants: [first, ...others] }) =>
              first === undefined
                ? '–'
                : `${first.name ?? first.email}${others.length > 0 ? ` +${others.length}` : ''}`,
          },
          {
            key: 'messages',
            title: t.inboxes.messages,
            align: 'right',
            cell: ({ messageCount }) => formats.number(messageCount),
          },
          { key: 'last', title: t.inboxes.last, cell: ({ lastMessageAt }) => <Moment at={lastMessageAt} /> },
        ]}
        empty={<Empty icon={<IconInbox />} title={t.inboxes.noThreads} hint={t.inboxes.noThreadsHint(inbox.address)} />}
      />
      <SidePanel title={t.inboxes.edit} opened={values.edit === '1'} onClose={close}>
        <InboxForm key={inbox.version} inbox={inbox} onDone={close} />
        <Group mt="xl">
          <DeleteButton
            act={(api) => api.DELETE('/inboxes/{id}', { params: { path: { id: inbox.id } } })}
            changes={['inboxes']}
            done={t.inboxes.deleted(inbox.name)}
            question={{
              title: t.inboxes.deleteTitle(inbox.name),
              text: t.inboxes.deleteHint,
              yes: t.inboxes.delete,
            }}
          />
        </Group>
      </SidePanel>
      <SidePanel title={t.inboxes.write} opened={values.write === '1'} onClose={close}>
        <DraftForm
          inboxId={inbox.id}
          onDone={(threadId) => (threadId === undefined ? close() : navigate(`/${inbox.id}/${threadId}`))}
        />
      </SidePanel>
    </Page>
  )
}

/** Moves the focus to the conversation so many rows further down. */
function focusRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>('main tbody tr')].flatMap((row) => {
    const link = row.querySelector('a')
    return link === null ? [] : [link]
  })
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  const next = at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)
  links[next]?.focus()
}

/** A label in its colour. */
function Label({ inbox, name }: { readonly inbox: Inbox; readonly name: string }) {
  const colour = inbox.labels.find((label) => label.name === name)?.colour ?? '#475467'
  return (
    <Badge size="sm" variant="light" color={colour} tt="none">
      {name}
    </Badge>
  )
}
