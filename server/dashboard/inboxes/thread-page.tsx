import {
  ActionIcon,
  Button,
  CloseButton,
  Group,
  Menu,
  MultiSelect,
  Paper,
  Select,
  Stack,
  Text,
  Textarea,
  Tooltip,
} from '@mantine/core'
import { IconArchive, IconArrowForward, IconDots, IconInbox, IconSend, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { isMachineAddress } from '../../../core/values/machine-address.ts'
import { useAct, useAsk, useAskNow } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay, useProjectId } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { useKeys } from '../parts/keys-pressed.ts'
import { Moment } from '../parts/moment.tsx'
import { useNotices } from '../parts/notices.ts'
import { Page } from '../parts/page.tsx'
import { Together } from '../parts/together/together.tsx'
import { UnsavedPlace, useUnsavedGuard, useUnsavedPlace } from '../parts/unsaved.tsx'
import { useTexts } from '../texts/texts.tsx'
import { AssistThread } from './assist-thread.tsx'
import { DraftForm } from './draft-form.tsx'
import { Drafts } from './drafts.tsx'
import { KeyList } from './key-list.tsx'
import { Message } from './message.tsx'
import { threadQuery, useOpening } from './thread-queries.ts'
import { type ListedPage, useListBeside, useWide } from './threads-beside.tsx'
import { useMessages } from './use-messages.ts'

type Inbox = components['schemas']['Inbox']
type Thread = components['schemas']['ThreadDetail']
type Draft = components['schemas']['InboxDraft']
type Change = components['schemas']['ThreadDetail']['folder']
const CHANGES = ['threads', 'inboxes'] as const

/** A conversation, with what can be done with it. */
export function ThreadPage({ inboxId, id }: { readonly inboxId: string; readonly id: string }) {
  const inbox = useAsk<Inbox>(['inboxes', inboxId], (api, signal) =>
    api.GET('/inboxes/{id}', { params: { path: { id: inboxId } }, signal }),
  )
  const thread = useAsk<Thread>(...threadQuery(id), { every: 15_000 })
  return (
    <Answer of={inbox}>
      {(found) => <Answer of={thread}>{(shown) => <Opened inbox={found} thread={shown} />}</Answer>}
    </Answer>
  )
}

function Opened({ inbox, thread }: { readonly inbox: Inbox; readonly thread: Thread }) {
  const t = useTexts()
  const may = useMay()
  const [draft, setDraft] = useState<Draft>()
  const isWide = useWide()
  /** Where the answer was begun, it stays: what is typed outlives a turned screen. */
  const [isBelow, setBelow] = useState(isWide)
  const write = (begun: Draft) => {
    setBelow(isWide)
    setDraft(begun)
  }
  const { id, unread, messageCount } = thread
  const { answer: messages, shown, hasEarlier, earlier } = useMessages(id, messageCount)
  const read = useAct((api) => api.PATCH('/threads/{id}', { params: { path: { id } }, body: { read: true } }), {
    changes: CHANGES,
    quiet: true,
  })
  const markRead = read.mutate
  useEffect(() => {
    if (unread) markRead()
  }, [unread, markRead])
  const begin = useAct(
    (api, body: { readonly kind: 'reply' | 'reply-all' | 'forward'; readonly messageId: string }) =>
      api.POST('/inboxes/{id}/drafts', { params: { path: { id: inbox.id } }, body }),
    { changes: ['drafts'], onDone: write },
  )
  const [newest] = shown
  // a report that a mail could not be delivered is answered by no one
  const last = shown.find(({ incoming, from }) => !incoming || !isMachineAddress(from)) ?? newest
  const kinds = { r: 'reply', a: 'reply-all', f: 'forward' } as const
  const answer = (kind: (typeof kinds)[keyof typeof kinds]) => () => {
    const message = kind === 'forward' ? newest : last
    if (may.drafts && message !== undefined && !begin.isPending) begin.mutate({ kind, messageId: message.id })
  }
  const list = useListBeside(inbox.id)
  const neighbour = useNeighbours(inbox.id, id)
  const notices = useNotices()
  const project = useProjectId()
  const refused = (error: Error) => notices.refused(error, project)
  const [, navigate] = useLocation()
  const toList = `/${inbox.id}${list.query}`
  const go = (...steps: readonly (1 | -1)[]) =>
    void neighbour(...steps)
      .then((next) => next !== undefined && navigate(next))
      .catch(refused)
  /** Goes on with the next one of the list beside it, once this one is filed. */
  const leave = () => {
    if (!isWide) return navigate(toList)
    neighbour(1, -1).then(
      (next) => navigate(next ?? toList),
      () => navigate(toList),
    )
  }
  useFolderInAddress(thread)
  useKeys({
    r: answer(kinds.r),
    a: answer(kinds.a),
    f: answer(kinds.f),
    u: () => navigate(toList),
    j: () => go(1),
    k: () => go(-1),
  })
  const buttons =
    may.drafts && newest !== undefined && (draft === undefined || !isBelow) ? (
      <Group gap="xs">
        {(['reply', 'reply-all', 'forward'] as const).map((kind) => (
          <Button
            key={kind}
            variant={kind === 'reply' ? 'filled' : 'default'}
            leftSection={kind === 'forward' ? <IconArrowForward size={16} /> : <IconSend size={16} />}
            loading={begin.isPending}
            onClick={answer(kind)}
          >
            {{ reply: t.inboxes.reply, 'reply-all': t.inboxes.replyAll, forward: t.inboxes.forward }[kind]}
          </Button>
        ))}
        <AssistThread inbox={inbox} thread={thread} onDraft={write} />
      </Group>
    ) : null
  return (
    <Page
      title={thread.subject || t.inboxes.noSubject}
      trail={[
        { text: t.inboxes.title, href: '/' },
        { text: inbox.name, href: toList },
      ]}
      actions={
        <>
          {may.threads ? <Moves thread={thread} onMoved={leave} onUnread={() => navigate(toList)} /> : null}
          <KeyList of="thread" />
        </>
      }
    >
      <Together kind="threads" id={id} />
      {may.threads ? <Marks inbox={inbox} thread={thread} /> : null}
      <Answer of={messages} lines={8}>
        {() => (
          <Stack gap="sm">
            {hasEarlier ? (
              <Button variant="subtle" onClick={earlier}>
                {t.inboxes.earlier}
              </Button>
            ) : null}
            {shown.toReversed().map((message) => (
              <Message key={message.id} message={message} />
            ))}
          </Stack>
        )}
      </Answer>
      <Drafts inboxId={inbox.id} threadId={id} without={isBelow ? draft?.id : undefined} />
      {buttons}
      <AnswerPlace isBelow={isBelow} draft={draft} onClose={() => setDraft(undefined)}>
        {draft === undefined ? null : (
          <DraftForm key={draft.id} inboxId={inbox.id} draft={draft} isBegun onDone={() => setDraft(undefined)} />
        )}
      </AnswerPlace>
      <Notes thread={thread} />
    </Page>
  )
}

