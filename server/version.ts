import { createRequire } from 'node:module'

/** The version of this program. */
export function version(): string {
  return createRequire(import.meta.url)('mailwright/package.json').version
}
