import { useEffect, useRef } from 'react'
import { useRenew } from '../api/effects.ts'
import { useApi } from '../api/project.tsx'

/** Deletes this draft when its form is left; undefined while something is written in it. */
export function useDropUntouched(id: string | undefined): void {
  const api = useApi()
  const renew = useRenew()
  const drop = async () => {
    if (id === undefined) return
    // what is still there is a draft like any other
    await api.DELETE('/drafts/{id}', { params: { path: { id } } }).catch(() => {})
    await renew(['drafts'])
  }
  const latest = useRef(drop)
  latest.current = drop
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    // a form that is only drawn anew is not left
    clearTimeout(timer.current)
    return () => {
      timer.current = setTimeout(() => void latest.current(), 0)
    }
  }, [])
}
