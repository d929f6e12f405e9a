import { useSyncExternalStore } from 'react'

/** The new session that the requests of an ended one wait for; undefined while there is a session. */
let again: PromiseWithResolvers<void> | undefined
const listeners = new Set<() => void>()

/** Notes that the session has ended, and waits until the person has signed in again. */
export function untilSignedIn(): Promise<void> {
  if (again === undefined) {
    again = Promise.withResolvers()
    tell()
  }
  return again.promise
}

/** Notes that the person has signed in: the requests that waited are sent. */
export function noteSignedIn(): void {
  again?.resolve()
  again = undefined
  tell()
}

/** Whether the session has ended while its page is open. */
export function useHasEnded(): boolean {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => again !== undefined,
  )
}

function tell() {
  for (const listen of listeners) listen()
}
