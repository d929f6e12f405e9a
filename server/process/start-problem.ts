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
  if (EngineError.is(error)) return { text: error.message, exitCode: error.code === 'CONFIG_INVALID' ? CONFIG_EXIT : 1 }
  const system = asSystemError(error)
  if (system?.syscall === 'listen') return { text: listenText(system), exitCode: 1 }
  if (system) return { text: `Mailwright could not start: ${system.message}`, exitCode: 1 }
  const details = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { text: `Mailwright could not start because of an unexpected error:\n${details}`, exitCode: 1 }
}

interface SystemError extends Error {
  readonly code: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
}

/** An error of the system or a driver: these have a code, and a clear message. */
function asSystemError(error: unknown): SystemError | undefined {
  const coded = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return coded ? (error as SystemError) : undefined
}

function listenText({ code, address, port, message }: SystemError): string {
  const place = `port ${port} of ${address}`
  if (code === 'EADDRINUSE')
    return `The ${place} is in use: stop what uses it, or set server.port (or PORT, or --port) to another.`
  if (code === 'EACCES') return `The ${place} is not open to this user: set server.port (or PORT) to one above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${address}: set server.host (or HOST) to one it has.`
  return `Mailwright could not listen: ${message}`
}
