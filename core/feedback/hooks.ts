import { EngineError, type ErrorCode } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { FeedbackReport } from '../ports/feedback-report.ts'
import {
  type HookAnswer,
  type HookMail,
  type HookRefused,
  type HookRequest,
  type HttpHook,
  type NamedHook,
} from '../ports/http-hook.ts'
import { LimitedLog } from '../ports/limited-log.ts'
import { isJsonObject } from '../values/json.ts'
import { RecentlyUsed } from '../values/recently-used.ts'
import type { FeedbackOutcome } from './report.ts'

/** How long a hook may take to read a request: it may have to fetch a key. */
const TIMEOUT_MS = 10_000
/** No request may bring more reports. */
const MAX_REPORTS = 10_000
/** No request may ask for more mails. */
const MAX_MAILS = 100
/** The longest reply, in characters. */
const MAX_REPLY_LENGTH = 64 * 1024
/** How many one-time tokens of requests are remembered, and about how many characters of them. */
const MAX_REMEMBERED = 100_000
const MAX_REMEMBERED_CHARACTERS = 16 * 1024 * 1024
/** How many refusals of one hook are logged per minute. */
const MAX_LOGGED_PER_MINUTE = 5

/** The result of a request to a hook. */
export interface HookReceipt {
  /** How many reports it had. */
  readonly reports: number
  /** How many of them changed something. */
  readonly changed: number
  /** The reply the provider expects. */
  readonly reply?: { readonly contentType: string; readonly body: string }
}

/** Where the reports and the mails of requests go. */
export interface HookSinks {
  /** Stores reports. */
  take(reports: readonly FeedbackReport[]): Promise<readonly FeedbackOutcome[]>
  /** Accepts a mail, once for each key. Throws the refusal of `POST /v1/send`. */
  accept(mail: HookMail): Promise<void>
}

/** Receives requests of other services over HTTP: hooks read them, this class stores the reports and accepts the mails. */
export class Hooks {
  readonly #hooks: ReadonlyMap<string, HttpHook>
  readonly #used = new RecentlyUsed<true>(MAX_REMEMBERED, MAX_REMEMBERED_CHARACTERS, (key) => key.length)
  readonly #inUse = new Set<string>()
  readonly #warnings: LimitedLog

  constructor(
    hooks: readonly NamedHook[],
    private readonly sinks: HookSinks,
    private readonly kit: Kit,
  ) {
    this.#hooks = new Map(hooks.map(({ name, hook }) => [name, hook]))
    this.#warnings = new LimitedLog(kit.log, MAX_LOGGED_PER_MINUTE)
  }

  /** Whether there is a hook with this name, the last part of its path `/hooks/<name>`. */
  has(name: string): boolean {
    return this.#hooks.has(name)
  }

