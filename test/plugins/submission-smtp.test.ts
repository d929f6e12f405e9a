import { connect as connectTls } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Log, silentLog } from '../../core/ports/log.ts'
import type { Submitter } from '../../core/ports/submission.ts'
import { submissionServer } from '../../plugins/submission-smtp/index.ts'
import { SubmissionSmtpOptions } from '../../plugins/submission-smtp/options.ts'
import { SubmissionListener } from '../../plugins/submission-smtp/submission-listener.ts'
import { submissionMailContract } from '../contracts/submission-mail.ts'
import { bytes, plainClient } from '../support/plain-client.ts'
import { takenPort } from '../support/taken-port.ts'

const file = (name: string) => fileURLToPath(new URL(`../support/localhost-${name}.pem`, import.meta.url))
const TLS = { keyFile: file('key'), certFile: file('cert') }
const RIGHT = Buffer.from('\0ada\0right').toString('base64')
const WRONG = Buffer.from('\0ada\0wrong').toString('base64')

/** A listener on a free port; who logs in as `ada` with `right` may send. */
async function listening(given: object = {}, isLocal?: (address: string) => boolean, log: Log = silentLog) {
  const options = v.parse(SubmissionSmtpOptions, { host: '127.0.0.1', port: 0, ...given })
  const listener = new SubmissionListener(options, log, isLocal)
  await listener.readCertificate()
  const taken: { readonly to: readonly string[]; readonly raw: string }[] = []
  const submitter: Submitter = {
    sender: async () => ({ outcome: 'accepted' }),
    recipient: (address) =>
      address.endsWith('.example')
        ? { outcome: 'accepted' }
        : { outcome: 'refused', code: 553, status: '5.1.3', message: 'no address' },
    submit: async ({ envelope, raw }) => {
      taken.push({ to: envelope.to, raw: Buffer.from(raw).toString('latin1') })
      return { outcome: 'accepted', ids: envelope.to.map((_, i) => `0190a6d0-7b7e-7c3a-9f1e-2b8f6f0c5a${10 + i}`) }
    },
  }
  await listener.start({
    login: async (user, password) =>
      user === 'ada' && password === 'right'
        ? { outcome: 'accepted', submitter }
        : { outcome: 'refused', code: 535, status: '5.7.8', message: 'wrong' },
  })
  onTestFinished(() => listener.stop(100))
  return { listener, taken, port: listener.port ?? 0 }
}

const client = (port: number) => plainClient(port, 'one@b.example')

describe('submission-smtp', () => {
  submissionMailContract(async () => {
    const on = (port: number) =>
      new SubmissionListener(v.parse(SubmissionSmtpOptions, { host: '127.0.0.1', port }), silentLog)
    const submission = on(0)
    const occupy = async () => {
      const { port } = await takenPort()
      return { receiver: on(port), port }
    }
    return { submission, port: () => submission.port ?? 0, occupy, close: () => submission.stop(0) }
  })
})

