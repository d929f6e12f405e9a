import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { dirname, join } from 'node:path'
import { debianProgram } from './debian-program.ts'
import { freePort } from './server-process.ts'
import { until } from './until.ts'

/** The packages of Debian that hold OpenSMTPD and its libraries; it is not installed, since Postfix may be. */
const PACKAGES = ['opensmtpd', 'libc6', 'libcrypt1', 'libdb5.3', 'libevent-2.1-7', 'libpam0g', 'libssl3', 'zlib1g']
const LIBRARIES = ['libaudit1', 'libcap-ng0']

/** An OpenSMTPD that passes all mail on. */
export interface OpenSmtpd {
  /** Where it takes mail, on 127.0.0.1. */
  readonly port: number
  /** Everything that it logged. */
  log(): string
  stop(): void
}

/**
 * Starts the real OpenSMTPD, which passes all mail on to this port of 127.0.0.1. Its folders are fixed, so it runs in a root
 * of its own; needs root. It ends with this process, however that ends.
 */
export async function startOpenSmtpd(to: number): Promise<OpenSmtpd> {
  if (process.getuid?.() !== 0) throw new Error('This test needs root, since OpenSMTPD starts as root alone.')
  const found = debianProgram('smtpd', [...PACKAGES, ...LIBRARIES])
  if (found === undefined || !found.path.includes('node_modules'))
    throw new Error(
      'This test needs OpenSMTPD, which apt-get download brings on Debian 12, if it reaches its packages.',
    )
  const root = mkdtempSync('/tmp/mailwright-opensmtpd-')
  cpSync(dirname(dirname(dirname(found.path))), root, { recursive: true, verbatimSymlinks: true })
  chmodSync(root, 0o755)
  for (const folder of ['dev', 'run', 'tmp', 'var/spool/smtpd']) mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'var/spool/smtpd'), 0o711)
  symlinkSync('../run', join(root, 'var/run'))
  for (const [name, minor] of [['null', '3'] as const, ['urandom', '9'] as const])
    spawnSync('mknod', ['-m', '666', join(root, 'dev', name), 'c', '1', minor])
  const users = ['root:x:0:0', 'opensmtpd:x:61001:61001', 'opensmtpq:x:61002:61002']
  writeFileSync(
    join(root, 'etc/passwd'),
    users.map((user) => `${user}::/var/lib/opensmtpd/empty:/bin/false\n`).join(''),
  )
  writeFileSync(join(root, 'etc/group'), users.map((user) => `${user.slice(0, user.lastIndexOf(':'))}:\n`).join(''))
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  writeFileSync(join(root, 'etc/mailname'), 'open.example\n')
  const port = await freePort()
  const lines = [
    `listen on 127.0.0.1 port ${port} hostname open.example`,
    // by itself it rests for seconds after each hundred
    'mta limit session-mail-max 100000',
    'mta limit conn-delay-host 0',
    `action "on" relay host smtp://127.0.0.1:${to}`,
    'match from any for any action "on"',
  ]
  writeFileSync(join(root, 'etc/smtpd.conf'), lines.map((line) => `${line}\n`).join(''))
  const said: string[] = []
  // by the end of the pipe it learns that this process has ended
  const script = 'chroot "$0" /usr/sbin/smtpd -d & read -r _; kill $!; wait $!; rm -rf "$0"'
  const program = spawn('sh', ['-c', script, root], { stdio: ['pipe', 'pipe', 'pipe'] })
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (chunk) => said.push(String(chunk)))
  const stop = () => {
    program.stdin.end()
    rmSync(root, { recursive: true, force: true })
  }
  try {
    await until('OpenSMTPD answers', () => answers(port), 20_000)
  } catch (error) {
    stop()
    throw new Error(`OpenSMTPD did not start:\n${said.join('')}`, { cause: error })
  }
  return { port, log: () => said.join(''), stop }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
