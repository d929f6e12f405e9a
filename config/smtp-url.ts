import { withoutBrackets } from '../core/values/ip-address.ts'
import { isJsonObject, type Json } from '../core/values/json.ts'

/** An SMTP URL as options of the smtp transport, or what is wrong with it. */
export type SmtpUrl = { readonly options: Record<string, Json> } | { readonly problem: string }

/**
 * Reads `smtp://user:pass@host:port?option=value`. `smtps` means TLS from the first byte (RFC 8314, port 465). User,
 * password and host are percent-decoded. Every option is one of the smtp transport; a dot in its name goes one level
 * down (`tls.servername=…`). The problem never repeats the URL, since it contains a password.
 */
export function readSmtpUrl(text: string): SmtpUrl {
  const url = URL.parse(text.trim())
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') return { problem: FORM }
  if (!/^\/?$/.test(url.pathname) || url.hash !== '') return { problem: FORM }
  try {
    const options: Record<string, Json> = { host: withoutBrackets(decodeURIComponent(url.hostname)) }
    if (url.port !== '') options.port = Number(url.port)
    else if (url.protocol === 'smtps:') options.port = 465
    if (url.protocol === 'smtps:') options.secure = true
    if (url.username !== '' || url.password !== '') {
      options.auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) }
    }
    // After a plain ? in a password, the rest of it is here, and must not be shown as an unknown option
    if ([...url.searchParams.keys()].some((name) => !OPTION.test(name))) return { problem: FORM }
    for (const [name, value] of url.searchParams) put(options, name.split('.'), plain(value))
    return { options }
  } catch {
    return { problem: FORM }
  }
}

const FORM =
  'must look like smtp://user:password@host:587 or smtps://…; special characters in user and password are percent-encoded'

const OPTION = /^\w+(?:\.\w+)*$/

function put(target: Record<string, Json>, path: readonly string[], value: Json): void {
  const [first = '', ...rest] = path
  if (rest.length === 0) {
    Object.defineProperty(target, first, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  const there = Object.hasOwn(target, first) ? target[first] : undefined
  const inner: Record<string, Json> = isJsonObject(there) ? { ...there } : {}
  put(inner, rest, value)
  put(target, [first], inner)
}

function plain(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d+$/.test(text) ? Number(text) : text
}
