import { useEffect, useState } from 'react'
import { useProjectId } from '../../api/project.tsx'
import { useSession } from '../../api/session.tsx'

/** A thing that several people edit, by the API's name of its kind, and its version. */
export interface SharedThing {
  readonly kind: string
  readonly id: string
  /** Its version, and that of its draft after a dot; lists have the first alone. Absent where the API has none. */
  readonly version?: number | string | undefined
}

/** The most things that are kept of one person. */
const AT_MOST = 500
/** Where the versions that a person saw last are kept in the browser, by the id of the person. */
const KEPT = 'mailwright-seen-'

/** The version of each thing that the person saw last in this browser; a list is kept short by dropping the oldest. */
type Seen = Readonly<Record<string, string>>

/** Whether the thing has changed since the person last opened it in this browser. False for what was never opened here. */
export function useIsEdited({ kind, id, version }: SharedThing): boolean {
  const { user } = useSession()
  const key = `${useProjectId()}/${kind}/${id}`
  const [before] = useState(() => seenBy(user.id)[key])
  if (before === undefined || version === undefined) return false
  const now = String(version)
  return now.includes('.') ? before !== now : before.split('.')[0] !== now
}

/** Notes which version of a thing the person sees now. */
export function useNoteSeen({ kind, id, version }: SharedThing): void {
  const { user } = useSession()
  const key = `${useProjectId()}/${kind}/${id}`
  useEffect(() => {
    if (version !== undefined) note(user.id, key, String(version))
  }, [user.id, key, version])
}

function seenBy(user: string): Seen {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT + user) ?? '{}')
    return typeof kept === 'object' && kept !== null ? (kept as Seen) : {}
  } catch {
    return {}
  }
}

function note(user: string, key: string, version: string): void {
  const { [key]: before, ...others } = seenBy(user)
  if (before === version) return
  const latest = [...Object.entries(others), [key, version] as const].slice(-AT_MOST)
  try {
    localStorage.setItem(KEPT + user, JSON.stringify(Object.fromEntries(latest)))
  } catch {
    // a browser that keeps nothing shows no marks
  }
}
