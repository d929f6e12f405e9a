import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { Redirect, WebhookRequest } from '../../core/ports/webhook-sender.ts'
import { NoAnswer } from './no-answer.ts'
import { portOf, readTarget } from './target.ts'

/** One request on its way: the first, or one after a redirect. */
export interface Hop {
  readonly url: URL
  readonly method: WebhookRequest['method']
  /** With names in lower case; each character of a value is one byte of it. */
  readonly headers: Readonly<Record<string, string>>
  /** Names of those that sign the body, in the way of another service. */
  readonly signatures: readonly string[]
  readonly body?: string | Uint8Array
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

/** A server that answers these wants the same request made there (RFC 9110, sections 15.4.8 and 15.4.9). */
const KEEPS_ALL = new Set([307, 308])

/** These frame the message or belong to the connection, so we set them (RFC 9110, sections 7.2 and 7.6.1). */
const SET_BY_US = new Set([
  ...['host', 'content-length', 'transfer-encoding', 'accept-encoding', 'connection', 'keep-alive', 'te', 'trailer'],
  ...['upgrade', 'expect', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate'],
])

/**
 * Sent to another origin, too; any other header might be a secret of the first one. The signature is none: it is valid
 * only for this message, whose body the other origin gets too, and without it the other origin could not trust it.
 */
const CROSS_ORIGIN = new Set([
  ...['accept', 'content-type', 'user-agent'],
  ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
])

/** Describe or sign the body, and are dropped with it. */
const BODY_HEADERS = new Set([
  ...['content-type', 'content-encoding', 'content-language', 'content-location', 'webhook-signature'],
])

/** The first hop of a request. Throws NoAnswer `forbidden` when its address or a header cannot be sent. */
export function firstHop({ url, method, headers, signatures = [], body }: WebhookRequest): Hop {
  const target = readTarget(url)
  const given: Record<string, string> = { 'user-agent': 'Mailwright', accept: '*/*' }
  for (const [name, value] of Object.entries(headers)) {
    const line = lineOf(value)
    if (!isSendable(name, line)) throw new NoAnswer('forbidden', `the header ${JSON.stringify(name)} cannot be sent`)
    if (!SET_BY_US.has(name.toLowerCase())) given[name.toLowerCase()] = line
  }
  return { url: target, method, headers: given, signatures, ...(body === undefined ? {} : { body }) }
}

/**
 * The hop after a redirect; undefined when it is not followed, as its `Redirect` says. One of `fetch` has the method and
 * body the Fetch standard gives it (HTTP-redirect fetch): 303, and a POST answered by 301 or 302, become GET without a
 * body. Throws NoAnswer `forbidden` when it must not be followed, such as from https to http.
 */
export function nextHop(hop: Hop, status: number, location: string, redirect: Redirect): Hop | undefined {
  if (!REDIRECTS.has(status) || redirect === 'manual') return undefined
  if (redirect === 'whole' && !KEEPS_ALL.has(status)) {
    const there = URL.parse(location, hop.url.href)
    if (status === 303 || there === null || !isSamePlace(hop.url, there)) return undefined
  }
  const url = readTarget(location, hop.url)
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new NoAnswer('forbidden', 'a redirect leads from https to http')
  }
  const becomesGet =
    redirect === 'fetch' && hop.method !== 'HEAD' && (status === 303 || (status <= 302 && hop.method === 'POST'))
  const kept = Object.entries(hop.headers)
    .filter(([name]) => CROSS_ORIGIN.has(name) || hop.signatures.includes(name) || isSameOrigin(hop.url, url))
    .filter(([name]) => !becomesGet || !(BODY_HEADERS.has(name) || hop.signatures.includes(name)))
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(kept),
    signatures: hop.signatures,
    ...(becomesGet || hop.body === undefined ? {} : { body: hop.body }),
  }
}

/**
 * The same address spelled in full: with `https` instead of `http`, `www.` before the host or a slash at the end of the
 * path, or some of these; the query is the same. Ports other than the default ones must be the same.
 */
function isSamePlace(from: URL, to: URL): boolean {
  const isHost = to.hostname === from.hostname || to.hostname === `www.${from.hostname}`
  const isScheme = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:')
  const isPath = to.pathname === from.pathname || to.pathname === `${from.pathname}/`
  return isHost && isScheme && to.port === from.port && isPath && to.search === from.search
}

/** The same origin, or the same host by https on the default ports. */
function isSameOrigin(from: URL, to: URL): boolean {
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && portOf(from) === 80 && portOf(to) === 443
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname)
}

/** A value as Node takes it, which writes each character as one byte: those of UTF-8 where it is beyond ASCII. */
function lineOf(value: string): string {
  return Buffer.from(value).toString('latin1')
}

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
