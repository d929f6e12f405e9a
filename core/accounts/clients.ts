import { createHash } from 'node:crypto'
import * as v from 'valibot'
import { isThisMachine } from '../mail/links/public-address.ts'
import { INBOX_RIGHTS, type InboxRight } from '../ports/store/projects.ts'
import { headerText } from '../values/header-text.ts'
import { listOf } from '../values/list.ts'
import { say } from '../values/parse.ts'

/** A redirect URI is part of the client's id, which stands in addresses. */
const MAX_URI = 500

/** Schemes of apps that are known to take codes; other apps need a name of a domain, with a dot (RFC 8252, section 7.1). */
const APP_SCHEMES: ReadonlySet<string> = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'claude:'])

/** Where a client may be sent a code: by https, on the person's own machine, or to an app. */
const RedirectUri = v.pipe(
  v.string(),
  v.maxLength(MAX_URI),
  v.check(
    (text) => isRedirectUri(text),
    say('invalid_string', 'must be an https address, one of this machine, or of an app (com.example.app:/), without #'),
  ),
)

function isRedirectUri(text: string): boolean {
  const url = URL.parse(text)
  // only letters that stay as they are, so that what is compared and shown is what is opened
  if (url === null || !/^[\x21-\x7e]+$/.test(text) || text.includes('#') || text.includes('\\')) return false
  if (url.username !== '' || url.password !== '') return false
  if (url.protocol === 'https:') return true
  if (url.protocol === 'http:') return isLoopback(url)
  return APP_SCHEMES.has(url.protocol) || /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(url.protocol)
}

function isLoopback(url: URL): boolean {
  return url.protocol === 'http:' && isThisMachine(url.origin)
}

/** The body of a registration (RFC 7591, section 2), as far as it counts here: what is asked besides is answered otherwise. */
export const RegisterClient = v.object({
  /** The name that people see when they are asked. */
  client_name: v.optional(v.pipe(headerText(1, 100), v.trim(), v.minLength(1)), 'MCP client'),
  /** Where it may be sent back to, 1 to 5 addresses. */
  redirect_uris: listOf(RedirectUri, 1, 5),
})

/** A client, as its id says. */
export const Client = v.object({ name: v.string(), uris: v.array(v.string()) })

/** Whether the address that a request names is one of the client's: the same, but for the port on the person's machine (RFC 8252, section 7.3). */
export function isOwnRedirect(uris: readonly string[], given: string): boolean {
  if (uris.includes(given)) return isRedirectUri(given)
  if (!isRedirectUri(given)) return false
  return uris.some((uri) => isLoopback(new URL(uri)) && withoutPort(uri) === withoutPort(given))
}

function withoutPort(text: string): string {
  const url = new URL(text)
  url.port = ''
  return url.href
}

/** Where an address leads, for people: its host, or the scheme of an app. */
export function hostOf(uri: string): string {
  const { host, protocol } = new URL(uri)
  return protocol === 'https:' || protocol === 'http:' ? host : protocol
}

/** A PKCE challenge by S256 (RFC 7636, section 4.2): SHA-256 in base64url. */
const Challenge = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{43}$/, say('invalid_string', 'must be a S256 challenge')))

/** The query by which a client sends a browser here (RFC 6749, section 4.1.1). */
export const AskGrant = v.object({
  client_id: v.pipe(v.string(), v.maxLength(5_000)),
  redirect_uri: v.pipe(v.string(), v.maxLength(MAX_URI)),
  response_type: v.literal('code'),
  code_challenge: Challenge,
  code_challenge_method: v.literal('S256', 'must be S256: a challenge that is no digest protects nothing'),
  state: v.optional(v.pipe(v.string(), v.maxLength(1_000))),
  scope: v.optional(v.pipe(v.string(), v.maxLength(200))),
  resource: v.optional(v.pipe(v.string(), v.maxLength(MAX_URI))),
})

/** A request of a client, which was read and signed, while the person is asked. */
export const Asked = v.object({
  client: v.string(),
  name: v.string(),
  host: v.string(),
  redirectUri: v.string(),
  challenge: v.string(),
  state: v.optional(v.string()),
  rights: v.array(v.picklist(INBOX_RIGHTS)),
  issuer: v.string(),
  until: v.number(),
})

/** A request of a client, as its signed text says. */
export interface AskedGrant extends v.InferOutput<typeof Asked> {}

/** The rights that a scope names; undefined for a scope that has others. Without a scope, all. */
export function rightsIn(scope: string | undefined): readonly InboxRight[] | undefined {
  const words = (scope ?? '').split(' ').filter((word) => word !== '')
  // what clients for other servers ask for by habit: a refresh token comes anyway
  const named = words.filter((word) => word !== 'offline_access')
  if (named.some((word) => !INBOX_RIGHTS.some((right) => right === word))) return undefined
  return named.length === 0 ? INBOX_RIGHTS : INBOX_RIGHTS.filter((right) => named.includes(right))
}

/** SHA-256 of a client's id, hexadecimal: a row keeps this instead. */
export function digestOf(clientId: string): string {
  return createHash('sha256').update(clientId).digest('hex')
}

/** Whether this verifier made the challenge (RFC 7636, section 4.6). */
export function isVerifierOf(challenge: string, verifier: string): boolean {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) return false
  return createHash('sha256').update(verifier).digest('base64url') === challenge
}
