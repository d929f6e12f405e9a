import { pino } from 'pino'
import type { Entry } from './entry.ts'
import { type Plain, withoutLineEnds } from './plain.ts'

const OURS = new Set(['time', 'level', 'message'])

/**
 * Writes entries as lines of JSON, by pino. What pino is given is plain already, so that neither a value that throws
 * nor one without an end reaches it; of two fields with one name only the later is written.
 */
export function jsonLines(write: (line: string) => void, plain: Plain): (entry: Entry) => void {
  const logger = pino(
    {
      level: 'debug',
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
    },
    // readers may break lines at more than LF
    { write: (line) => write(`${withoutLineEnds(line.slice(0, -1))}\n`) },
  )
  return ({ level, message, fields }) => {
    const parts = new Map<string, unknown>()
    for (const [name, value] of fields) parts.set(OURS.has(name) ? `${name}_` : name, plain(value, name))
    logger[level](Object.fromEntries(parts), message)
  }
}
