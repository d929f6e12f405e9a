import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** The compiled server, which `npm test` builds first. */
export const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

export interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it printed so far, stdout and stderr. */
  output(): string
  /** Kills it at once, as a power cut would. */
  kill(): Promise<void>
  /** Stops it and answers its exit code. */
  stop(): Promise<number | null>
}

/** Node keeps the compiled code of processes here, if they end by themselves, and starts later ones faster. */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)),
}

/** How the process is started. */
export interface ProcessOptions {
  /** Arguments of node, such as `--import`. */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Default where it listens. */
  readonly publicUrl?: string
  /** The program; by default the compiled server of this folder. */
  readonly main?: string
}

/** Starts `node dist/server/main.js` in `folder` with this config and these arguments, and waits until it answers. */
export async function startServerProcess(
  folder: string,
  config: object,
  args: readonly string[] = [],
  { nodeArgs = [], env = {}, publicUrl, main = MAIN }: ProcessOptions = {},
): Promise<ServerProcess> {
  const port = await freePort()
  // a worker needs to be told where links lead
  const whole = { ...config, server: { port, publicUrl: publicUrl ?? `http://127.0.0.1:${port}` } }
  writeFileSync(join(folder, 'mailwright.config.json'), JSON.stringify(whole))
  const child = spawn(process.execPath, [...nodeArgs, main, ...args], {
    cwd: folder,
    env: { ...process.env, ...COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'exit')
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += chunk))
  child.stderr.on('data', (chunk) => (printed += chunk))
  const url = `http://127.0.0.1:${port}`
  while (!(await isLive(url))) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${printed}`)
    await pause(50)
  }
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    const [code] = await ended
    return code as number | null
  }
  return {
    url,
    child,
    output: () => printed,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  await once(probe, 'close')
  if (address === null || typeof address === 'string') throw new Error('there is no free port')
  return address.port
}

async function isLive(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health/live`)).ok
  } catch {
    return false
  }
}
