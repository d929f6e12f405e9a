import { createContext, useContext } from 'react'

/** A line at the edge of the screen: that something was done, or why it was refused. */
export interface Notice {
  readonly id: number
  readonly kind: 'done' | 'refused'
  readonly text: string
  /** The refusal, which may say what to do about it. */
  readonly error?: Error
  /** The project that it is about. */
  readonly project?: string | undefined
  /** Takes the step back, where it can be taken back. */
  readonly undo?: () => void
}

export interface Notices {
  /** Says that something was done, with a way back where there is one. */
  done(text: string, undo?: () => void): void
  /** Says what went wrong, and in which project. */
  refused(error: Error, project?: string): void
}

export const NoticesContext = createContext<Notices>({ done() {}, refused() {} })

/** The lines at the edge of the screen. */
export function useNotices(): Notices {
  return useContext(NoticesContext)
}
