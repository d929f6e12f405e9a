import { readFileSync } from 'node:fs'
import type { Figure } from './figure.ts'
import { startServer } from './server-process.ts'

const RUNS = 3

/** From `node dist/server/bin.js` on an empty folder to the first answer of `/health/live`; medians. */
export async function measureColdStart(): Promise<readonly Figure[]> {
  const first: number[] = []
  const again: number[] = []
  let rss = 0
  for (let run = 0; run < RUNS; run++) {
    const server = await startServer({})
    first.push(server.startMs)
    rss = residentMegabytes(server.pid)
    await server.stop()
    const second = await startServer({ folder: server.folder })
    again.push(second.startMs)
    await second.stop({ remove: true })
  }
  return [
    { what: 'cold start, new database', value: median(first), unit: 'ms', note: 'process start to first answer' },
    { what: 'cold start, existing database', value: median(again), unit: 'ms' },
    { what: 'RSS after start', value: rss, unit: 'MB' },
  ]
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Resident memory of a process, from Linux's /proc; NaN elsewhere. */
export function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    return Number.NaN
  }
}
