import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A page's commands stop at the first that fails, and so does a request that is answered with an error. */
const PRELUDE = `
set -euo pipefail
A="Authorization: Bearer $KEY"; J='Content-Type: application/json'
curl() { command curl -sS --fail-with-body --max-time 30 "$@"; }
`

/** Last in the path: a machine may have neither curl nor jq. */
const STAND_INS = fileURLToPath(new URL('commands', import.meta.url))

/** What the commands of a page printed. */
export interface PageRun {
  readonly code: number | null
  /** For each block, what it printed. */
  readonly printed: readonly string[]
  /** Everything that was printed, with the commands, for whoever looks for the reason of a failure. */
  readonly log: string
}

/** The blocks of shell commands on a page, in order. */
export function commandsOf(page: string): readonly string[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block)
}

/**
 * Runs the blocks of shell commands in one bash with curl and jq, as a reader does who pastes them one after the other.
 * `url` and `key` are those of a running server. The folder they run in is empty, and removed afterwards.
 */
export async function runPage(
  blocks: readonly string[],
  {
    url,
    key,
    env = {},
  }: { readonly url: string; readonly key: string; readonly env?: Readonly<Record<string, string>> },
): Promise<PageRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-page-'))
  const mark = '=== the next block ==='
  const script = [PRELUDE, ...blocks].join(`\necho; echo '${mark}'; echo '${mark}' >&2\n`)
  const child = spawn('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: `${process.env.PATH}${delimiter}${STAND_INS}`, HOME: folder, URL: url, KEY: key, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, log] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
    log += chunk
  })
  child.stderr.on('data', (chunk) => (log += chunk))
  const [code] = (await once(child, 'close')) as [number | null]
  rmSync(folder, { recursive: true, force: true })
  return { code, printed: out.split(`\n${mark}\n`).slice(1), log }
}
