import type { Entry } from './entry.ts'
import { oneLine, plain } from './plain.ts'

const OURS = new Set(['time', 'level', 'message'])

/** An entry as one line of JSON, its line break included. Never throws. */
export function jsonLine({ time, level, message, fields }: Entry): string {
  const parts = new Map<string, unknown>([
    ['time', time.toISOString()],
    ['level', level],
    ['message', message],
  ])
  for (const [name, value] of fields) parts.set(OURS.has(name) ? `${name}_` : name, plain(value))
  return `${oneLine(Object.fromEntries(parts))}\n`
}
