import { EngineError, type FieldProblem } from '../../../core/errors.ts'

/** A service's names of our fields. */
export type Names = Readonly<Record<string, string>>

/** The service's name of a field such as `headers.x-thing`, whose first part it may call otherwise. */
export function nameBy(names: Names, field: string): string {
  const [first = '', ...rest] = field.split('.')
  return [Object.hasOwn(names, first) ? names[first] : first, ...rest].join('.')
}

/**
 * The same error with its fields named by the service. Those of a batch, `messages.3.to.0`, have the place of their mail
 * there; others have the place 0.
 */
export function renamed(error: unknown, nameOf: (place: number, field: string) => string): unknown {
  if (!EngineError.is(error) || error.fields.length === 0) return error
  const fields = error.fields.map((each): FieldProblem => {
    const [, place = '0', inner = each.field] = /^messages\.(\d+)\.(.+)$/.exec(each.field) ?? []
    return { ...each, field: nameOf(Number(place), inner) }
  })
  const { code, message, suggestion, retryAfter } = error
  return new EngineError(code, message, {
    fields,
    ...(suggestion === undefined ? {} : { suggestion }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    cause: error,
  })
}
