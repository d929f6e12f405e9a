import { isJsonObject } from './json.ts'
import { meantBy } from './nearest.ts'
import { refused } from './parse.ts'

/**
 * The options as given. Throws EngineError `VALIDATION_ERROR` when they are no object, or have a name that is not among
 * these: a misspelt one would do nothing, so that mail would be sent outside of a transaction, or twice.
 */
export function knownOptions<Options extends object>(
  options: Options,
  known: Readonly<Record<keyof Options & string, true>>,
): Options {
  if (!isJsonObject(options))
    throw refused([{ field: 'options', code: 'invalid_type', message: 'must be an object of options' }])
  const names = Object.keys(known)
  const unknown = Object.keys(options).filter((name) => !names.includes(name))
  if (unknown.length === 0) return options
  throw refused(
    unknown.slice(0, 20).map((name) => ({
      field: `options.${name}`,
      code: 'custom',
      message: `is not a known option (${meantBy(name, names)})`,
    })),
  )
}

/** The idempotency key of a call that takes no other option. Throws as `knownOptions`. */
export function onlyKey(options: { readonly idempotencyKey?: string | undefined }): string | undefined {
  return knownOptions(options, { idempotencyKey: true }).idempotencyKey
}
