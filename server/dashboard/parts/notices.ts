import { createContext, useContext } from 'react'

/** A line at the edge of the screen: that something was done, or why it was refused. */
export interface Notice {
  readonly id: number
  readonly kind: 'done' | 'refused'
  readonly text: string
  readonly suggestion?: string
  /** What takes the step back, where it can be taken back. */
  readonly undo?: () => void
}

export interface Notices {
  /** Says that something was done, with a way back where there is one. */
  done(text: string, undo?: () => void): void
  /** Says what went wrong. */
  refused(error: Error): void
}

export const NoticesContext = createContext<Notices>({ done() {}, refused() {} })

/** The lines at the edge of the screen. */
export function useNotices(): Notices {
  return useContext(NoticesContext)
}
