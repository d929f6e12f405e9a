import type { CopyProgress } from '../config/copy-data.ts'

/** Where progress is shown: a terminal or a file. */
export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/**
 * Shows how far a copy is: on a terminal as one line that is written over, elsewhere as a line every few seconds.
 * `now` answers milliseconds.
 */
export class ProgressLine {
  readonly #output: Output
  readonly #now: () => number
  readonly #started: number
  /** Rows that were there when the first batch was reported, for the speed. */
  #first: number | undefined
  #shown = Number.NEGATIVE_INFINITY
  #open = false

  constructor(output: Output, now: () => number = () => performance.now()) {
    this.#output = output
    this.#now = now
    this.#started = now()
  }

  show({ table, copied, total }: CopyProgress): void {
    this.#first ??= copied
    const now = this.#now()
    if (now - this.#shown < (this.#output.isTTY ? TERMINAL_MS : PLAIN_MS)) return
    this.#shown = now
    const share = total === 0 ? 1 : Math.min(copied / total, 1)
    const seconds = (now - this.#started) / 1000
    const speed = seconds > 0 ? Math.round((copied - this.#first) / seconds) : 0
    const percent = `${Math.floor(share * 100)} %`.padStart(5)
    const text = `${percent}  ${table}  ${speed} rows/s  ${copied} of ${total}`
    if (!this.#output.isTTY) return void this.#output.write(`${text}\n`)
    const filled = Math.round(share * WIDTH)
    const line = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${text}`
    this.#open = true
    this.#output.write(`\r\x1b[K${line.slice(0, (this.#output.columns ?? 80) - 1)}`)
  }

  /** Leaves the terminal's line, so that what is written next begins one of its own. */
  end(): void {
    if (this.#open) this.#output.write('\r\x1b[K')
    this.#open = false
  }
}

const TERMINAL_MS = 100
const PLAIN_MS = 3000

/** How many characters the bar has. */
const WIDTH = 20
