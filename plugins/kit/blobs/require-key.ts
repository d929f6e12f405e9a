import { EngineError } from '../../../core/errors.ts'

const KEY = /^[a-z0-9._-]+(?:\/[a-z0-9._-]+)*$/

/** Throws EngineError `VALIDATION_ERROR` for a text that is no key of a blob by the port's rule. */
export function requireKey(key: string): void {
  const isPath = key.split('/').some((segment) => segment === '.' || segment === '..')
  if (key.length <= 200 && KEY.test(key) && !isPath) return
  throw new EngineError('VALIDATION_ERROR', `blobs: ${JSON.stringify(key.slice(0, 220))} is not a key`)
}
