import type { ReactNode } from 'react'

/** A question asked before something is done. */
export interface Question {
  readonly title: string
  /** The text below the title. A function gets what closes the question, for links in it. */
  readonly text?: ReactNode | ((close: () => void) => ReactNode)
  /** The label of the button that goes on: a verb, such as "Delete". */
  readonly yes: string
  readonly no?: string
  /** True when it cannot be taken back. */
  readonly grave?: boolean
}
