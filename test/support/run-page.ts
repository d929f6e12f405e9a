import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { COMPILE_CACHE, MAIN } from './server-process.ts'

/** A page's commands stop at the first that fails, and so does a request that is answered with an error. */
const PRELUDE = `
set -euo pipefail
A="Authorization: Bearer $KEY"; J='Content-Type: application/json'
curl() { command curl -sS --fail-with-body --max-time 30 "$@"; }
mailwright() { "$NODE" "$MAIN" "$@"; }
npx() { "$@"; }
# starts the server on a free port, and stops it once it is ready
npm() {
  test "$1" = start; shift; if test "\${1:-}" = --; then shift; fi
  : > started.log # what the last server wrote is gone before anything looks
  PORT=0 "$NODE" "$MAIN" serve "$@" >> started.log 2>&1 & local pid=$!
  until grep -q 'Mailwright is ready' started.log; do kill -0 $pid || { cat started.log; return 1; }; sleep 0.05; done
  kill $pid; wait $pid
}
`

/** Runs what comes, text after text, in this one shell. Its standard error is a pipe, since `tee /dev/stderr` opens no socket. */
const READER = `exec 2> >(cat >&2); while IFS= read -r -d '' -u 3 block; do eval "$block"; done`

/** Last in the path: a machine may have neither curl nor jq. */
const STAND_INS = fileURLToPath(new URL('commands', import.meta.url))

/** A fenced block of a page. */
export interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
  /** The page and the block's first line that is no bracket, by which tables name it. */
  readonly name: string
}

/** All fenced blocks of the documentation, by the files that are there, in the order of their pages. */
export function allBlocks(): readonly Block[] {
  return ['README.md', ...globSync('docs/**/*.md').sort()].flatMap(blocksOf)
}

/** The blocks of a page, without the indentation of the list they are in. */
function blocksOf(page: string): readonly Block[] {
  const found = readFileSync(page, 'utf8').matchAll(/^( *)```(\S*)\n([\s\S]*?)^\1```$/gm)
  return [...found].map(([, indent = '', language = '', inside = '']) => {
    const text = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '')
    const first = text.split('\n').find((line) => line.trim().length > 1) ?? ''
    return { page, language, text, name: `${page}: ${first.trim()}` }
  })
}

/** The output of a page's commands. */
interface PageRun {
  readonly code: number | null
  /** For each block, what it printed. */
  readonly printed: readonly string[]
  /** Everything that was printed, with the commands, to find the reason of a failure. */
  readonly log: string
}

/** The blocks of shell commands on a page, in order. */
export function commandsOf(page: string): readonly string[] {
  return blocksOf(page).flatMap(({ language, text }) => (language === 'sh' ? [text] : []))
}

/** Where and how the commands of a page run. */
export interface PageSetting {
  /** The address and the key of a running server. */
  readonly url: string
  readonly key: string
  readonly env?: Readonly<Record<string, string>>
  /** Prepares the folder, which is empty and the working directory. */
  readonly before?: (folder: string) => unknown
  /** Does after a block what a reader does who has read what it printed, such as publishing a DNS record. */
  readonly after?: (printed: string, block: number) => unknown
}

/**
 * Runs the blocks of shell commands in one bash with curl, jq and the compiled product, as a reader does who pastes them
 * one after the other. The folder they run in is removed afterwards.
 */
export async function runPage(
  blocks: readonly string[],
  { url, key, env = {}, before, after }: PageSetting,
): Promise<PageRun> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-page-'))
  await before?.(folder)
  const own = { NODE: process.execPath, MAIN, URL: url, KEY: key, HOME: folder, ...COMPILE_CACHE }
  const child = spawn('bash', ['-c', READER], {
    cwd: folder,
    env: { PATH: `${process.env.PATH}${delimiter}${STAND_INS}`, ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  const [, stdout, stderr, script] = child.stdio
  let log = ''
  ;(stderr as Readable).on('data', (chunk) => (log += chunk))
  const ended = once(child, 'close')
  script?.on('error', () => {}) // bash ended before it had read all
  const printed: string[] = []
  const write = (text: string) => (script as unknown as NodeJS.WritableStream).write(`${text}\0`)
  const mark = '=== the end of a block ==='
  let out = ''
  write(PRELUDE)
  const next = () => {
    const block = blocks[printed.length]
    if (block === undefined) (script as unknown as NodeJS.WritableStream).end()
    else write(`${block}\necho; echo '${mark}'\n`)
  }
  next()
  for await (const chunk of stdout as Readable) {
    out += chunk
    log += chunk
    const [done, rest] = out.split(`\n${mark}\n`)
    if (done === undefined || rest === undefined) continue
    printed.push(done)
    out = rest
    await after?.(done, printed.length - 1)
    next()
  }
  const [code] = (await ended) as [number | null]
  rmSync(folder, { recursive: true, force: true })
  return { code, printed, log }
}
