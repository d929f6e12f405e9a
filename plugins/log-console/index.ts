import type { Log, LogFields } from '../../core/ports/log.ts'
import { type Entry, LEVELS, type Level } from './entry.ts'
import { jsonLines } from './json-lines.ts'
import { plainWith, properties } from './plain.ts'
import { prettyLine } from './pretty-line.ts'
import { redaction } from './redact.ts'

export interface ConsoleLogOptions {
  /** The quietest level that is written; `silent` writes nothing. Default `info`. */
  readonly level?: Level | 'silent'
  /**
   * `json`: an object per line, for machines. `pretty`: for people, coloured on a terminal. Default `pretty` on a
   * terminal, else `json`.
   */
  readonly format?: 'pretty' | 'json' | undefined
  /** Whether addresses of people are written; otherwise only their domains. Default true. */
  readonly addresses?: boolean
  /** Where to write. Default the standard output. */
  readonly stream?: NodeJS.WritableStream & { readonly isTTY?: boolean }
}

/**
 * Makes a server's log: lines on the standard output. It is no plugin of `definePlugin`, because plugins get the log
 * when they are opened: `createEngine({ log: consoleLog({ format: 'json' }), … })`.
 *
 * JSON lines have `time` (ISO 8601, UTC), `level`, `message` and the fields; a field with one of those names gets a `_`
 * at its end. Errors are written with name, message, code, stack and cause. No value can start a new line or make the
 * log throw. Keys, tokens and passwords are written as `[redacted]`, wherever they stand. Colours are left out when the
 * stream is no terminal or `NO_COLOR` is set (no-color.org).
 */
export function consoleLog(options: ConsoleLogOptions = {}): Log {
  const { level = 'info', stream = process.stdout, addresses = true } = options
  const { format = stream.isTTY === true ? 'pretty' : 'json' } = options
  const quietest = level === 'silent' ? LEVELS.length : LEVELS.indexOf(level)
  const coloured = stream.isTTY === true && !process.env.NO_COLOR
  const redact = redaction({ addresses })
  const plain = plainWith(redact)
  const pretty = (entry: Entry) => stream.write(prettyLine(entry, plain, coloured))
  const write = format === 'json' ? jsonLines((line) => stream.write(line), plain) : pretty
  // The reader of the lines may go away, and an error event without a listener would end the process.
  if (stream.listenerCount('error') === 0) stream.on('error', () => {})

  const logWith = (always: readonly [string, unknown][]): Log => {
    const log = (level: Level, message: string, given?: LogFields) => {
      if (LEVELS.indexOf(level) < quietest) return
      try {
        const fields = new Map(
          [...always, ...properties(given)].map(([name, value]): [string, unknown] => [redact(name), value]),
        )
        write({ time: new Date(), level, message: redact(String(message)), fields })
      } catch {
        // A broken stream is ignored, since a log must not break what it reports on.
      }
    }
    return {
      debug: (message, fields) => log('debug', message, fields),
      info: (message, fields) => log('info', message, fields),
      warn: (message, fields) => log('warn', message, fields),
      error: (message, fields) => log('error', message, fields),
      with: (fields) => logWith([...always, ...properties(fields)]),
    }
  }
  return logWith([])
}
