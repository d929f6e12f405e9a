import type { ReactNode } from 'react'

/** A question asked before something is done. */
export interface Question {
  readonly title: string
  readonly text?: ReactNode
  /** What the button that goes on says: a verb, such as "Delete". */
  readonly yes: string
  readonly no?: string
  /** True when it cannot be taken back. */
  readonly grave?: boolean
}
