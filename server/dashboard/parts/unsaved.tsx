import { createContext, useContext, useLayoutEffect, useRef, useState } from 'react'
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

const unsaved = new Set<Unsaved>()

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
      if (!(await areFree([...unsaved].filter((form) => form.place === place)))) return
      // the forms elsewhere on the page stay
      forgetUnsaved()
      close()
    } finally {
      isLeaving.current = false
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
  // the next page may navigate before passive effects are cleaned up
  useLayoutEffect(() => {
    if (!isUnsaved) return
    const form: Unsaved = {
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
    }
    unsaved.add(form)
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      unsaved.delete(form)
      removeEventListener('beforeunload', onUnload)
    }
  }, [isUnsaved, outlives, place, confirm, t])
}

/** True while the page may be left without asking. */
let isForgotten = false

/**
 * Leaves this page without asking, by a call that follows at once: what was in its forms has just been saved, or deleted. A
 * form that stays on the page all the same is asked about the next time.
 */
export function forgetUnsaved(): void {
  isForgotten = true
  queueMicrotask(() => {
    isForgotten = false
  })
}

/** The browser's location, left only when nothing unsaved is lost. */
export const useGuardedLocation: typeof useBrowserLocation = (options) => {
  const [location, navigate] = useBrowserLocation(options)
  return [location, (to, how) => void whenFree(to, () => navigate(to, how))]
}

async function whenFree(to: string | URL, go: () => void) {
  if (isForgotten || unsaved.size === 0) return go()
  // nothing is lost, and what was refused may be mended in another tab
  if (await areFree([...unsaved], ({ outlives }) => !(outlives && isWithinPage(to)))) go()
}

/** Saves those of the forms that can be saved without asking, and asks once whether to lose the others that `isLost` names. */
async function areFree(forms: readonly Unsaved[], isLost = (_form: Unsaved) => true): Promise<boolean> {
  let lost: Unsaved | undefined
  for (const form of forms) if (!(await form.save()) && isLost(form)) lost ??= form
  return lost === undefined || lost.ask()
}

function isWithinPage(to: string | URL): boolean {
  return new URL(to, location.href).pathname === location.pathname
}

/** The entry of the browser's history that nothing keeps from going to any more. */
let freeEntry: string | undefined

/** Holds up the browser's Back and Forward, too, where the browser lets a page do so. */
export function guardTraversal(): void {
  const { navigation }: Partial<Pick<Window, 'navigation'>> = window
  navigation?.addEventListener('navigate', (event) => {
    const { navigationType, cancelable, destination } = event
    if (navigationType !== 'traverse') return
    const isFree = destination.key === freeEntry
    freeEntry = undefined
    if (isFree || !cancelable || unsaved.size === 0) return
    event.preventDefault()
    void whenFree(destination.url, () => {
      freeEntry = destination.key
      navigation.traverseTo(destination.key)
    })
  })
}
