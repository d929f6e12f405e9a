import { useEffect, useRef } from 'react'
import type { components } from '../api/client.ts'
import { useRenew } from '../api/effects.ts'
import { useApi } from '../api/project.tsx'

/** Deletes this draft when its form is left, unless it was changed elsewhere; undefined while something is written in it. */
export function useDropUntouched(begun: components['schemas']['InboxDraft'] | undefined): void {
  const api = useApi()
  const renew = useRenew()
  const drop = async () => {
    if (begun === undefined) return
    const path = { params: { path: { id: begun.id } } }
    // another tab or person may have written in it, or sent it
    const { data: now } = await api.GET('/drafts/{id}', path)
    if (now?.version !== begun.version || now.status !== 'open') return
    await api.DELETE('/drafts/{id}', path)
    await renew(['drafts'])
  }
  const latest = useRef(drop)
  latest.current = drop
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // a form that is only drawn anew is not left
    clearTimeout(timer.current)
    return () => {
      // what is still there is a draft like any other
      timer.current = setTimeout(() => void latest.current().catch(() => {}), 0)
    }
  }, [])
}
