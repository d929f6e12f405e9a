import type { HookRefused } from '../../../core/ports/http-hook.ts'

/** It is not proven who calls. */
export function unproven(message: string, scheme?: HookRefused['scheme']): HookRefused {
  return { outcome: 'refused', status: 401, message, ...(scheme === undefined ? {} : { scheme }) }
}

/** It cannot be read. */
export function unreadable(message: string): HookRefused {
  return { outcome: 'refused', status: 400, message }
}
