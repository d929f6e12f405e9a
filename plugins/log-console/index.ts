import type { Log, LogFields } from '../../core/ports/log.ts'
import { type Entry, LEVELS, type Level } from './entry.ts'
import { jsonLine } from './json-line.ts'
import { properties } from './plain.ts'
import { prettyLine } from './pretty-line.ts'

export interface ConsoleLogOptions {
  /** The quietest level that is written; `silent` writes nothing. Default `info`. */
  readonly level?: Level | 'silent'
  /** `json`: an object per line, for machines. `pretty`: for people, coloured on a terminal. Default `pretty`. */
  readonly format?: 'pretty' | 'json'
  /** Where to write. Default the standard output. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Makes a server's log: lines on the standard output. It is no plugin of `definePlugin`, because plugins get the log
 * when they are opened: `createEngine({ log: consoleLog({ format: 'json' }), … })`.
 *
 * JSON lines have `time` (ISO 8601, UTC), `level`, `message` and the fields; a field with one of those names gets a `_`
 * at its end. Errors are written with name, message, code, stack and cause. No value can start a new line or make the
 * log throw. Colours are left out when the stream is no terminal or `NO_COLOR` is set (no-color.org).
 */
export function consoleLog(options: ConsoleLogOptions = {}): Log {
  const { level = 'info', format = 'pretty', stream = process.stdout } = options
  const quietest = level === 'silent' ? LEVELS.length : LEVELS.indexOf(level)
  const coloured = stream.isTTY === true && !process.env.NO_COLOR
  const line = format === 'json' ? jsonLine : (entry: Entry) => prettyLine(entry, coloured)
  // The reader of the lines may go away, and an error event without a listener would end the process.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {})

  const logWith = (always: readonly [string, unknown][]): Log => {
    const write = (level: Level, message: string, fields?: LogFields) => {
      if (LEVELS.indexOf(level) < quietest) return
      try {
        const given = new Map([...always, ...properties(fields)])
        stream.write(line({ time: new Date(), level, message: String(message), fields: given }))
      } catch {
        // A broken stream is ignored, since a log must not break what it reports on.
      }
    }
    return {
      debug: (message, fields) => write('debug', message, fields),
      info: (message, fields) => write('info', message, fields),
      warn: (message, fields) => write('warn', message, fields),
      error: (message, fields) => write('error', message, fields),
      with: (fields) => logWith([...always, ...properties(fields)]),
    }
  }
  return logWith([])
}
