/**
 * Makes one HTTP request to somebody else's server: the only way out for requests whose address a customer chose. It
 * owns the protection against requests to our own network (SSRF), so that no caller can forget it.
 */
export interface WebhookSender {
  /**
   * Tries once, following redirects as the Fetch standard does unless told otherwise. What can be expected is answered, also an address that
   * may not be asked; a throw means a fault of ours. When the signal is aborted it gives up at once with `failed`; what
   * was sent by then may have been taken, as with every `failed`. To another origin only `accept`, `content-type`,
   * `user-agent` and the `webhook-…` headers of the Standard Webhooks go along.
   */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer>

  /**
   * Why this address can never be asked, as it is written: what it `must not` be, in words for whoever saves it. Undefined
   * when only asking can tell, as for most names.
   */
  refusal?(url: string): string | undefined
}
export const WebhookSender = Symbol('WebhookSender')

export interface WebhookRequest {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Those that frame the message (`host`, `content-length`, `connection` …) are the sender's and left out. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** For the whole exchange, redirects included, in milliseconds. */
  readonly timeout: number
  /** `manual`: a redirect is answered as it is, and nothing is asked where it leads. `follow` without it. */
  readonly redirect?: 'follow' | 'manual'
}

export type WebhookAnswer =
  /** A response, whatever its status. */
  | {
      readonly outcome: 'answered'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      /** The first 64 KB of the body, as text without NUL. */
      readonly body: string
    }
  /** The address may not be asked: a private network, another scheme, a header that cannot be sent. Trying again is useless. */
  | { readonly outcome: 'forbidden'; readonly reason: string }
  /** No whole response: it could not be reached, it was too slow, the connection broke. */
  | { readonly outcome: 'failed'; readonly reason: string }
