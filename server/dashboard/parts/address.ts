import { useCallback, useMemo } from 'react'
import { useLocation, useSearch } from 'wouter'

/** The values in the page's address after `?`, and how to change some of them. An empty value takes its name away. */
export function useAddress() {
  const search = useSearch()
  const [location, navigate] = useLocation()
  const values = useMemo(() => Object.fromEntries(new URLSearchParams(search)), [search])
  const change = useCallback(
    (changed: Readonly<Record<string, string | undefined>>, { replace = false } = {}) => {
      const next = new URLSearchParams(search)
      for (const [name, value] of Object.entries(changed)) {
        if (value === undefined || value === '') next.delete(name)
        else next.set(name, value)
      }
      const text = next.toString()
      if (text !== search) navigate(text === '' ? location : `${location}?${text}`, { replace })
    },
    [search, location, navigate],
  )
  return { values, change }
}
