/**
 * The code of an error, such as `ENOENT`; undefined when it has none. Its class is not asked for: where tests have globals of
 * their own, as in Jest, Node's errors are no instances of the `Error` there.
 */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
}
