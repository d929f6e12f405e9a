import type { FeedbackReport } from './feedback-report.ts'

/**
 * Reads what a provider tells by HTTP of mail that was sent: one POST, with events in the provider's own form. It proves by
 * the provider's signature or secret who calls, and says what the events mean; it keeps nothing.
 */
export interface HttpHook {
  /**
   * Reads one request. First it proves the caller, and only then believes the body. Expected outcomes are answered: who is
   * not proven, and what cannot be read, is `refused`; events of kinds nobody needs are left out of the reports. An
   * EngineError that is thrown is answered as the API does, with the fields it names; any other throw means that it cannot be
   * told now (503), and the provider is to come again. When the signal is aborted, after 10 seconds, nobody waits for the
   * answer any more.
   */
  receive(request: HookRequest, signal: AbortSignal): Promise<HookAnswer> | HookAnswer
}

/** A hook under the name it has in its path: `/hooks/<name>`. */
export interface NamedHook {
  readonly name: string
  readonly hook: HttpHook
}
export const HttpHooks = Symbol('HttpHooks')

/** A request as it came in. Nothing in it is checked. */
export interface HookRequest {
  readonly method: string
  /** By name in lower case; fields that came several times are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The bytes of the body, at most a megabyte. */
  readonly body: Uint8Array
  readonly receivedAt: Date
}

export type HookAnswer = HookTaken | HookRefused

/** What the request tells. It is answered 2xx once all of it is stored. */
export interface HookTaken {
  readonly outcome: 'taken'
  /** At most 10,000. None when the request tells nothing of mail. */
  readonly reports: readonly FeedbackReport[]
  /** What to answer with 200, for providers that want to read something. Plain text or JSON, at most 64 KB. */
  readonly reply?: { readonly contentType: 'text/plain' | 'application/json'; readonly body: string }
  /**
   * What only one request may bear, such as a token that was signed in place of the body: once the reports of one are
   * stored, others with it are refused with 406. Each process remembers its last 100,000.
   */
  readonly once?: string
}

/** Nothing of the request is taken. */
export interface HookRefused {
  readonly outcome: 'refused'
  /**
   * 400: it cannot be read. 401: it is not proven who calls. 403: who calls may not. 503: it cannot be told now, come again.
   */
  readonly status: 400 | 401 | 403 | 503
  /** One sentence for whoever set it up. Never a secret, or what would be right. */
  readonly message: string
  /** For 401: that the proof wanted is a user name and a password (RFC 7617). */
  readonly scheme?: 'Basic'
}
