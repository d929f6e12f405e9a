import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** As `npm start` starts it. */
const START = [
  '--max-semi-space-size=8',
  '--max-old-space-size=2000',
  '--heap-growing-percent=50',
  fileURLToPath(new URL('../server/bin.js', import.meta.url)),
]

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  readonly folder: string
  readonly startMs: number
  stop(options?: { readonly remove?: boolean }): Promise<void>
  /** Ends it at once, as a power cut would. */
  kill(): Promise<void>
}

/** Starts the real server with this config, in its own folder or a given one, and waits for its first answer. */
export async function startServer(given: {
  readonly folder?: string
  readonly config?: object
  /** The values under `server` in the config, besides the port. */
  readonly server?: object
  /** Further command-line arguments. */
  readonly args?: readonly string[]
  /** The only core it may use, by `taskset`. */
  readonly core?: number
}): Promise<ServerProcess> {
  const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  const port = await freePort()
  const config = {
    server: { port, publicUrl: 'https://mail.example.com', ...given.server },
    log: { level: 'warn' },
    ...given.config,
  }
  writeFileSync(join(folder, 'mailwright.config.json'), JSON.stringify(config))
  const start = performance.now()
  const command = [process.execPath, ...START, ...(given.args ?? [])]
  if (given.core !== undefined) command.unshift('taskset', '-c', String(given.core))
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await untilLive(url, child)
  return {
    url,
    pid: child.pid ?? 0,
    folder,
    startMs: performance.now() - start,
    async stop({ remove = false } = {}) {
      child.kill('SIGTERM')
      await ended
      if (remove) rmSync(folder, { recursive: true, force: true })
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Answers when the server answers. Throws when its process ends before. */
export async function untilLive(url: string, child: ChildProcess): Promise<void> {
  while (!(await isLive(url))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`)
    await pause(5)
  }
}

async function isLive(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`)).ok
  } catch {
    return false
  }
}

/** A free port. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
