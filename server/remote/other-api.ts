import { setTimeout as pause } from 'node:timers/promises'
import { isJsonObject, type JsonObject } from '../../core/values/json.ts'
import { ask, keyHeaders, reasonOf } from './ask.ts'
import { EX_CONFIG, EX_NOPERM, EX_UNAVAILABLE, RemoteProblem } from './problem.ts'

/** Where another service is asked, and by which variables people say so. */
interface OtherService {
  readonly name: string
  readonly url: string
  readonly urlVariable: string
  readonly key: string
  readonly keyVariable: string
}

/** The API of another service, as far as it is read. */
export class OtherApi {
  readonly #of: OtherService
  readonly #signal: AbortSignal

  /** Throws RemoteProblem when the address is none. */
  constructor(of: OtherService, signal: AbortSignal) {
    if (!/^https?:$/.test(URL.parse(of.url)?.protocol ?? '')) {
      throw new RemoteProblem(`${of.urlVariable} must be an address that begins with https://.`, EX_CONFIG)
    }
    this.#of = { ...of, url: of.url.replace(/(?<!\/)\/+$/, '') }
    this.#signal = signal
  }

  /** The JSON at a path; undefined where there is no such path. */
  async getIfThere(path: string): Promise<unknown> {
    try {
      return await this.get(path)
    } catch (error) {
      if (error instanceof NotThere) return undefined
      throw error
    }
  }

  /** The JSON at a path. It is asked for again for a while where that is too often, or nothing answers. */
  async get(path: string): Promise<unknown> {
    const { name, url, key, keyVariable } = this.#of
    for (let tries = 1; ; tries++) {
      const { status, text } = await ask(url + path, { headers: keyHeaders(key) }, this.#signal).catch(
        (error: unknown) => ({ status: 0, text: reasonOf(error) }),
      )
      if (status >= 200 && status < 300) return this.#jsonIn(path, text)
      const why = `${url}${path} ${status === 0 ? `cannot be reached: ${text}` : `answers ${status}: ${text.slice(0, 300)}`}`
      if (status === 401 || status === 403) throw new RemoteProblem(`${name} refuses ${keyVariable}: ${why}`, EX_NOPERM)
      if (status === 404 || status === 405) throw new NotThere(why, EX_UNAVAILABLE)
      const isPassing = status === 0 || status === 429 || status >= 500
      if (!isPassing || tries >= TRIES || this.#signal.aborted) throw new RemoteProblem(why, EX_UNAVAILABLE)
      await pause(1000 * tries, undefined, { signal: this.#signal }).catch(() => {})
    }
  }

  #jsonIn(path: string, text: string): unknown {
    const { name, url, urlVariable } = this.#of
    try {
      return JSON.parse(text)
    } catch {
      throw new RemoteProblem(
        `${url}${path} answers no JSON: ${urlVariable} must be the address of ${name}'s API.`,
        EX_CONFIG,
      )
    }
  }
}

/** The service does not have what is asked for. */
class NotThere extends RemoteProblem {}

/** Some 20 seconds. */
const TRIES = 7

/** The records of an answer: a list, or one under one of these names. */
export function listIn(answer: unknown, names: readonly string[]): readonly JsonObject[] {
  const list = Array.isArray(answer)
    ? answer
    : isJsonObject(answer)
      ? names.map((name) => answer[name]).find((found) => Array.isArray(found))
      : undefined
  return Array.isArray(list) ? list.filter(isJsonObject) : []
}
