import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import type { Stall } from '../support/loop-watch.ts'
import { bytes, plainClient } from '../support/plain-client.ts'
import { freePort, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

/*
 * Hostile uses of SMTP and MIME, over sockets against the server as it is run: each is answered in words, nothing keeps
 * the event loop or grows without bound, and what was answered 250 is read. The parts have their own tests; only here
 * all of it runs in one process: the socket, the store, the thread that reads, the checks of the sender and the reading
 * of reports, which happen on the event loop.
 */

const LONGEST_MS = 250
const TRIES = 3
const MB = 1024 * 1024
/** No message is larger than the listener takes; what one costs besides is a few copies of it. */
const MOST_GROWTH = 250 * MB

const SECRET = `sk_${'e'.repeat(48)}`
const WATCH = fileURLToPath(new URL('../support/loop-watch.ts', import.meta.url))

let folder: string
let dns: DnsServer
let server: ServerProcess
let port: number
/** How many messages were answered 250. */
let taken = 0

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-hostile-'))
  dns = await startDnsServer({})
  port = await freePort()
  const config = {
    projects: [{ name: 'Hostile', secretKey: SECRET, trustedDomains: ['ours.example'] }],
    inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, hostname: 'mx.ours.example' } }],
    dns: { use: 'node', options: { servers: [dns.address] } },
    log: { level: 'warn' },
  }
  const env = { LOOP_WATCH: join(folder, 'stalls') }
  server = await startServerProcess(folder, config, [], { nodeArgs: ['--import', WATCH], env })
  await until('it receives', async () => (await fetch(`${server.url}/health`)).ok, 15_000)
})
afterAll(async () => {
  await server?.kill()
  await dns?.close()
  rmSync(folder, { recursive: true, force: true })
})

const fields = 'From: a@b.example\r\nSubject: s\r\n'
const parts = (count: number, type: string) =>
  `${fields}Content-Type: multipart/${type}; boundary=b\r\n\r\n${'--b\r\nContent-Type: text/plain\r\n\r\nx\r\n'.repeat(count)}--b--\r\n`
const signature = `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=b.example; s=s; h=from; bh=${'A'.repeat(43)}=; b=AAAA\r\n`

