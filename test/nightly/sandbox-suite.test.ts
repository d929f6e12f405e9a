import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hostWith, PLAIN_ENV } from '../packed/pack.ts'
import { SECRET } from '../support/app.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

// The suite of docs/sandbox.md, word by word, in an application that has vitest and the product as it ships, with a server of
// that beside it. Twenty tests of the application run at a time. No other test has a suite that waits from outside.

const run = promisify(execFile)
const APP = `
const codes = new Map()
const { MAILWRIGHT_URL, MAILWRIGHT_TEST_KEY } = process.env

export async function signUp(email) {
  const code = String(100_000 + Math.floor(Math.random() * 900_000))
  codes.set(email, code)
  const link = 'https://acme.example/confirm?email=' + email
  const body = '<p>Welcome to Acme, founded in 1987.</p><p>Your code is</p><p><strong>' + code + '</strong></p><p><a href="' + link + '">Confirm</a></p>'
  const answer = await fetch(MAILWRIGHT_URL + '/v1/send', {
    method: 'POST',
    headers: { authorization: 'Bearer ' + MAILWRIGHT_TEST_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ to: email, from: 'hello@example.com', subject: 'Your code for Acme', body }),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

export const confirm = (email, code) => codes.get(email) === code
`
let folder: string
let host: string
let server: ServerProcess
let sink: SmtpSink

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-sandbox-suite-'))
  sink = await startSmtpSink()
  host = await hostWith(folder, 'acme', [inject('tarball'), 'vitest@4.1.12'])
  const options = { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } }
  const transports = [{ name: 'main', use: 'smtp', options }]
  const projects = [{ name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }]
  const main = join(host, 'node_modules/mailwright/dist/server/main.js')
  server = await startServerProcess(host, { transports, projects }, [], { main })
}, 400_000)
afterAll(async () => {
  await server?.stop()
  await sink?.close()
  rmSync(folder, { recursive: true, force: true })
})

it('passes side by side, with a test key of a live project, and fails where the mail does not come', async () => {
  const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')
  const [, suite = ''] = /```ts\n(.*?)```/s.exec(page) ?? []
  const one = "it('mails a code"
  expect(suite).toContain(one)
  writeFileSync(join(host, 'app.js'), APP)
  writeFileSync(
    join(host, 'mails.test.ts'),
    suite.replace(one, "it.concurrent.for(Array.from({ length: 20 }))('mails a code"),
  )
  const mistake = suite
    .replace('await signUp(email)', 'signUp(email.toUpperCase())')
    .replace('mailTo(email)', "mailTo('nobody@example.org')")
  writeFileSync(join(host, 'mistaken.test.ts'), mistake.replace('wait: 10', 'wait: 1'))
  const ask = async (path: string, method = 'GET', body?: object) => {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}${path}`, { method, headers, body: body ? JSON.stringify(body) : null })
    return (await answer.json()) as { projectId: string; key: string; total: number; cleared: number }
  }
  const { projectId } = await ask('/keys/@me')
  const { key } = await ask(`/projects/${projectId}/keys`, 'POST', {
    ...{ name: 'vitest', kind: 'secret', scopes: ['send', 'read'], test: true },
  })
  const env = { ...PLAIN_ENV, MAILWRIGHT_URL: server.url, MAILWRIGHT_TEST_KEY: key }
  const vitest = join(host, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--reporter=json', '--outputFile=result.json']
  await run(process.execPath, args, { cwd: host, env, maxBuffer: 1e8 }).catch(() => undefined)
  const { testResults } = JSON.parse(readFileSync(join(host, 'result.json'), 'utf8')) as Results
  const of = (file: string) => testResults.find(({ name }) => name.endsWith(file))?.assertionResults ?? []
  expect(of('mails.test.ts').flatMap(({ failureMessages }) => failureMessages)).toEqual([])
  expect(of('mails.test.ts')).toHaveLength(20)
  expect(of('mistaken.test.ts').map(({ failureMessages }) => failureMessages.join())).toEqual([
    expect.stringContaining('There was no mail to nobody@example.org'),
  ])
  expect(sink.messages).toEqual([])
  expect((await ask('/sandbox/messages?limit=1')).total).toBe(21)
  expect((await ask('/sandbox/messages', 'DELETE')).cleared).toBe(21)
  // who waits is answered when the server stops, and holds it up no longer
  const waiting = ask('/sandbox/messages?wait=30')
  await pause(1_000)
  const begun = performance.now()
  expect(await server.stop()).toBe(0)
  expect((await waiting).total).toBe(0)
  expect(performance.now() - begun).toBeLessThan(4_000)
}, 300_000)

interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly assertionResults: readonly { readonly failureMessages: readonly string[] }[]
  }[]
}
