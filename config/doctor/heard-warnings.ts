import { type Log, type LogFields, silentLog } from '../../core/ports/log.ts'

/** A log that gathers the warnings and errors of parts that are looked at, as sentences, instead of printing them. */
export class HeardWarnings implements Log {
  #said: string[] = []

  debug = silentLog.debug
  info = silentLog.info

  warn(message: string, fields: LogFields = {}): void {
    const facts = Object.entries(fields).map(([name, value]) => `${name} ${[value].flat().join(', ') || 'none'}`)
    this.#said.push(facts.length === 0 ? message : `${message} (${facts.join('; ')})`)
  }

  error(message: string, fields?: LogFields): void {
    this.warn(message, fields)
  }

  with(): Log {
    return this
  }

  /** The sentences since the last call. */
  take(): readonly string[] {
    const said = this.#said
    this.#said = []
    return said
  }
}