/** The place where an answer is written: below the conversation where the list stands beside it, else in a panel. */
function AnswerPlace({
  isBelow,
  draft,
  onClose,
  children,
}: {
  readonly isBelow: boolean
  readonly draft: Draft | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const t = useTexts()
  const place = useRef<HTMLElement>(null)
  const id = draft?.id
  useEffect(() => {
    if (isBelow && id !== undefined) place.current?.querySelector('textarea')?.focus()
  }, [isBelow, id])
  const title = draft?.subject || t.inboxes.reply
  const { place: within, leave } = useUnsavedPlace(onClose)
  if (!isBelow) {
    return (
      <SidePanel title={title} opened={draft !== undefined} onClose={onClose}>
        {children}
      </SidePanel>
    )
  }
  if (draft === undefined) return null
  return (
    <Paper
      withBorder
      p="md"
      component="section"
      ref={place}
      aria-label={title}
      onKeyDown={({ key }) => (key === 'Escape' ? leave() : undefined)}
    >
      <Group justify="space-between" mb="sm">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <CloseButton aria-label={t.anywhere.close} onClick={leave} />
      </Group>
      <UnsavedPlace value={within}>{children}</UnsavedPlace>
    </Paper>
  )
}

/** Names the folder of a conversation that was opened by its address alone, so that the list beside it is the one that it is in. */
function useFolderInAddress({ folder }: Thread): void {
  const { values, change } = useAddress()
  const isNamed = values.folder !== undefined || values.search !== undefined || folder === 'inbox'
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, since a conversation that is moved keeps its list
  useEffect(() => {
    if (!isNamed) change({ folder }, { replace: true })
  }, [])
}

/** Answers the path of the first conversation that there is so many places below this one in its list. */
function useNeighbours(inboxId: string, threadId: string) {
  const askNow = useAskNow()
  const begin = useOpening()
  const { key, ask, query, rowsOf } = useListBeside(inboxId)
  return async (...steps: readonly (1 | -1)[]): Promise<string | undefined> => {
    const [page, open] = await Promise.all([
      askNow<ListedPage>(key, ask, { once: true }),
      askNow<Thread>(...threadQuery(threadId), { once: true }),
    ])
    const rows = rowsOf(page, open)
    const at = rows.findIndex((each) => each.id === threadId)
    const next = at < 0 ? undefined : steps.map((step) => rows[at + step]).find((each) => each !== undefined)
    if (next === undefined) return undefined
    begin(next)
    return `/${inboxId}/${next.id}${query}`
  }
}

function Moves({
  thread: { id, folder },
  onMoved,
  onUnread,
}: {
  readonly thread: Thread
  readonly onMoved: () => void
  readonly onUnread: () => void
}) {
  const t = useTexts()
  const move = useAct(
    (api, to: Change) => api.PATCH('/threads/{id}', { params: { path: { id } }, body: { folder: to } }),
    {
      changes: CHANGES,
      done: (_, to) => t.inboxes.moved(t.inboxes.folders[to]),
      undo: () => (api) => api.PATCH('/threads/{id}', { params: { path: { id } }, body: { folder } }),
      onDone: onMoved,
    },
  )
  const markUnread = useAct((api) => api.PATCH('/threads/{id}', { params: { path: { id } }, body: { read: false } }), {
    changes: CHANGES,
    done: t.inboxes.markedUnread,
    onDone: onUnread,
  })
  useKeys({
    e: () => move.mutate(folder === 'inbox' ? 'archive' : 'inbox'),
    '#': folder === 'trash' ? undefined : () => move.mutate('trash'),
    '!': folder === 'spam' ? undefined : () => move.mutate('spam'),
  })
  return (
    <>
      {folder === 'inbox' ? (
        <Button variant="default" leftSection={<IconArchive size={16} />} onClick={() => move.mutate('archive')}>
          {t.inboxes.archive}
        </Button>
      ) : (
        <Button variant="default" leftSection={<IconInbox size={16} />} onClick={() => move.mutate('inbox')}>
          {folder === 'spam' ? t.inboxes.noSpam : t.inboxes.toInbox}
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Tooltip label={t.anywhere.more}>
            <ActionIcon variant="default" size="lg" aria-label={t.anywhere.more}>
              <IconDots size={16} />
            </ActionIcon>
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => markUnread.mutate()}>{t.inboxes.markUnread}</Menu.Item>
          {folder === 'spam' ? null : <Menu.Item onClick={() => move.mutate('spam')}>{t.inboxes.spam}</Menu.Item>}
          {folder === 'trash' ? null : <Menu.Item onClick={() => move.mutate('trash')}>{t.inboxes.trash}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
    </>
  )
}

/** The labels, and who takes care of it. */
function Marks({ inbox, thread: { id, labels, assigneeId } }: { readonly inbox: Inbox; readonly thread: Thread }) {
  const t = useTexts()
  const project = useProjectId()
  const members = useAsk<readonly components['schemas']['Member'][]>(['members'], (api, signal) =>
    api.GET('/projects/{id}/members', { params: { path: { id: project } }, signal }),
  )
  const change = useAct(
    (api, body: { readonly labels?: string[]; readonly assigneeId?: string | null }) =>
      api.PATCH('/threads/{id}', { params: { path: { id } }, body }),
    { changes: CHANGES },
  )
  const able = (members.data ?? []).filter(({ status }) => status === 'ACTIVE')
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label={t.inboxes.assignee}
        placeholder={t.inboxes.nobody}
        clearable
        data={able.map(({ id: value, name, email }) => ({ value, label: name ?? email }))}
        value={assigneeId}
        onChange={(chosen) => change.mutate({ assigneeId: chosen })}
      />
      {inbox.labels.length === 0 ? null : (
        <MultiSelect
          label={t.inboxes.labels}
          miw={180}
          data={inbox.labels.map(({ name }) => name)}
          value={[...labels]}
          onChange={(chosen) => change.mutate({ labels: chosen })}
        />
      )}
    </Group>
  )
}

function Notes({ thread: { id, notes } }: { readonly thread: Thread }) {
  const t = useTexts()
  const may = useMay()
  const [text, setText] = useState('')
  useUnsavedGuard(text.trim() !== '')
  const add = useAct((api) => api.POST('/threads/{id}/notes', { params: { path: { id } }, body: { text } }), {
    changes: ['threads'],
    onDone: () => setText(''),
  })
  const remove = useAct(
    (api, noteId: string) => api.DELETE('/threads/{id}/notes/{noteId}', { params: { path: { id, noteId } } }),
    { changes: ['threads'] },
  )
  return (
    <Stack gap="xs">
      <Text size="sm" fw={600}>
        {t.inboxes.notes}
      </Text>
      {notes.map((note) => (
        <Paper key={note.id} withBorder p="sm">
          <Group justify="space-between" wrap="nowrap" align="flex-start">
            <div>
              <Text size="sm" c="dimmed">
                {note.authorName} · <Moment at={note.createdAt} />
              </Text>
              <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
                {note.text}
              </Text>
            </div>
            {may.threads ? (
              <Tooltip label={t.inboxes.deleteNote}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.inboxes.deleteNote}
                  onClick={() => remove.mutate(note.id)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Tooltip>
            ) : null}
          </Group>
        </Paper>
      ))}
      {may.threads ? (
        <>
          <Textarea
            aria-label={t.inboxes.notes}
            description={t.inboxes.noteHint}
            autosize
            minRows={2}
            maxLength={10_000}
            value={text}
            onChange={({ currentTarget: { value } }) => setText(value)}
          />
          <Group>
            <Button
              variant="default"
              loading={add.isPending}
              disabled={text.trim() === ''}
              onClick={() => add.mutate()}
            >
              {t.inboxes.addNote}
            </Button>
          </Group>
        </>
      ) : null}
    </Stack>
  )
}
