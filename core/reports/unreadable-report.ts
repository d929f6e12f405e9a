import { type EngineError, invalidField } from '../errors.ts'

/** The error of a file that is no report, or not one of this server; `why` follows the name of the field. */
export function unreadable(why: string): EngineError {
  return invalidField('file', 'custom', why)
}
