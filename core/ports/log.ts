/** Structured log. `fields` are plain data; an `error` field may be an Error. Never throws, never waits. */
export interface Log {
  /** Details that help to find a mistake. */
  debug(message: string, fields?: LogFields): void
  /** Normal operation, such as a start. */
  info(message: string, fields?: LogFields): void
  /** Something an operator should look at, though mail goes on. */
  warn(message: string, fields?: LogFields): void
  /** A failure, with the error in `fields.error`. */
  error(message: string, fields?: LogFields): void
  /** A log that adds these fields to every line. */
  with(fields: LogFields): Log
}
export const Log = Symbol('Log')

/** Data beside the message of a line, by name. */
export type LogFields = Readonly<Record<string, unknown>>

/** Wraps a host's log: what its methods throw or reject is lost with the line, and never reaches what was to be logged. */
export function harmlessLog(log: Log): Log {
  const attempt = (level: Exclude<keyof Log, 'with'>) => (message: string, fields?: LogFields) => {
    try {
      const answer: unknown = log[level](message, fields)
      if (answer instanceof Promise) answer.catch(() => {})
    } catch {
      // where could it be said?
    }
  }
  return {
    debug: attempt('debug'),
    info: attempt('info'),
    warn: attempt('warn'),
    error: attempt('error'),
    with(fields) {
      try {
        return harmlessLog(log.with(fields))
      } catch {
        return this
      }
    },
  }
}

/** A log that writes nothing. */
export const silentLog: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => silentLog,
}