  /**
   * Lets the hook of this name read a request, and answers when all its reports and mails are stored. The same request again
   * changes nothing. Throws EngineError `RESOURCE_NOT_FOUND` when there is no such hook, the hook's refusal
   * (`INVALID_SIGNATURE` when the caller is not proven), and `SERVICE_UNAVAILABLE` when it could not be read or stored
   * now.
   */
  async receive(name: string, request: HookRequest): Promise<HookReceipt> {
    const hook = this.#hooks.get(name)
    if (hook === undefined) throw new EngineError('RESOURCE_NOT_FOUND', 'There is no hook of this name.')
    const answer = await this.#ask(name, hook, request)
    if (answer.outcome === 'refused') throw this.#refusal(name, answer)
    const { reports, mails = [], once, reply } = answer
    if (reports.length > MAX_REPORTS) {
      throw new EngineError('PAYLOAD_TOO_LARGE', `A request may have at most ${MAX_REPORTS} reports.`)
    }
    if (mails.length > MAX_MAILS) {
      throw new EngineError('PAYLOAD_TOO_LARGE', `A request may ask for at most ${MAX_MAILS} mails.`)
    }
    const outcomes = await this.#onlyOnce(name, once, async () => {
      for (const mail of mails) await this.sinks.accept({ ...mail, key: `${name} ${mail.key}` })
      return this.sinks.take(reports)
    })
    const changed = outcomes.filter((outcome) => outcome === 'changed').length
    const noMail = outcomes.filter((outcome) => outcome === 'no-mail').length
    this.kit.log.debug('a hook received reports about mail', { hook: name, reports: reports.length, changed, noMail })
    return { reports: reports.length, changed, ...(reply === undefined ? {} : { reply }) }
  }

  /** A plugin is not trusted: it may hang, throw, or answer something invalid. */
  async #ask(name: string, hook: HttpHook, request: HookRequest): Promise<HookAnswer> {
    const limit = new AbortController()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      const error = new Error(`it took longer than ${TIMEOUT_MS} ms`)
      limit.abort(error)
      reject(error)
    }, TIMEOUT_MS)
    try {
      const answer = await Promise.race([late, hook.receive(request, limit.signal)])
      const problem = misfit(answer)
      if (problem !== undefined) throw new Error(problem)
      return answer
    } catch (error) {
      if (EngineError.is(error)) {
        this.#warn(name, error.code, error.message)
        throw error
      }
      this.kit.log.error('a hook could not read a request', { hook: name, error })
      throw new EngineError('SERVICE_UNAVAILABLE', 'The request cannot be read just now.', { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }

  /** Remembers the token before storing, so that of two concurrent requests only one is accepted. */
  async #onlyOnce<T>(name: string, once: string | undefined, store: () => Promise<T>): Promise<T> {
    if (once === undefined) return store()
    const key = `${name} ${once.slice(0, 1000)}`
    if (this.#used.get(key) || this.#inUse.has(key)) {
      throw new EngineError('ALREADY_USED', 'A request with this token was taken before.')
    }
    this.#inUse.add(key)
    try {
      const stored = await store()
      this.#used.set(key, true)
      return stored
    } finally {
      this.#inUse.delete(key)
    }
  }

  #refusal(name: string, { status, message, scheme }: HookRefused): EngineError {
    const code = CODES[status]
    this.#warn(name, code, message)
    // a separate challenge, since an API key would not help
    return new EngineError(code, message, { challenge: scheme === 'Basic' ? 'Basic realm="hooks"' : 'Signature' })
  }

  #warn(hook: string, code: ErrorCode, reason: string): void {
    this.#warnings.warn(hook, 'a hook refused a request', { hook, code, reason })
  }
}

const CODES: { readonly [Status in HookRefused['status']]: ErrorCode } = {
  400: 'BAD_REQUEST',
  401: 'INVALID_SIGNATURE',
  403: 'FORBIDDEN',
  503: 'SERVICE_UNAVAILABLE',
}

/** The problem with a hook's answer, for authors without a compiler. */
function misfit(answer: Partial<HookAnswer> | undefined): string | undefined {
  if (answer?.outcome === 'refused') {
    const { status = 0, message } = answer
    return status in CODES && typeof message === 'string' ? undefined : 'a refusal needs a status and a message'
  }
  if (answer?.outcome !== 'taken' || !Array.isArray(answer.reports)) {
    return "it must answer { outcome: 'taken', reports } or { outcome: 'refused', status, message }"
  }
  const odd = answer.reports.findIndex((report: unknown) => !isReport(report))
  if (odd >= 0) return `its reports[${odd}] needs kind, mail, at (a Date) and key (a text)`
  const wrong = (answer.mails ?? []).findIndex((mail: unknown) => !isMail(mail))
  if (wrong >= 0) return `its mails[${wrong}] needs mail (an object) and key (1 to 150 printable ASCII characters)`
  const { reply } = answer
  if (reply === undefined) return undefined
  const isPlain = reply.contentType === 'text/plain' || reply.contentType === 'application/json'
  return isPlain && typeof reply.body === 'string' && reply.body.length <= MAX_REPLY_LENGTH
    ? undefined
    : `a reply must be text/plain or application/json, and have at most ${MAX_REPLY_LENGTH} characters`
}

function isMail(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { mail, key }: Partial<Record<keyof HookMail, unknown>> = value
  return isJsonObject(mail) && typeof key === 'string' && /^[ -~]{1,150}$/.test(key)
}

function isReport(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { kind, mail, at, key }: Partial<Record<keyof FeedbackReport, unknown>> = value
  const isNamed =
    typeof mail === 'object' && mail !== null && Object.values(mail).every((name) => typeof name === 'string')
  return typeof kind === 'string' && isNamed && at instanceof Date && typeof key === 'string'
}
