import * as v from 'valibot'
import { EngineError } from '../../../../core/errors.ts'

/** The option of every SQL store: how long one read of many rows may take, in seconds. */
export const readTimeoutSeconds = v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(86_400)), 20)

/** The error for a read that asked for too much. */
export function readTookTooLong(seconds: number, cause?: unknown): EngineError {
  return new EngineError('SERVICE_UNAVAILABLE', `A read took longer than ${seconds} s and was ended.`, {
    cause,
    retryAfter: RETRY_AFTER,
    suggestion:
      'This asks for too much at once: use fewer or simpler conditions, or have store.options.readTimeoutSeconds raised.',
  })
}

/** Longer than usual, since the same read will hardly be faster at once. */
const RETRY_AFTER = 30
