import { useState } from 'react'
import { useAsk, useAskNow } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProjectId } from '../api/project.tsx'
import { useNotices } from '../parts/notices.ts'
import { FIRST, messagesQuery } from './thread-queries.ts'

interface Messages {
  readonly data: readonly components['schemas']['ThreadMessage'][]
  readonly hasMore: boolean
  readonly cursor: string | null
}

/** How many messages are asked for at once, at most. */
const MOST = 100

/** The messages of a conversation that has so many, the newest first; `earlier` asks for more of them. */
export function useMessages(id: string, messageCount: number) {
  const askNow = useAskNow()
  const notices = useNotices()
  const project = useProjectId()
  const [limit, setLimit] = useState(FIRST)
  const [older, setOlder] = useState<Messages>()
  const newest = useAsk<Messages>(...messagesQuery(id, limit, messageCount), { keep: true })
  const last = older ?? newest.data
  const before = async (cursor: string) => {
    const page = await askNow<Messages>(['threads', id, 'messages', 'before', cursor], (api, signal) =>
      api.GET('/threads/{id}/messages', { params: { path: { id }, query: { limit: MOST, cursor } }, signal }),
    )
    setOlder({ ...page, data: [...(last?.data ?? []), ...page.data] })
  }
  return {
    /** How it was answered. */
    answer: newest,
    shown: joined(newest.data?.data ?? [], older?.data ?? []),
    hasEarlier: last?.hasMore ?? false,
    earlier(): void {
      if (limit < MOST) setLimit(MOST)
      else if (last?.cursor) before(last.cursor).catch((error: Error) => notices.refused(error, project))
    },
  }
}

/** Both without doubles, the newest first: what comes in moves the others on. */
function joined(newest: Messages['data'], older: Messages['data']): Messages['data'] {
  if (older.length === 0) return newest
  const all = new Map([...older, ...newest].map((message) => [message.id, message]))
  return [...all.values()].sort((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0))
}