/** Messages that are good SMTP, and hard on their reader. */
const MESSAGES: readonly (readonly [string, string])[] = [
  ['10,000 parts', parts(10_000, 'mixed')],
  ['a report of 10,000 parts', parts(10_000, 'report; report-type=delivery-status')],
  [
    'messages in messages, 1,000 deep',
    `${fields}${'Content-Type: message/rfc822\r\n\r\n'.repeat(1000)}Subject: x\r\n\r\nx\r\n`,
  ],
  [
    'parts in parts, 1,000 deep',
    fields +
      Array.from({ length: 1000 }, (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`).join(
        '',
      ),
  ],
  [
    'a megabyte of base64 that is none',
    `${fields}Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${'%=A*==\r\n'.repeat(125_000)}`,
  ],
  ['5,000 authors', `${`From: ${'"a" <a@b.example>,\r\n '.repeat(5_000)}`}c@d.example\r\n\r\nx\r\n`],
  ['12,000 encoded words', `${fields}To: ${'=?utf-8?Q?=41?= =?utf-8?B?QQ==?=\r\n '.repeat(6_000)}\r\n\r\nx\r\n`],
  ['one field of 500 KB', `${fields}X: ${`${'x'.repeat(900)}\r\n `.repeat(560)}\r\n\r\nx\r\n`],
  [
    '500 signatures over a megabyte of blanks',
    `${signature.repeat(500)}${fields}\r\n${`${' \t'.repeat(450)}\r\n`.repeat(1150)}`,
  ],
]

it('takes and reads a message', async () => {
  // what is loaded and compiled at the first one is no work of those below
  expect(await send('From: a@b.example\r\nSubject: first\r\n\r\nx\r\n')).toMatch(/^250 2\.0\.0/)
  await read()
})

it.each(MESSAGES)(
  'takes and reads a message of %s, and lets nobody wait',
  async (_what, message) => {
    const worst = await longestStall(async () => {
      expect(await send(message)).toMatch(/^250 2\.0\.0/)
      await read()
    })
    expect(worst).toBeLessThan(LONGEST_MS)
  },
  60_000,
)

it('hangs up on 100 MB of header, in the memory of a message', async () => {
  const before = memory()
  const worst = await longestStall(async () => {
    const head = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<help@ours.example>\r\nDATA\r\n'
    const lines = await flood(head + 'X-Long: yes\r\n'.repeat(8_000_000))
    expect(lines.at(-2)).toMatch(/^552 5\.3\.4 the header is larger than 524288 bytes/)
    expect(lines.at(-1)).toMatch(/^421 /)
  }, 1)
  expect(worst).toBeLessThan(LONGEST_MS)
  expect(memory() - before).toBeLessThan(MOST_GROWTH)
})

it('answers each of 5,000 recipients that come at once, or hangs up in words', async () => {
  const worst = await longestStall(async () => {
    const ours = Array.from({ length: 5_000 }, (_, i) => `RCPT TO:<u${i}@ours.example>\r\n`).join('')
    const taken = await flood(`MAIL FROM:<a@b.example>\r\n${ours}QUIT\r\n`)
    expect(taken.filter((line) => /^250 Accepted/.test(line))).toHaveLength(101)
    expect(taken.filter((line) => /^452/.test(line))).toHaveLength(4_900)
    expect(taken.at(-1)).toMatch(/^221/)
    const refused = await flood(`MAIL FROM:<a@b.example>\r\n${ours.replaceAll('ours.', 'others.')}`)
    expect(refused.filter((line) => /^550 5\.1\.1/.test(line))).toHaveLength(50)
    expect(refused.at(-1)).toMatch(/^421 4\.7\.0/)
  })
  expect(worst).toBeLessThan(LONGEST_MS)
})

it('hangs up on dots without an end', async () => {
  const worst = await longestStall(async () => {
    const head = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<help@ours.example>\r\nDATA\r\n'
    const lines = await flood(`${head}${fields}\r\n${'..\r\n'.repeat(60_000)}`)
    expect(lines.at(-1)).toMatch(/^421 4\.4\.2 .*too many lines that begin with a dot/)
  })
  expect(worst).toBeLessThan(LONGEST_MS)
})

it('hangs up on a command without an end', async () => {
  const lines = await flood(`MAIL FROM:<${'a'.repeat(MB)}`)
  expect(lines.at(-1)).toMatch(/^421 .*too long/)
})

it('takes what stands behind the end of a message for commands, and never for a second message', async () => {
  const message = 'From: a@b.example\r\nSubject: two dots\r\n\r\nx\r\n.\r\n'
  const head = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<help@ours.example>\r\nDATA\r\n'
  const lines = await flood(`${head}${message}.\r\nSubject: no command\r\n${head}${message}QUIT\r\n`)
  expect(lines.map((line) => line.slice(0, 3)).join(' ')).toBe('250 250 354 250 500 500 250 250 354 250 221')
  taken += 2
  await read()
})

it('has read all that it answered 250', async () => {
  await read()
  expect(await received()).toBe(taken)
  expect(await (await fetch(`${server.url}/health`)).json()).toMatchObject({ status: 'ok' })
})

/** Hands a message over from the null sender, so that it is read as a report, too; answers the reply. */
async function send(message: string): Promise<string> {
  const { say, socket } = await plainClient(port, 'help@ours.example')
  for (const line of ['MAIL FROM:<>', 'RCPT TO:<help@ours.example>', 'DATA']) await say(line)
  const answer = await say(bytes(`${message}.\r\n`))
  if (answer.startsWith('250')) taken++
  socket.end('QUIT\r\n')
  return answer
}

/** Writes all of it at once, and answers the lines of the replies when the server has closed. */
async function flood(text: string): Promise<readonly string[]> {
  const { socket, isClosed } = await plainClient(port, 'help@ours.example')
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1')
  })
  socket.write(bytes(text))
  await until('the server hangs up', isClosed, 15_000)
  return answer.split('\r\n').slice(0, -1)
}

/** Waits until all that was taken is read. */
async function read(): Promise<void> {
  await until('what was taken is read', async () => (await received()) === taken, 30_000)
}

async function received(): Promise<number> {
  const headers = { authorization: `Bearer ${SECRET}` }
  const answer = await fetch(`${server.url}/emails?status=RECEIVED&limit=1`, { headers })
  return ((await answer.json()) as { readonly total: number }).total
}

/** The longest stretch in which the event loop did nothing else; work that is slow is so each time, a busy machine is not. */
async function longestStall(work: () => Promise<void>, tries = TRIES): Promise<number> {
  let worst = Number.POSITIVE_INFINITY
  for (let time = 0; time < tries && worst >= LONGEST_MS; time++) {
    const from = stalls().length
    await work()
    await pause(30)
    worst = Math.max(
      0,
      ...stalls()
        .slice(from)
        .map(({ own }) => own),
    )
  }
  return worst
}

function stalls(): readonly Stall[] {
  const file = join(folder, 'stalls')
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The most memory the server had since this was asked last, in bytes; 0 where only Linux would tell. */
function memory(): number {
  const process = `/proc/${server.child.pid}`
  if (!existsSync(process)) return 0
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`${process}/status`, 'latin1')) ?? []
  writeFileSync(`${process}/clear_refs`, '5')
  return Number(kilobytes) * 1024
}
