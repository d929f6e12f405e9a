import { residentMegabytes } from '../cold-start.ts'
import type { Installation } from './installation.ts'

const EVERY_MS = 2_000
/** How much the last fifth of the time may lie above the fifth in the middle, in shares of it. */
export const MAY_GROW = 0.15

interface Sample {
  readonly at: number
  readonly name: string
  readonly pid: number
  readonly megabytes: number
}

/** Watches the resident memory of the processes. */
export class Memory {
  readonly #samples: Sample[] = []
  readonly #timer: NodeJS.Timeout

  constructor(installation: Installation) {
    this.#timer = setInterval(() => {
      for (const [name, pid] of installation.pids) {
        const megabytes = residentMegabytes(pid)
        if (!Number.isNaN(megabytes)) this.#samples.push({ at: performance.now(), name, pid, megabytes })
      }
    }, EVERY_MS)
  }

  /**
   * For each process that lives in the whole last half of the time between `from` and `to`: its memory in the fifth after the
   * middle and in the last fifth, in MB, in the median.
   */
  end(from: number, to: number): readonly { readonly name: string; readonly middle: number; readonly last: number }[] {
    clearInterval(this.#timer)
    const at = (share: number) => from + share * (to - from)
    const of = [...Map.groupBy(this.#samples, ({ pid }) => pid).values()]
    return of.flatMap((samples) => {
      const within = (a: number, b: number) => median(samples.filter((one) => one.at >= at(a) && one.at < at(b)))
      const [middle, last] = [within(0.5, 0.7), within(0.8, 1)]
      return Number.isNaN(middle) || Number.isNaN(last) ? [] : [{ name: samples[0]?.name ?? '', middle, last }]
    })
  }
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ megabytes }) => megabytes).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
