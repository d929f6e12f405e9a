import { useEffect, useRef } from 'react'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { useFirstTexts } from '../texts/texts.tsx'
import { useConfirm } from './confirm.tsx'

/** Forms with something unsaved, and how to ask whether to leave them. */
const unsaved = new Map<symbol, () => Promise<boolean>>()

/** Asks before a page is left while `isUnsaved`, unless it can be saved without asking: `save` answers whether it was. */
export function useUnsavedGuard(isUnsaved: boolean, save?: () => Promise<boolean>): void {
  const t = useFirstTexts()
  const confirm = useConfirm()
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    if (!isUnsaved) return
    const key = Symbol('unsaved')
    unsaved.set(key, async () => {
      if (await latest.current?.()) return true
      return confirm({
        title: t.anywhere.unsaved,
        text: t.anywhere.unsavedHint,
        yes: t.anywhere.discard,
        no: t.anywhere.stay,
        grave: true,
      })
    })
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      unsaved.delete(key)
      removeEventListener('beforeunload', onUnload)
    }
  }, [isUnsaved, confirm, t])
}

/** Leaves the forms of this page without asking: what was in them has just been saved, or deleted. */
export function forgetUnsaved(): void {
  unsaved.clear()
}

/** The browser's location, left only when nothing unsaved is lost. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [location, navigate] = useBrowserLocation(options)
  return [location, (to, how) => void whenFree(() => navigate(to, how))]
}

async function whenFree(go: () => void) {
  const [ask] = unsaved.values()
  if (ask === undefined) return go()
  if (!(await ask())) return
  unsaved.clear()
  go()
}

/** Holds up the browser's Back and Forward, too, where the browser lets a page do so. */
export function guardTraversal(): void {
  const { navigation }: Partial<Pick<Window, 'navigation'>> = window
  navigation?.addEventListener('navigate', (event) => {
    const { navigationType, cancelable, destination } = event
    if (navigationType !== 'traverse' || !cancelable || unsaved.size === 0) return
    event.preventDefault()
    void whenFree(() => navigation.traverseTo(destination.key))
  })
}
