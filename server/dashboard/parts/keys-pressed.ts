import { useEffect, useRef } from 'react'

/** Places that keys are typed into, or that have keys of their own. */
const TYPING = 'input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], [role="listbox"]'

/**
 * Does what single keys stand for while this is shown and nothing is being typed. Keys are named by what they write (`r`,
 * `#`), since `#` lies elsewhere on a German keyboard; libraries of shortcuts go by the place, or by Shift.
 */
export function useKeys(keys: Readonly<Record<string, (() => void) | undefined>>): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      if (event.target instanceof Element && event.target.closest(TYPING)) return
      if (document.querySelector('[role="dialog"]')) return
      const act = latest.current[event.key]
      if (act === undefined) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
