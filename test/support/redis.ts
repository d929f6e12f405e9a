import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { debianProgram, type FoundProgram } from './debian-program.ts'
import { freePort } from './server-process.ts'

export interface RedisServer {
  /** `redis://…`, with the password if it has one. */
  readonly url: string
  readonly port: number
  /** Kills it at once, as a power cut would. It keeps nothing on a disk, so it comes back empty. */
  kill(): Promise<void>
  /** Starts it again on the same port. */
  start(): Promise<void>
  /** It stays connected, and answers nothing. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

/**
 * Starts a Redis of its own with these settings. It ends with this process, however that ends. The binary is that of PATH,
 * or one that is brought without root from Debian's packages.
 */
export async function startRedis(settings: readonly string[] = [], login = ''): Promise<RedisServer> {
  const server = new OwnRedis(await freePort(), settings, login)
  await server.start()
  return server
}

/** Where tests find a Redis that they do not stop: that of TEST_REDIS_URL, or one that is started. */
export async function sharedRedis(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_REDIS_URL
  return given === undefined || given === '' ? startRedis() : { url: given, stop: async () => {} }
}

class OwnRedis implements RedisServer {
  readonly url: string
  readonly port: number
  readonly #settings: readonly string[]
  readonly #folder = mkdtempSync(join(tmpdir(), 'mailwright-redis-'))
  #server: ChildProcess | undefined
  #watch: ChildProcess | undefined

  constructor(port: number, settings: readonly string[], login: string) {
    this.port = port
    this.#settings = settings
    this.url = `redis://${login}127.0.0.1:${port}`
  }

  async start(): Promise<void> {
    const { path, libraries } = program()
    const own = ['--bind', '127.0.0.1', '--port', `${this.port}`, '--save', '', '--dir', this.#folder]
    const server = spawn(path, [...own, ...this.#settings], {
      env: { ...process.env, ...libraries },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said: string[] = []
    const isReady = new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.once('close', () => reject(new Error(`Redis did not start:\n${said.join('\n')}`)))
      server.stderr.on('data', (chunk) => said.push(String(chunk)))
      createInterface({ input: server.stdout }).on('line', (line) => {
        said.push(line)
        if (line.includes('Ready to accept connections')) resolve()
      })
    })
    if (server.pid !== undefined) {
      // as soon as the pipe to this process closes, even when this process is killed
      const watch = ['-c', 'read -r _; kill -KILL "$0" 2>/dev/null', `${server.pid}`]
      this.#watch = spawn('sh', watch, { stdio: ['pipe', 'ignore', 'ignore'] })
    }
    this.#server = server
    await isReady
  }

  async kill(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return
    const ended = once(server, 'exit')
    this.#watch?.stdin?.end()
    await ended
  }

  freeze(): void {
    this.#server?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#server?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The packages of Debian and Ubuntu that hold the server, and the libraries that a small system may not have. */
const PACKAGES = ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1', 'liblua5.1-0']

function program(): FoundProgram {
  const found = debianProgram('redis-server', PACKAGES)
  if (found !== undefined) return found
  throw new Error(
    'These tests need Redis: install redis-server, or set TEST_REDIS_URL to a server and put its program into PATH for the ' +
      'tests that stop one. On Debian and Ubuntu it is brought by itself, if apt-get reaches its packages.',
  )
}
