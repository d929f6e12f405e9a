import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { debianProgram } from './debian-program.ts'
import { freePort } from './server-process.ts'

/** The user to whom the mailboxes belong, who has no rights. */
const NOBODY = 65_534

/** A Postfix with mailboxes of its own. */
export interface Postfix {
  /** Where it takes mail, on 127.0.0.1, for its own domain and to pass on. */
  readonly port: number
  /** The messages of a mailbox as they came, the oldest first. */
  mailsOf(person: string): readonly Buffer[]
  /** Everything that it logged. */
  log(): string
  /** Ends all its processes at once; what it has taken stays in its queue. */
  die(): void
  /** Runs again after that. */
  start(): void
  stop(): void
}

/** The mail that it takes, and where it passes the rest on. */
export interface PostfixOptions {
  /** The domain of its mailboxes, and the names of the people there. */
  readonly domain: string
  readonly people: readonly string[]
  /** Another domain, and the port of 127.0.0.1 where its server is. */
  readonly other: { readonly domain: string; readonly port: number }
}

/** The path of a program that has to be installed. Throws with what to install. */
export function installed(name: string): string {
  const found = debianProgram(name, [])
  if (found) return found.path
  throw new Error(`This test needs ${name}: apt-get install postfix swaks mutt s-nail`)
}

/** Starts the real Postfix in a folder of its own, which needs root. It ends with this process, however that ends. */
export async function startPostfix({ domain, people, other }: PostfixOptions): Promise<Postfix> {
  const [postfix, postconf] = [installed('postfix'), installed('postconf')]
  if (process.getuid?.() !== 0) throw new Error('This test needs root, since Postfix starts as root alone.')
  const port = await freePort()
  // its processes are of other users, who must reach it
  const folder = mkdtempSync('/tmp/mailwright-postfix-')
  const [config, queue, data, mail] = ['config', 'queue', 'data', 'mail'].map((name) => join(folder, name))
  if (!config || !queue || !data || !mail) throw new Error('unreachable')
  for (const each of [config, queue, data, mail]) mkdirSync(each)
  chmodSync(folder, 0o755)
  chownSync(mail, NOBODY, NOBODY)
  const owner = spawnSync('id', ['-u', 'postfix'], { encoding: 'utf8' }).stdout.trim()
  chownSync(data, Number(owner), 0)
  const boxes = people.map((name) => `{ ${name}@${domain} = ${name}/ }`).join(', ')
  const settings: Readonly<Record<string, string>> = {
    compatibility_level: '3.6',
    queue_directory: queue,
    data_directory: data,
    myhostname: `mx.${domain}`,
    mydestination: '',
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    mynetworks: '127.0.0.0/8',
    alias_maps: '',
    alias_database: '',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    virtual_mailbox_domains: domain,
    virtual_mailbox_base: mail,
    virtual_mailbox_maps: `inline:{ ${boxes} }`,
    virtual_uid_maps: `static:${NOBODY}`,
    virtual_gid_maps: `static:${NOBODY}`,
    virtual_minimum_uid: '1',
    transport_maps: `inline:{ { ${other.domain} = smtp:[127.0.0.1]:${other.port} } }`,
    default_transport: 'error:no domain of this test',
    maillog_file_prefixes: '/tmp',
    maillog_file: join(data, 'mail.log'),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(join(config, 'main.cf'), `${lines.join('\n')}\n`)
  writeFileSync(join(config, 'master.cf'), `127.0.0.1:${port} inet n - n - - smtpd\n${SERVICES}`)
  const told = (word: string) => spawnSync(postfix, ['-c', config, word], { encoding: 'utf8' })
  const log = () => readFileSync(join(data, 'mail.log'), { encoding: 'utf8', flag: 'a+' })
  const start = () => {
    const { status, stderr } = told('start')
    if (status === 0) return
    const version = spawnSync(postconf, ['mail_version'], { encoding: 'utf8' }).stdout
    throw new Error(`Postfix did not start (${version.trim()}):\n${stderr}\n${log()}`)
  }
  start()
  // by the end of the pipe it learns that this process has ended
  const watch = spawn('sh', ['-c', 'read -r _; "$0" -c "$1" abort 2>/dev/null; rm -rf "$2"', postfix, config, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  return {
    port,
    log,
    mailsOf(person) {
      const box = join(mail, person, 'new')
      const names = existsSync(box) ? readdirSync(box).toSorted((a, b) => arrivalOf(a) - arrivalOf(b)) : []
      return names.map((name) => readFileSync(join(box, name)))
    },
    die() {
      told('abort')
      // the program that looks through the queue at the next start logs as another user
      chmodSync(join(data, 'mail.log'), 0o666)
    },
    start,
    stop() {
      told('stop')
      watch.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The time in the name of a file of a Maildir, in microseconds: `1795967124.Vfe00I214507M120095.mx`. */
function arrivalOf(name: string): number {
  const [, seconds, micros] = /^(\d+)\.\w*M(\d+)/.exec(name) ?? []
  return Number(seconds) * 1_000_000 + Number(micros)
}

const SERVICES = `cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
`
