import http from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

/*
 * A thread that asks a server every 20 ms over a socket whether it lives, and on request posts the results since the
 * last time. It has its own event loop, so that the test cannot delay it.
 */

/** How long an answer took, in milliseconds, and when it came, by `Date.now()`. */
export interface Probe {
  readonly at: number
  readonly ms: number
}

export interface Probes {
  readonly answered: number
  readonly failed: number
  /** The slow ones. */
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
