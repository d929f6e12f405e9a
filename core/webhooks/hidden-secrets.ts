import { isJsonObject, type JsonObject } from '../values/json.ts'

/** Stands in an answer for a secret that its reader may not see; sent back, it keeps the stored value. */
export const HIDDEN = '…'

/** The refusal of `…` where there is nothing it could stand for. */
export const HIDDEN_REFUSAL = 'has … where a secret is hidden, and none is stored for this address: write the value'

/** These header fields are no secrets. */
const OPEN_HEADERS = new Set(['accept', 'content-type', 'user-agent', 'webhook-id'])

/** An address, which may have placeholders, with `…` for its user name, its password and its query. */
export function hiddenUrl(url: string): string {
  const start = queryStart(url)
  const place = url.slice(0, start).replace(/^(https?:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`)
  return start + 1 < url.length ? `${place}?${HIDDEN}` : `${place}${url.slice(start)}`
}

/** Header fields with `…` for every value that may be a secret. */
export function hiddenHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const fields = Object.entries(headers)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, OPEN_HEADERS.has(name.toLowerCase()) ? value : HIDDEN]),
  )
}

/** The config of a WEBHOOK step with `…` for its secrets. */
export function hiddenConfig(config: JsonObject): JsonObject {
  const { url, headers } = config
  return {
    ...config,
    ...(typeof url === 'string' ? { url: hiddenUrl(url) } : {}),
    ...(isJsonObject(headers) ? { headers: hiddenHeaders(headers as Readonly<Record<string, string>>) } : {}),
  }
}

/**
 * The config of a WEBHOOK step as sent, with the stored secrets where it has `…` for them. Header values go only to the
 * address they are stored with: people who may not see them could otherwise have them sent to themselves.
 */
export function filledConfig(sent: JsonObject, stored: JsonObject): JsonObject {
  const { url, headers } = sent
  const isSame = typeof url === 'string' && typeof stored.url === 'string' && url === hiddenUrl(stored.url)
  return {
    ...sent,
    ...(isSame ? { url: stored.url } : {}),
    ...(isJsonObject(headers) && (isSame || url === stored.url)
      ? { headers: filledHeaders(headers, stored.headers) }
      : {}),
  }
}

function filledHeaders(sent: JsonObject, stored: unknown): JsonObject {
  const known = new Map(
    isJsonObject(stored) ? Object.entries(stored).map(([name, value]) => [name.toLowerCase(), value]) : [],
  )
  const fields = Object.entries(sent)
  return Object.fromEntries(
    fields.map(([name, value]) => [name, value === HIDDEN ? (known.get(name.toLowerCase()) ?? value) : value]),
  )
}

/** Whether an address has `…` where `hiddenUrl` puts it. */
export function isHiddenUrl(url: string): boolean {
  return url.endsWith(`?${HIDDEN}`) || /^https?:\/\/…@/i.test(url)
}

/** Where the query of an address begins, outside its placeholders; at its end without one. */
function queryStart(url: string): number {
  for (let i = 0; i < url.length; i++) {
    if (url[i] === '?') return i
    if (url[i] !== '{') continue
    const close = url[i + 1] === '{' ? '}}' : url[i + 1] === '%' ? '%}' : undefined
    const end = close === undefined ? -1 : url.indexOf(close, i + 2)
    if (end > 0) i = end + 1
  }
  return url.length
}
