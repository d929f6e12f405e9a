import { Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { Link, useSearch } from 'wouter'
import { useAsk } from '../api/ask.ts'
import type { Api, components } from '../api/client.ts'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Beginning } from './beginning.tsx'
import { threadQuery, useOpening } from './thread-queries.ts'
import classes from './threads-beside.module.css'

type Listed = components['schemas']['Thread'] & Partial<Pick<components['schemas']['FoundThread'], 'excerpt'>>

/** A page of the list. */
export interface ListedPage {
  readonly data: readonly Listed[]
}

export const FOLDERS = ['inbox', 'archive', 'sent', 'spam', 'trash', 'all'] as const

/** Whether the list stands beside an open conversation. */
export function useWide(): boolean {
  return useMediaQuery('(min-width: 80em)', false, { getInitialValueInEffect: false })
}

/** The list that a conversation was opened from, as the address names it. */
export function useListBeside(inboxId: string) {
  const { values } = useAddress()
  const query = useSearch()
  const folder = FOLDERS.find((each) => each === values.folder) ?? 'inbox'
  const { search, cursor } = values
  /** A search finds read and unread ones, as in the list itself. */
  const isUnread = values.unread === '1' && !search
  return {
    folder,
    search,
    isUnread,
    /** The end of a path behind which the list stays the same. */
    query: query === '' ? '' : `?${query}`,
    key: ['threads', inboxId, 'beside', folder, search, cursor, isUnread] as const,
    ask: (api: Api, signal: AbortSignal) => {
      const where = folder === 'inbox' ? {} : { folder }
      if (search) {
        return api.GET('/threads', { params: { query: { q: search, inboxId, limit: 50, ...where } }, signal })
      }
      const query = { folder, limit: 100, ...(cursor ? { cursor } : {}), ...(isUnread ? { unread: true } : {}) }
      return api.GET('/inboxes/{id}/threads', { params: { path: { id: inboxId }, query }, signal })
    },
    /** The rows of the list. Opening one has made it a read one: it stays until another is opened, so that one can go on from it. */
    rowsOf(page: ListedPage, open: Listed | undefined): readonly Listed[] {
      return isUnread && open !== undefined ? withOpen(page.data, open, folder) : page.data
    },
  }
}

function withOpen(rows: readonly Listed[], open: Listed, folder: (typeof FOLDERS)[number]): readonly Listed[] {
  const isElsewhere = folder !== 'all' && folder !== 'sent' && open.folder !== folder
  if (isElsewhere || rows.some(({ id }) => id === open.id)) return rows
  return [...rows, open].sort((a, b) => (a.lastMessageAt < b.lastMessageAt ? 1 : -1))
}

/** The conversations beside the one that is open. */
export function ThreadsBeside({ inboxId, openId }: { readonly inboxId: string; readonly openId: string }) {
  const t = useTexts()
  const { folder, search, isUnread, query, key, ask, rowsOf } = useListBeside(inboxId)
  const name = isUnread ? `${t.inboxes.folders[folder]} – ${t.inboxes.onlyUnread}` : t.inboxes.folders[folder]
  const threads = useAsk<ListedPage>(key, ask, {
    keep: true,
    // a search costs much, and its best are the same a moment later
    every: search ? false : 15_000,
  })
  // its page asks for it, too, and asks again
  const { data: opened } = useAsk<Listed>(...threadQuery(openId), { enabled: isUnread })
  const open = useRef<HTMLAnchorElement>(null)
  const begin = useOpening()
  const isListed = threads.data !== undefined && rowsOf(threads.data, opened).some(({ id }) => id === openId)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is another one
  useEffect(() => {
    open.current?.scrollIntoView({ block: 'nearest' })
  }, [openId, isListed])
  return (
    <nav className={classes.list} aria-label={name}>
      <Text size="sm" fw={600} p="sm" c="dimmed">
        {search ? t.anywhere.searchedFor(search) : name}
      </Text>
      <Answer of={threads} lines={8}>
        {(page) => (
          <ul className={classes.rows}>
            {rowsOf(page, opened).map((thread) => (
              <li key={thread.id}>
                <Link
                  href={`/${inboxId}/${thread.id}${query}`}
                  onClick={() => begin(thread)}
                  className={classes.row}
                  ref={thread.id === openId ? open : undefined}
                  aria-current={thread.id === openId ? 'page' : undefined}
                >
                  <Row thread={thread} />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </nav>
  )
}

function Row({
  thread: { subject, snippet, excerpt, unread, participants, lastMessageAt },
}: {
  readonly thread: Listed
}) {
  const t = useTexts()
  const [first, ...others] = participants
  return (
    <>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" fw={unread ? 700 : 400} truncate>
          {first === undefined ? '–' : `${first.name ?? first.email}${others.length > 0 ? ` +${others.length}` : ''}`}
        </Text>
        <Text size="xs" c="dimmed" className={classes.moment}>
          <Moment at={lastMessageAt} />
        </Text>
      </Group>
      <Text size="sm" fw={unread ? 700 : 400} truncate>
        {subject || t.inboxes.noSubject}
      </Text>
      <Beginning snippet={snippet} excerpt={excerpt} />
    </>
  )
}