describe('a submission listener', () => {
  it.each([
    ['STARTTLS', {}, { requireTLS: true }],
    ['TLS from the first octet', { secure: true }, { secure: true }],
  ])('takes logins over %s', async (_, options, how) => {
    const { port, taken } = await listening({ tls: TLS, ...options }, () => false)
    const transport = createTransport({
      ...{ host: '127.0.0.1', port, auth: { user: 'ada', pass: 'right' } },
      ...{ ...how, tls: { rejectUnauthorized: false } },
    })
    await transport.sendMail({ from: 'a@b.example', to: 'one@b.example', text: 'secret' })
    expect(taken).toMatchObject([{ to: ['one@b.example'] }])
  })

  it('lets nobody from another machine log in, or send, in the clear', async () => {
    const { port, taken } = await listening({ tls: TLS }, () => false)
    const { greeting, say } = await client(port)
    // a client that sees AUTH would send the key before the server can refuse it
    expect(greeting).not.toContain('AUTH')
    expect(greeting).toContain('STARTTLS')
    expect(await say(`AUTH PLAIN ${RIGHT}`)).toMatch(/^5/)
    expect(await say('MAIL FROM:<a@b.example>')).toMatch(/^530 5\.7\.0 begin TLS first/)
    expect(await say('RCPT TO:<one@b.example>')).toMatch(/^503/)
    expect(taken).toEqual([])
    const trusting = await listening({ allowInsecureAuth: true }, () => false)
    const other = await client(trusting.port)
    expect(await other.say(`AUTH PLAIN ${RIGHT}`)).toMatch(/^235/)
  })

  it('forgets a login that was made before TLS began', async () => {
    const { port } = await listening({ tls: TLS })
    const { say, socket } = await client(port)
    expect(await say(`AUTH PLAIN ${RIGHT}`)).toMatch(/^235/)
    expect(await say('STARTTLS')).toMatch(/^220/)
    const secure = connectTls({ socket, rejectUnauthorized: false })
    const answers: string[] = []
    secure.on('data', (data) => void answers.push(data.toString()))
    secure.write('EHLO client.example\r\nMAIL FROM:<a@b.example>\r\n')
    await expect.poll(() => answers.join('')).toMatch(/\r\n530 5\.7\.0 log in first/)
  })

  it('offers what it keeps: SIZE, and no delivery notices, UTF-8 addresses or required TLS', async () => {
    const { port } = await listening({ maxSize: 5_000_000 })
    const { greeting } = await client(port)
    expect(greeting).toMatch(/SIZE 5000000/)
    expect(greeting).not.toMatch(/DSN|SMTPUTF8|REQUIRETLS|STARTTLS/)
    expect(greeting).toMatch(/AUTH PLAIN LOGIN\r/)
  })

  it('sends away who guesses keys; a right one passes all the same', async () => {
    const lines: unknown[] = []
    const log: Log = { ...silentLog, warn: (message, fields) => void lines.push([message, fields]) }
    const { port } = await listening({ loginFailuresPerMinute: 4 }, undefined, log)
    for (const answer of [/^535 5\.7\.8/, /^535/, /^535/, /^535/, /^421 4\.7\.0 too many wrong logins/, /^421/]) {
      const { say } = await client(port)
      expect(await say(`AUTH PLAIN ${WRONG}`)).toMatch(answer)
    }
    const { say } = await client(port)
    expect(await say(`AUTH PLAIN ${RIGHT}`)).toMatch(/^235/)
    // tools that block addresses read this line: a client that guesses cannot fill the log
    const remoteAddress = '127.0.0.1'
    expect(lines).toEqual([
      ['a submission login was wrong', { remoteAddress }],
      ['too many submission logins were wrong', { remoteAddress }],
    ])
  })

  it('refuses too many recipients, those that are none, and messages that hide another or are too large', async () => {
    const { port, taken } = await listening({ maxRecipients: 12, maxSize: 100_000 })
    const { say, toData } = await client(port)
    await say(`AUTH PLAIN ${RIGHT}`)
    await say('MAIL FROM:<a@b.example>')
    for (let i = 0; i < 12; i++) expect(await say(`RCPT TO:<u${i}@b.example>`)).toMatch(/^250/)
    expect(await say('RCPT TO:<u13@b.example>')).toMatch(/^452/)
    expect(await say('DATA')).toMatch(/^354/)
    const answer = await say(bytes('Subject: x\r\n\r\nx\r\n.\r\n'))
    // RFC 5321, section 4.5.3.1.5
    expect(answer).toMatch(/^250 2\.0\.0 queued as 0190a6d0\S+ .* and 2 more\r\n$/)
    expect(answer.length).toBeLessThanOrEqual(512)
    await toData()
    expect(await say(bytes('Subject: x\r\n\r\nx\n.\nQUIT\r\n.\r\n'))).toMatch(/^550 5\.6\.11/)
    await toData()
    expect(await say(bytes(`Subject: x\r\n\r\n${'x'.repeat(150_000).replace(/(.{70})/g, '$1\r\n')}\r\n.\r\n`))).toMatch(
      /^552 5\.3\.4/,
    )
    expect(await say('MAIL FROM:<a@b.example> SIZE=100001')).toMatch(/^552/)
    expect(taken).toHaveLength(1)
    await say('MAIL FROM:<a@b.example>')
    let last = ''
    for (let i = 0; i < 60 && !last.startsWith('421'); i++) last = await say(`RCPT TO:<u${i}@no.test>`)
    expect(last).toMatch(/^421 4\.7\.0/)
  })

  it.each([
    [{}, /^tls: is required/],
    [{ host: '192.0.2.1' }, /^tls: is required/],
    [{ host: '127.0.0.1', secure: true }, /^tls: is required/],
    [{ host: '127.0.0.1', maxRecipients: 101 }, /^maxRecipients: /],
    [{ host: '127.0.0.1', user: 'x' }, /^user: /],
  ])('refuses the options %j', (options, told) => {
    const problems = submissionServer(options as Parameters<typeof submissionServer>[0]).problems()
    expect(problems.map(({ field, message }) => `${field}: ${message}`)).toEqual([expect.stringMatching(told)])
  })

  it.each([
    { host: '127.0.0.1' },
    { host: 'localhost' },
    { allowInsecureAuth: true },
    { tls: TLS, secure: true, port: 465 },
  ])('takes the options %j', (options) => {
    expect(submissionServer(options).problems()).toEqual([])
  })
})
