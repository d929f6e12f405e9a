import { asSystemError, listenText } from '../../config/listen-text.ts'
import { EngineError } from '../../core/errors.ts'

/** EX_CONFIG of sysexits.h. */
const CONFIG_EXIT = 78

/** The message and exit code when the server did not start. */
export interface StartProblem {
  readonly text: string
  readonly exitCode: number
}

/** Describes the reason: one line for what people can fix, a sentence and the stack for anything else. */
export function startProblem(error: unknown): StartProblem {
  if (EngineError.is(error) && error.code === 'PLUGIN_INVALID' && error.cause instanceof Error) {
    // the plugin's author needs the place in the code
    return { text: `${error.message}\n${error.cause.stack ?? ''}`, exitCode: 1 }
  }
  if (EngineError.is(error) && error.code === 'VALIDATION_ERROR') {
    return { text: error.fields.map(({ field, message }) => `${field}: ${message}`).join('\n'), exitCode: 1 }
  }
  if (EngineError.is(error)) {
    const text = error.suggestion === undefined ? error.message : `${error.message}\n${error.suggestion}`
    return { text, exitCode: error.code === 'CONFIG_INVALID' ? CONFIG_EXIT : 1 }
  }
  const system = asSystemError(error)
  if (system?.syscall === 'listen') return { text: listenText(system), exitCode: 1 }
  if (system) return { text: `Mailwright could not start: ${system.message}`, exitCode: 1 }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text: `Mailwright could not start because of an unexpected error:\n${details}`, exitCode: 1 }
}
