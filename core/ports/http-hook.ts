import type { JsonObject } from '../values/json.ts'
import type { FeedbackReport } from './feedback-report.ts'

/**
 * Reads requests of other services over HTTP, one POST each: a provider's reports about sent mail, or a program's wish for
 * mails, such as those of a login. It verifies the caller by the service's signature or secret, and translates what it says;
 * it stores and sends nothing.
 */
export interface HttpHook {
  /**
   * Reads one request; verifies the caller before it trusts the body. Expected outcomes are answered: unverified
   * callers and unreadable bodies are `refused`, and events of other kinds are left out of the reports. A thrown
   * EngineError is answered as by the API, with the fields it names. Any other error is answered with 503, so that the
   * provider tries again. The signal is aborted after 10 seconds; later answers are ignored.
   */
  receive(request: HookRequest, signal: AbortSignal): Promise<HookAnswer> | HookAnswer
}

/** A hook under the name it has in its path: `/hooks/<name>`. */
export interface NamedHook {
  readonly name: string
  readonly hook: HttpHook
}
export const HttpHooks = Symbol('HttpHooks')

/** A request as it came in, unchecked. */
export interface HookRequest {
  readonly method: string
  /** By lower-case name; repeated fields are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The bytes of the body, at most a megabyte. */
  readonly body: Uint8Array
  readonly receivedAt: Date
}

export type HookAnswer = HookTaken | HookRefused

/** The reports of the request. It is answered 2xx once all of them are stored. */
export interface HookTaken {
  readonly outcome: 'taken'
  /** At most 10,000; empty when the request is not about mail. */
  readonly reports: readonly FeedbackReport[]
  /** Mails to send, at most 100. The request is answered 2xx once all of them are stored, and refused as the first wrong one. */
  readonly mails?: readonly HookMail[]
  /** The body of the 200 answer, for providers that expect one. Plain text or JSON, at most 64 KB. */
  readonly reply?: { readonly contentType: 'text/plain' | 'application/json'; readonly body: string }
  /**
   * A one-time token, for providers that sign a token instead of the body. Once the reports of a request are stored,
   * further requests with its token are refused with 406. Each process remembers its last 100,000 tokens.
   */
  readonly once?: string
}

/** A mail that a request asks for. */
export interface HookMail {
  /** The id or the name of the project that sends it; absent: the only one there is. */
  readonly project?: string
  /** The mail, as `POST /v1/send` takes it. */
  readonly mail: JsonObject
  /** A name that it has whenever the request comes again, of 1 to 150 printable ASCII characters: it is accepted once. */
  readonly key: string
}

/** Nothing of the request is accepted. */
export interface HookRefused {
  readonly outcome: 'refused'
  /**
   * 400: unreadable. 401: the caller is not verified. 403: the caller is not allowed. 503: undecided, try again later.
   */
  readonly status: 400 | 401 | 403 | 503
  /** One sentence for the person who set up the hook. It never contains a secret or the expected value. */
  readonly message: string
  /** For 401: a user name and a password are expected (RFC 7617). */
  readonly scheme?: 'Basic'
}
