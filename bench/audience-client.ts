import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { residentMegabytes } from './cold-start.ts'
import type { ServerProcess } from './server-process.ts'

/** The result of some work, and how the server process fared meanwhile. */
export interface Watched<T> {
  readonly answer: T
  readonly ms: number
  /** By how much its resident memory grew at most, in MB. */
  readonly grownBy: number
  /** The longest wait for an answer of `/health/live` meanwhile, in ms. */
  readonly longestWait: number
}

/** Watches a server process as a client with a project's secret key, and as its operator. */
export class AudienceClient {
  readonly #server: ServerProcess
  readonly #headers: Readonly<Record<string, string>>

  constructor(server: ServerProcess, secretKey: string) {
    this.#server = server
    this.#headers = { authorization: `Bearer ${secretKey}` }
  }

  /** Makes a request. Throws for any status but 2xx. */
  async ask(method: string, path: string, body?: object): Promise<Response> {
    const { url } = this.#server
    const isForm = body instanceof FormData
    const type = isForm || body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = isForm ? { body } : body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url + path, { method, headers: { ...this.#headers, ...type }, ...sent })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return response
  }

  /** Makes a request and reads the answer as JSON of this type. */
  async json<T>(method: string, path: string, body?: object): Promise<T> {
    return (await (await this.ask(method, path, body)).json()) as T
  }

  /**
   * How long a GET takes until its answer is read, in ms: the median of `times` calls after one that is not counted.
   */
  async medianMs(path: string, times = 7): Promise<number> {
    const taken: number[] = []
    for (let call = 0; call <= times; call++) {
      const start = performance.now()
      await (await this.ask('GET', path)).arrayBuffer()
      if (call > 0) taken.push(performance.now() - start)
    }
    return taken.toSorted((a, b) => a - b)[Math.floor(taken.length / 2)] ?? Number.NaN
  }

  /** Does this work, and keeps checking the server's memory and `/health/live` meanwhile. */
  async watch<T>(work: () => Promise<T>): Promise<Watched<T>> {
    const { pid, url } = this.#server
    const before = residentMegabytes(pid)
    let largest = before
    let longestWait = 0
    let ended = false
    const look = () => {
      largest = Math.max(largest, residentMegabytes(pid))
    }
    // its own connection, so that it does not wait behind a long answer
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const asking = (async () => {
      while (!ended) {
        const start = performance.now()
        await answered(`${url}/health/live`, agent)
        longestWait = Math.max(longestWait, performance.now() - start)
        await pause(5)
      }
    })()
    const looking = setInterval(look, 50)
    const start = performance.now()
    const end = async () => {
      look()
      ended = true
      clearInterval(looking)
      await asking
      agent.destroy()
    }
    const { answer, ms } = await work()
      .then((answer) => ({ answer, ms: performance.now() - start }))
      .finally(end)
    return { answer, ms, grownBy: largest - before, longestWait }
  }
}

/** Waits until a GET is answered in full. */
function answered(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => response.resume().on('end', resolve).on('error', reject)).on('error', reject)
  })
}
