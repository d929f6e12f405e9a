import { writeFileSync } from 'node:fs'
import type { Figure } from './figure.ts'
import { ratios } from './ratios.ts'

/** The medians of a run, and the measures that failed, each with the reason of its last failure. */
export interface Measured {
  readonly figures: readonly Figure[]
  readonly failed: ReadonlyMap<string, string>
}

/**
 * Runs each measure in turn with the others, so often. The file is written after each, so that a run that ends early has
 * what it measured; a measure that fails leaves the others their turn, and is not tried again.
 */
export async function measureRounds(
  names: readonly string[],
  rounds: number,
  { file, about, say, measure }: Output & { measure(name: string): Promise<readonly Figure[]> },
): Promise<Measured> {
  const runs = new Map<string, Figure[]>()
  const failed = new Map<string, string>()
  for (let round = 1; round <= rounds; round++) {
    for (const name of names) {
      if (failed.has(name)) continue
      say(`round ${round} of ${rounds}: ${name}`)
      try {
        for (const figure of await measure(name)) {
          runs.set(figure.what, [...(runs.get(figure.what) ?? []), figure])
          say(`  ${figure.what}: ${figure.value} ${figure.unit}`)
        }
      } catch (error) {
        failed.set(name, error instanceof Error ? error.message : String(error))
        say(`${name} failed: ${failed.get(name)}`)
      }
      const written = { ...about, rounds: round, figures: summary(runs), failed: Object.fromEntries(failed) }
      writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`)
    }
  }
  return { figures: summary(runs), failed }
}

interface Output {
  /** The file of the figures. */
  readonly file: string
  /** The machine and the time, written beside them. */
  readonly about: object
  /** Reports a line of progress. */
  say(line: string): void
}

function summary(runs: ReadonlyMap<string, readonly Figure[]>): readonly Figure[] {
  const medians = [...runs.values()].flatMap((same) => same.slice(0, 1).map((one) => ({ ...one, value: median(same) })))
  return [...medians, ...ratios(medians)]
}

function median(figures: readonly Figure[]): number {
  const sorted = figures.map(({ value }) => value).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
