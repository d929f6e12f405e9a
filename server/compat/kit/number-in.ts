import { invalidField } from '../../../core/errors.ts'

/** A whole number in a query. Throws EngineError `VALIDATION_ERROR` when it is none, or out of bounds. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { usual, least = 0, most }: { readonly usual: number; readonly least?: number; readonly most: number },
): number {
  const text = query.get(name)
  if (text === null || text === '') return usual
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw invalidField(name, 'invalid_type', `must be a whole number from ${least} to ${most}`)
}
