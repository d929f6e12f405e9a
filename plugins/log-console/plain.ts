import { hidden, type Redact } from './redact.ts'

const MAX_DEPTH = 8
const MAX_PARTS = 2000
/** The properties of an error that are logged. Others may hold whole sockets and requests. */
const ERROR_PROPERTIES = ['name', 'message', 'code', 'stack', 'cause', 'errors']
const UNREADABLE = '[unreadable]'

/** Makes any value one that may be logged; its name may say that it is a secret. */
export type Plain = (value: unknown, name?: string) => unknown

/**
 * Makes copies of any value that JSON can hold, without secrets. Errors become name, message, code, stack and cause. A
 * word in brackets stands for circles, for values that throw when read, and for what is too deep or too much. Never
 * throws.
 */
export function plainWith(redact: Redact): Plain {
  return (value, name = '') =>
    value === undefined ? undefined : (hidden(name) ?? copy(value, [], { parts: MAX_PARTS, redact }))
}

/** All properties of a value, each read on its own, so that a getter that throws spoils only itself. Never throws. */
export function properties(value: object | undefined, chosen?: readonly string[]): [string, unknown][] {
  try {
    if (value === undefined) return []
    return (chosen ?? Object.keys(value)).map((name) => [name, property(value, name)])
  } catch {
    return []
  }
}

/** A plain value as JSON on one line, also for terminals and for readers that break lines at more than LF. */
export function oneLine(value: unknown): string {
  return withoutLineEnds(JSON.stringify(value) ?? 'undefined')
}

/** JSON with its control and formatting characters and line separators escaped. */
export function withoutLineEnds(json: string): string {
  return json.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (sign) => sign.split('').map(escaped).join(''))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

interface Copying {
  /** How many parts it may still have. */
  parts: number
  readonly redact: Redact
}

function copy(value: unknown, above: readonly object[], copying: Copying): unknown {
  try {
    if (typeof value === 'string') return copying.redact(value)
    if (typeof value === 'bigint' || typeof value === 'symbol') return copying.redact(String(value))
    if (typeof value === 'function') return `[function ${value.name}]`
    if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
    if (typeof value !== 'object' || value === null) return value
    if (above.includes(value)) return '[circular]'
    if (above.length >= MAX_DEPTH) return '[deeper]'
    return copyObject(value, copying.redact, (part) =>
      copying.parts-- > 0 ? copy(part, [...above, value], copying) : '[more]',
    )
  } catch {
    return UNREADABLE
  }
}

function copyObject(value: object, redact: Redact, part: (of: unknown) => unknown): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()
  if (value instanceof URL) return redact(value.href)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.map(part)
  if (value instanceof Set) return [...value].map(part)
  const pairs =
    value instanceof Map ? [...value] : properties(value, value instanceof Error ? ERROR_PROPERTIES : undefined)
  return Object.fromEntries(
    pairs
      .filter(([, of]) => of !== undefined)
      .map(([name, of]) => [redact(String(name)), hidden(String(name)) ?? part(of)]),
  )
}

function property(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return UNREADABLE
  }
}
