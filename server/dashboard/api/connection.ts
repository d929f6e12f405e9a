import { useSyncExternalStore } from 'react'
import { API_URL } from './base.ts'

/** How often a server that is away is asked whether it is back, in milliseconds. */
const AGAIN = 3000

let isLost = false
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
let onBack = () => {}

/** Notes that the server answered. */
export function noteAnswer(): void {
  if (!isLost) return
  clearTimeout(timer)
  change(false)
  onBack()
}

/** Notes that the server did not answer: it is asked until it does. */
export function noteFailure(): void {
  if (isLost) return
  change(true)
  timer = setTimeout(askAgain, AGAIN)
}

/** Notes that the server did not answer, and waits until it does. */
export function untilBack(): Promise<void> {
  noteFailure()
  return new Promise((resolve) => {
    const listen = () => {
      if (isLost) return
      listeners.delete(listen)
      resolve()
    }
    listeners.add(listen)
  })
}

/** Names what to do once the server is back. */
export function whenBack(act: () => void): void {
  onBack = act
}

/** Whether the connection to the server is lost just now. */
export function useIsLost(): boolean {
  return useSyncExternalStore(
    (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
    () => isLost,
  )
}

async function askAgain() {
  try {
    await fetch(new URL('health/live', API_URL), { cache: 'no-store' })
    noteAnswer()
  } catch {
    timer = setTimeout(askAgain, AGAIN)
  }
}

function change(lost: boolean) {
  isLost = lost
  for (const listen of listeners) listen()
}
