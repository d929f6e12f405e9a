import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * A thread that asks a server every 20 ms over a socket whether it lives, and on request posts what came of it since the
 * last time. It has an event loop of its own, so that what the test does meanwhile keeps it from nothing.
 */

/** How long an answer took, in milliseconds, and when it came, as `Date.now()`. */
export interface Probe {
  readonly at: number
  readonly ms: number
}

export interface Probes {
  readonly answered: number
  readonly failed: number
  /** Those that took long. */
  readonly slow: readonly Probe[]
}

const EVERY_MS = 20
const SLOW_MS = 100

const agent = new http.Agent({ keepAlive: true })
let seen: { answered: number; failed: number; slow: Probe[] } = { answered: 0, failed: 0, slow: [] }

function probe(): void {
  const began = performance.now()
  const request = http.get(`${workerData}/health/live`, { agent }, (response) => {
    response.resume().once('end', () => {
      const ms = performance.now() - began
      if (response.statusCode === 200) seen.answered++
      else seen.failed++
      if (ms > SLOW_MS) seen.slow.push({ at: Date.now(), ms })
    })
  })
  request.once('error', () => {
    seen.failed++
  })
}

setInterval(probe, EVERY_MS)
parentPort?.on('message', () => {
  parentPort?.postMessage(seen satisfies Probes)
  seen = { answered: 0, failed: 0, slow: [] }
})
