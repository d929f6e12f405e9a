import type { HookRefused } from '../../../core/ports/http-hook.ts'

/** The answer when the caller is not authenticated. */
export function unproven(message: string, scheme?: HookRefused['scheme']): HookRefused {
  return { outcome: 'refused', status: 401, message, ...(scheme === undefined ? {} : { scheme }) }
}

/** The answer to a body that cannot be read. */
export function unreadable(message: string): HookRefused {
  return { outcome: 'refused', status: 400, message }
}
