import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
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
    const { program, libraries } = binary()
    const own = ['--bind', '127.0.0.1', '--port', `${this.port}`, '--save', '', '--dir', this.#folder]
    const server = spawn(program, [...own, ...this.#settings], {
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

interface Binary {
  readonly program: string
  /** Where the libraries it needs are found, as a variable of the environment. */
  readonly libraries: Readonly<Record<string, string>>
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/redis', import.meta.url))
/** The packages of Debian and Ubuntu that hold the server, and the libraries that a small system may not have. */
const PACKAGES = ['redis-server', 'redis-tools', 'liblzf1', 'libjemalloc2', 'libatomic1', 'liblua5.1-0']

function binary(): Binary {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'redis-server'))
  const installed = inPath.find((file) => existsSync(file))
  if (installed !== undefined) return { program: installed, libraries: {} }
  const found = unpacked() ?? brought()
  if (found !== undefined) return found
  throw new Error(
    'These tests need Redis: install redis-server, or set TEST_REDIS_URL to a server and put its program into PATH for the ' +
      'tests that stop one. On Debian and Ubuntu it is brought by itself, if apt-get reaches its packages.',
  )
}

function unpacked(): Binary | undefined {
  const program = join(CACHE, 'usr/bin/redis-server')
  if (!existsSync(program)) return undefined
  const folders = globSync(join(CACHE, 'usr/lib/*-linux-*'))
  return { program, libraries: { LD_LIBRARY_PATH: folders.join(delimiter) } }
}

/** Downloads the packages and unpacks them beside ours; no root is needed for it, nor does it change the system. */
function brought(): Binary | undefined {
  if (spawnSync('dpkg', ['--version']).status !== 0) return undefined
  // several test files may do so at once: the first that is done has done it for all
  const folder = `${CACHE}-${process.pid}`
  mkdirSync(join(folder, 'lists/partial'), { recursive: true })
  const apt = (...words: string[]) => spawnSync('apt-get', words, { cwd: folder, encoding: 'utf8' })
  // with the lists of the system, and else with ones that are fetched for this
  const own = ['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`]
  for (const name of PACKAGES) {
    if (apt('download', name).status === 0) continue
    if (globSync(join(folder, 'lists/*Packages*')).length === 0) apt(...own, 'update')
    apt(...own, 'download', name)
  }
  for (const file of globSync(join(folder, '*.deb'))) spawnSync('dpkg', ['-x', file, folder])
  if (existsSync(join(folder, 'usr/bin/redis-server')) && !existsSync(CACHE)) renameSync(folder, CACHE)
  rmSync(folder, { recursive: true, force: true })
  return unpacked()
}
