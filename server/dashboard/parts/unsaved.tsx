import { createContext, useContext, useEffect, useRef, useState } from 'react'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { useFirstTexts } from '../texts/texts.tsx'
import { useConfirm } from './confirm.tsx'

/** A form with something unsaved. */
interface Unsaved {
  /** The part of the page that it is in. */
  readonly place: symbol | undefined
  /** True for one that stays on the page whatever comes after `?` in its address, such as one above its tabs. */
  readonly outlives: boolean
  /** Saves it without asking, where it can be; answers whether it was. */
  save(): Promise<boolean>
  /** Asks whether to leave it. */
  ask(): Promise<boolean>
}

const unsaved = new Map<symbol, Unsaved>()

/** A part of the page that is closed by itself, such as a panel from the side. */
const Place = createContext<symbol | undefined>(undefined)
/** Tells the forms in it which part of the page they are in. */
export const UnsavedPlace = Place.Provider

/** A part of the page, and the way to close it that loses nothing unsaved in it. */
export function useUnsavedPlace(close: () => void): { readonly place: symbol; readonly leave: () => void } {
  const [place] = useState(() => Symbol('place'))
  const isLeaving = useRef(false)
  const leave = async () => {
    if (isLeaving.current) return
    isLeaving.current = true
    try {
      await leavePlace(place, close)
    } finally {
      // the key that answers the question reaches what is below it, too
      setTimeout(() => {
        isLeaving.current = false
      }, 100)
    }
  }
  return { place, leave: () => void leave() }
}

/** Asks before a page is left while `isUnsaved`, unless it can be saved without asking: `save` answers whether it was. */
export function useUnsavedGuard(isUnsaved: boolean, save?: () => Promise<boolean>, outlives = false): void {
  const t = useFirstTexts()
  const confirm = useConfirm()
  const place = useContext(Place)
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    if (!isUnsaved) return
    const key = Symbol('unsaved')
    unsaved.set(key, {
      place,
      outlives,
      save: async () => (await latest.current?.()) ?? false,
      ask: () =>
        confirm({
          title: t.anywhere.unsaved,
          text: t.anywhere.unsavedHint,
          yes: t.anywhere.discard,
          no: t.anywhere.stay,
          grave: true,
        }),
    })
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      unsaved.delete(key)
      removeEventListener('beforeunload', onUnload)
    }
  }, [isUnsaved, outlives, place, confirm, t])
}

/** Leaves the forms of this page without asking: what was in them has just been saved, or deleted. */
export function forgetUnsaved(): void {
  unsaved.clear()
}

/** The browser's location, left only when nothing unsaved is lost. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [location, navigate] = useBrowserLocation(options)
  return [location, (to, how) => void whenFree(to, () => navigate(to, how))]
}

async function whenFree(to: string | URL, go: () => void) {
  const [form] = unsaved.values()
  if (form === undefined) return go()
  const isSaved = await form.save()
  // nothing is lost, and what was refused may be mended in another tab
  if (!isSaved && form.outlives && isWithinPage(to)) return go()
  if (!isSaved && !(await form.ask())) return
  unsaved.clear()
  go()
}

async function leavePlace(place: symbol, close: () => void) {
  const [found] = [...unsaved].filter(([, form]) => form.place === place)
  if (found === undefined) return close()
  const [key, form] = found
  if (!(await form.save()) && !(await form.ask())) return
  unsaved.delete(key)
  await leavePlace(place, close)
}

function isWithinPage(to: string | URL): boolean {
  return new URL(to, location.href).pathname === location.pathname
}

/** Holds up the browser's Back and Forward, too, where the browser lets a page do so. */
export function guardTraversal(): void {
  const { navigation }: Partial<Pick<Window, 'navigation'>> = window
  navigation?.addEventListener('navigate', (event) => {
    const { navigationType, cancelable, destination } = event
    if (navigationType !== 'traverse' || !cancelable || unsaved.size === 0) return
    event.preventDefault()
    void whenFree(destination.url, () => navigation.traverseTo(destination.key))
  })
}
