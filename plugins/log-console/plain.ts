const DEEPEST = 8
const MOST_PARTS = 2000
/** What is said of an error; its other properties may hold whole sockets and requests. */
const OF_ERRORS = ['name', 'message', 'code', 'stack', 'cause', 'errors']
const UNREADABLE = '[unreadable]'

/**
 * A copy of any value that JSON can take, whatever the value is: errors with name, message, code, stack and cause; a
 * word in brackets for circles, for what throws when it is looked at, and for what is too deep or too much. Never throws.
 */
export function plain(value: unknown): unknown {
  return copy(value, [], { parts: MOST_PARTS })
}

/** The properties of anything, each read on its own: a getter that throws spoils only itself. Never throws. */
export function properties(value: object | undefined, chosen?: readonly string[]): [string, unknown][] {
  try {
    if (value === undefined) return []
    return (chosen ?? Object.keys(value)).map((name) => [name, property(value, name)])
  } catch {
    return []
  }
}

/** A plain value as JSON on one line: also for readers to whom more than LF ends a line, and for terminals. */
export function oneLine(value: unknown): string {
  const json = JSON.stringify(value) ?? 'undefined'
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => sign.split('').map(escaped).join(''))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function copy(value: unknown, above: readonly object[], left: { parts: number }): unknown {
  try {
    if (typeof value === 'bigint' || typeof value === 'symbol') return String(value)
    if (typeof value === 'function') return `[function ${value.name}]`
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (above.includes(value)) return '[circular]'
    if (above.length >= DEEPEST) return '[deeper]'
    return copyObject(value, (part) => (left.parts-- > 0 ? copy(part, [...above, value], left) : '[more]'))
  } catch {
    return UNREADABLE
  }
}

function copyObject(value: object, part: (of: unknown) => unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return value.href
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.map(part)
  if (value instanceof Set) return [...value].map(part)
  const pairs = value instanceof Map ? [...value] : properties(value, value instanceof Error ? OF_ERRORS : undefined)
  return Object.fromEntries(pairs.filter(([, of]) => of !== undefined).map(([name, of]) => [String(name), part(of)]))
}

function property(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return UNREADABLE
  }
}
