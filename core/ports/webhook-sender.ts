import type { DnsResolver } from './dns-resolver.ts'

/**
 * Makes one HTTP request to another server. It is the only way out for requests to an address that a customer chose,
 * and it protects our own network (SSRF), so that no caller can forget to.
 */
export interface WebhookSender {
  /**
   * Tries once, and follows redirects as `redirect` says. Expected outcomes are answered, including a forbidden
   * address; a throw means a fault of ours. When the signal is aborted it gives up at once with `failed`. As with every
   * `failed`, the request may still have been received. After a redirect to another origin only `accept`,
   * `content-type`, `user-agent`, the `webhook-…` headers of Standard Webhooks and those that `signatures` names are sent.
   */
  send(request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer>

  /**
   * Why this address is always forbidden: what it `must not` be, in words for the user who saves it. Undefined when
   * that is known only at the request, as for most names.
   */
  refusal?(url: string): string | undefined
}
export const WebhookSender = Symbol('WebhookSender')

/** Rules for requests to customers' addresses. */
export interface EgressRules {
  readonly dns: DnsResolver
  /** Networks in CIDR notation that may be reached besides public addresses. */
  readonly allow: readonly string[]
}

export interface WebhookRequest {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /**
   * Values are sent as UTF-8. Those that frame the message (`host`, `content-length`, `connection` …) are set by the
   * sender and ignored here.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Names of header fields that sign the message, in lower case: they are no secret of the address, and go on with it. */
  readonly signatures?: readonly string[]
  readonly body?: string | Uint8Array
  /** For the whole exchange, redirects included, in milliseconds. */
  readonly timeout: number
  /** Which redirects are followed. */
  readonly redirect?: Redirect
  /**
   * The answer is wanted as a document: whole, up to so many bytes (or `failed`), in the encoding that it declares, or
   * its bytes in Base64.
   */
  readonly document?: { readonly maxBytes: number; readonly asBase64?: true }
}

/**
 * Which redirects are followed; any other is the answer.
 *
 * - `whole`, the default: those that repeat the whole request. These are 307 and 308, and a 301 or 302 to the same place
 *   spelled in full: the same host with `https` or `www.` added, or the same path with a final slash. A 301 from a
 *   server's front door usually leads there, and the method and the body are kept. Others would turn a POST into a GET
 *   of another page, whose 200 says nothing about the request.
 * - `fetch`: all, as the Fetch standard does, for reading a document.
 * - `manual`: none.
 */
export type Redirect = 'whole' | 'fetch' | 'manual'

export type WebhookAnswer =
  /** A response, whatever its status. */
  | {
      readonly outcome: 'answered'
      readonly status: number
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>
      /** The first 64 KB of the body, or the whole document, as text without NUL or in Base64. */
      readonly body: string
      /** Where a redirect that was not followed points to, as a complete URL. */
      readonly leadsTo?: string
    }
  /**
   * The address is forbidden: a private network, another scheme, a header that cannot be sent. Trying again is useless.
   */
  | { readonly outcome: 'forbidden'; readonly reason: string }
  /**
   * No complete response: unreachable, too slow, or the connection broke. `unsent`: certainly nothing was sent.
   * `status`: that of a response whose body did not come whole.
   */
  | { readonly outcome: 'failed'; readonly reason: string; readonly unsent?: true; readonly status?: number }
