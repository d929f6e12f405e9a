import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The URL of a compiled file: `compiled('server/bin.js')`. `npm test` and the like compile first; `npx vitest run FILE` does
 * not, so in a fresh clone this throws at once, with what to run.
 */
export function compiled(path: string): URL {
  const url = new URL(`../../dist/${path}`, import.meta.url)
  if (existsSync(url)) return url
  throw new Error(`This test runs ${fileURLToPath(url)}, which is not there: run "npm run build" first.`)
}
