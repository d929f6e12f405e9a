import { type CheckFinding, finding } from './check-sentences.ts'
import type { SeenImage, SeenLink } from './mail-shape.ts'

/** How much of an address is repeated. */
const SHOWN = 200

/** Schemes that mail programs follow besides the web's. */
const FOLLOWED = /^(?:https?|mailto|tel|sms|webcal|maps|geo|whatsapp|tg|slack|msteams|itms-apps|market)$/
const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const LOCAL =
  /^(?:localhost|.*\.localhost|.*\.local|127(?:\.\d+){3}|0\.0\.0\.0|10(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|169\.254(?:\.\d+){2}|\[::1?\]|\[f[cd].*|\[fe80.*)$/

/** The problem with the link as it stands there. */
export function linkFinding({ number, address, text }: SeenLink): CheckFinding | undefined {
  if (address === undefined) return undefined
  const link = { number, text }
  if (/^(?:#|https?:\/*)?$/i.test(address)) return finding('link_empty', 'body', link)
  // a place in the mail itself
  if (address.startsWith('#')) return undefined
  const [, scheme] = SCHEME.exec(address) ?? []
  // `example.com:8080` has no scheme
  if (scheme === undefined || /^[^/:]*\.[^/:.]+:\d/.test(address))
    return finding('link_relative', 'body', { ...link, address: shown(address) })
  if (!FOLLOWED.test(scheme.toLowerCase()))
    return finding('link_odd_scheme', 'body', { ...link, scheme: scheme.slice(0, 40).toLowerCase() })
  if (!/^https?$/i.test(scheme)) return undefined
  const url = URL.parse(address)
  if (url === null || !/^https?:\/\//i.test(address))
    return finding('link_invalid', 'body', { ...link, address: shown(address) })
  return LOCAL.test(url.hostname) ? finding('link_local', 'body', { ...link, address: shown(address) }) : undefined
}

/** The problems with the picture as it stands there; `isOwn` recognizes the project's own images, which are known. */
export function imageFindings({ number, address, hasAlt }: SeenImage): readonly CheckFinding[] {
  const picture = { number, address: address === undefined ? '…' : nameOf(address) }
  const mute = hasAlt ? [] : [finding('image_without_alt', 'body', picture)]
  if (address === undefined) return mute
  if (address === '') return [...mute, finding('image_without_address', 'body', { number })]
  if (/^data:/i.test(address)) return [...mute, finding('image_inline_data', 'body', { number })]
  if (/^http:\/\//i.test(address)) return [...mute, finding('image_by_http', 'body', picture)]
  if (/^(?:https:\/\/|cid:)/i.test(address)) return mute
  return [...mute, finding('image_relative', 'body', { number, address: shown(address) })]
}

/** An address as findings repeat it. */
export function shown(address: string): string {
  return address.length > SHOWN ? `${address.slice(0, SHOWN).toWellFormed()}…` : address
}

/** The name of a picture in findings: the end of its address. */
export function nameOf(address: string): string {
  if (/^data:/i.test(address)) return 'data:'
  const path = address.split(/[?#]/, 1)[0] ?? ''
  const name = path.slice(path.lastIndexOf('/') + 1)
  return shown(name === '' ? address : name)
}
