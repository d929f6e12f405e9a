/** Where progress is shown: a terminal or a file. */
export interface Output {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
  write(text: string): unknown
}

/** How far a piece of work is. */
export interface Progress {
  /** The name of the work: the table `emails`. */
  readonly what: string
  readonly done: number
  readonly total: number
}

/**
 * Shows how far something is: on a terminal in one line that is overwritten, elsewhere as a line every few seconds. `now`
 * answers milliseconds.
 */
export class ProgressLine {
  readonly #output: Output
  readonly #now: () => number
  readonly #started: number
  readonly #unit: string
  /** How much was done at the first report, which does not count for the speed. */
  #first: number | undefined
  #shown = Number.NEGATIVE_INFINITY
  #open = false

  constructor(output: Output, unit: string, now: () => number = () => performance.now()) {
    this.#output = output
    this.#unit = unit
    this.#now = now
    this.#started = now()
  }

  show({ what, done, total }: Progress): void {
    this.#first ??= done
    const now = this.#now()
    if (now - this.#shown < (this.#output.isTTY ? TERMINAL_MS : PLAIN_MS)) return
    this.#shown = now
    const share = total === 0 ? 1 : Math.min(done / total, 1)
    const seconds = (now - this.#started) / 1000
    const speed = seconds > 0 ? Math.round((done - this.#first) / seconds) : 0
    const percent = `${Math.floor(share * 100)} %`.padStart(5)
    const text = `${percent}  ${what}  ${speed} ${this.#unit}/s  ${done} of ${total}`
    if (!this.#output.isTTY) return void this.#output.write(`${text}\n`)
    const filled = Math.round(share * WIDTH)
    const line = `[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${text}`
    this.#open = true
    this.#output.write(`\r\x1b[K${line.slice(0, (this.#output.columns ?? 80) - 1)}`)
  }

  /** Clears the terminal's line, so that the next output begins on its own line. */
  end(): void {
    if (this.#open) this.#output.write('\r\x1b[K')
    this.#open = false
  }
}

const TERMINAL_MS = 100
const PLAIN_MS = 3000

/** The bar's width in characters. */
const WIDTH = 20
