import { EngineError } from '../../../core/errors.ts'

/**
 * Loads a package of Amazon's SDK, an optional dependency, by `load`. Throws EngineError `CONFIG_INVALID`, which says how
 * to install it, when it is missing.
 */
export async function loadSdk<Sdk>(plugin: string, name: string, load: () => Promise<Sdk>): Promise<Sdk> {
  try {
    return await load()
  } catch (cause) {
    if (!isMissing(cause, name)) throw cause
    const message = `Amazon's SDK is not installed: npm install ${name}`
    const fields = [{ field: 'use', code: 'custom', message }] as const
    throw new EngineError('CONFIG_INVALID', `${plugin}: ${message}`, { fields, cause })
  }
}

function isMissing(cause: unknown, name: string): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(cause).includes(name)
}
