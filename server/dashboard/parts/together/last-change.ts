import { useAsk } from '../../api/ask.ts'
import type { components } from '../../api/client.ts'
import { useMay } from '../../api/project.tsx'
import { useSession } from '../../api/session.tsx'

type Entry = components['schemas']['AuditEntry']

/** The latest change of a thing. */
export interface LastChange {
  readonly name: string
  readonly at: string
  readonly isOwn: boolean
}

/** The latest change among these of the audit log; users who may not read it, and older changes, have none. */
export function useLastChange(id: string, kind: string, isAsked: boolean): LastChange | undefined {
  const may = useMay()
  const { user } = useSession()
  // one request for all rows of a list
  const log = useAsk(
    ['audit', 'latest', kind],
    (api, signal) => api.GET('/audit', { params: { query: { kind, limit: 100 } }, signal }),
    { enabled: isAsked && may.audit },
  )
  const entry = log.data?.data.find((each) => isAbout(each, id))
  return entry && { name: entry.actor.name, at: entry.timestamp, isOwn: entry.actor.id === user.id }
}

function isAbout({ target }: Entry, id: string): boolean {
  return target.id === id || target.partOf?.id === id
}
