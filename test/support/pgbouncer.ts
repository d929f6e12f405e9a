import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { debianProgram } from './debian-program.ts'
import { freePort } from './server-process.ts'
import { until } from './until.ts'

/** The packages of Debian and Ubuntu that hold PgBouncer, and the libraries that a small system may not have. */
const PACKAGES = ['pgbouncer', 'libevent-2.1-7', 'libevent-2.1-7t64', 'libc-ares2']

/** A pooler in front of a PostgreSQL server. */
export interface PgBouncer {
  /** The address of this database through the pooler. */
  through(url: string): string
  stop(): Promise<void>
}

/** Starts the real PgBouncer before the server of this URL. It ends with this process, however that ends. */
export async function startPgBouncer(url: string, mode: 'transaction' | 'session' = 'transaction'): Promise<PgBouncer> {
  const found = debianProgram('pgbouncer', PACKAGES)
  if (found === undefined)
    throw new Error(
      'These tests need PgBouncer: install pgbouncer. On Debian and Ubuntu it is brought by itself, if apt-get reaches its packages.',
    )
  const server = new URL(url)
  const port = await freePort()
  // it refuses to run as root, and its own user must be able to read the file
  const folder = mkdtempSync('/tmp/mailwright-pgbouncer-')
  const file = join(folder, 'pgbouncer.ini')
  const login = `host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}`
  const settings = [
    ...['[databases]', `* = ${login}`, '[pgbouncer]', 'listen_addr=127.0.0.1', `listen_port=${port}`],
    ...['unix_socket_dir=', 'auth_type=any', `pool_mode=${mode}`, 'default_pool_size=20', 'max_client_conn=200'],
  ]
  writeFileSync(file, settings.join('\n'))
  const isRoot = process.getuid?.() === 0
  const program = spawn(
    'sh',
    ['-c', `chmod 755 "$0" && exec ${isRoot ? AS_NOBODY : ''} "$1" "$0/pgbouncer.ini"`, folder, found.path],
    {
      env: { ...process.env, ...found.libraries },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const said: string[] = []
  program.stderr.on('data', (chunk) => said.push(String(chunk)))
  const watch = watchOver(program)
  try {
    await until('PgBouncer answers', () => answers(port), 10_000)
  } catch (error) {
    throw new Error(`PgBouncer did not start:\n${said.join('')}`, { cause: error })
  }
  return {
    through(database) {
      const through = new URL(database)
      through.port = `${port}`
      return through.href
    },
    async stop() {
      const ended = once(program, 'exit')
      watch.stdin?.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const AS_NOBODY = 'setpriv --reuid=nobody --regid=nogroup --clear-groups'

/** Ends it as soon as the pipe to this process closes, even when this process is killed. */
function watchOver({ pid }: ChildProcess): ChildProcess {
  return spawn('sh', ['-c', 'read -r _; kill -KILL "$0" 2>/dev/null', `${pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true))
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy())
  })
}
