import { connect } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createTransport } from 'nodemailer'
import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InboundDesk, ReceivedMessage } from '../../core/ports/inbound-mail.ts'
import { silentLog } from '../../core/ports/log.ts'
import { InboundSmtpOptions } from '../../plugins/inbound-smtp/options.ts'
import { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { MessageBuffer } from '../../plugins/kit/smtp-server/message-buffer.ts'
import { inboundMailContract } from '../contracts/inbound-mail.ts'
import { inboundDesk } from '../support/inbound-desk.ts'
import { bytes, plainClient } from '../support/plain-client.ts'
import { takenPort } from '../support/taken-port.ts'
import { until } from '../support/until.ts'

/** A listener on a free port with a desk that takes `…@ours.example`. */
async function listening(given: object = {}, more: Partial<InboundDesk> = {}) {
  const options = v.parse(InboundSmtpOptions, { host: '127.0.0.1', port: 0, hostname: 'mx.ours.example', ...given })
  const listener = new SmtpListener(options, silentLog, { now: () => new Date() })
  await listener.readCertificate()
  const { desk, taken } = inboundDesk(more)
  await listener.start(desk)
  onTestFinished(() => listener.stop(100))
  return { listener, taken, port: listener.port ?? 0 }
}

describe('inbound-smtp as an inbound port', () => {
  inboundMailContract(async () => {
    const options = v.parse(InboundSmtpOptions, { host: '127.0.0.1', port: 0 })
    const inbound = new SmtpListener(options, silentLog, { now: () => new Date() })
    const transport = () => createTransport({ host: '127.0.0.1', port: inbound.port, ignoreTLS: true })
    return {
      inbound,
      send: ({ envelope, raw }) => transport().sendMail({ envelope: { ...envelope, to: [...envelope.to] }, raw }),
      occupy: async () => {
        const { port } = await takenPort()
        const taken = v.parse(InboundSmtpOptions, { host: '127.0.0.1', port })
        return { receiver: new SmtpListener(taken, silentLog, { now: () => new Date() }), port }
      },
      close: () => inbound.stop(0),
    }
  })
})

const client = (port: number) => plainClient(port, 'help@ours.example')

describe('a listener', () => {
  it('hands over the message as it was, and answers 250 only when it is stored', async () => {
    const stored = Promise.withResolvers<undefined>()
    const came: ReceivedMessage[] = []
    const deliver = (message: ReceivedMessage) => {
      came.push(message)
      return stored.promise
    }
    const { port } = await listening({}, { deliver })
    const { say, toData, reply, socket, greeting } = await client(port)
    expect(greeting).toContain(`SIZE ${25 * 1024 * 1024}`)
    expect(greeting).not.toMatch(/AUTH|STARTTLS/)
    expect(await toData()).toMatch(/^354/)
    socket.write(bytes('Subject: dots\r\n\r\n..one\r\n...\r\n\xe9\r\n.\r\n'))
    await until('it came', () => came.length === 1)
    const early = await Promise.race([reply(), new Promise((resolve) => setTimeout(resolve, 100, 'none'))])
    expect(early).toBe('none')
    stored.resolve(undefined)
    expect(await say('NOOP')).toMatch(/^250/)
    const [message] = came
    expect(Buffer.from(message?.raw ?? []).toString('latin1')).toBe('Subject: dots\r\n\r\n.one\r\n..\r\n\xe9\r\n')
    expect(message).toMatchObject({
      ...{ envelope: { from: 'ada@friend.example', to: ['help@ours.example'] }, remoteAddress: '127.0.0.1' },
      ...{ helo: 'client.example', tls: false, receivedAt: expect.any(Date) },
    })
  })

  it('loses nothing of a message in very many pieces', async () => {
    const { port, taken } = await listening()
    const { toData, say } = await client(port)
    await toData()
    const lines = Array.from({ length: 2_500 }, (_, i) => `.${i}\r\n`).join('')
    expect(await say(bytes(`Subject: x\r\n\r\n${lines.replaceAll('.', '..')}.\r\n`))).toMatch(/^250/)
    expect(Buffer.from(taken[0]?.raw ?? []).toString('latin1')).toBe(`Subject: x\r\n\r\n${lines}`)
    // only lines that begin with a dot are counted: a sender may write each line by itself
    const plain = new MessageBuffer({ size: 1e9, line: 1000, header: 1e9 }, () => true)
    for (let i = 0; i < 100_000; i++) plain.add(bytes('x.\r\n'))
    plain.end()
    expect([plain.hasTooManyDotLines, plain.refusal]).toEqual([false, undefined])
  })

  it('tells the sender to come again when the message cannot be stored', async () => {
    const { port } = await listening({}, { deliver: () => Promise.reject(new Error('disk full')) })
    const { say, toData } = await client(port)
    await toData()
    const answer = await say(bytes('Subject: x\r\n\r\nx\r\n.\r\n'))
    expect(answer).toMatch(/^451 4\.3\.0/)
    expect(answer).not.toContain('disk')
  })

  it('relays nothing, and asks again when nobody knows', async () => {
    const { port } = await listening({}, {})
    const { say } = await client(port)
    await say('MAIL FROM:<>')
    expect(await say('RCPT TO:<somebody@elsewhere.example>')).toMatch(/^550 5\.1\.1/)
    expect(await say('RCPT TO:<help%ours.example@elsewhere.example>')).toMatch(/^550 5\.1\.1/)
    expect(await say('DATA')).toMatch(/^503/)
    expect(await say('AUTH PLAIN AGEAYg==')).toMatch(/^5/)
    const unsure = await listening({}, { accepts: async () => ({ outcome: 'later', message: 'try again' }) })
    const other = await client(unsure.port)
    await other.say('MAIL FROM:<a@b.example>')
    expect(await other.say('RCPT TO:<help@ours.example>')).toMatch(/^451/)
  })

  it.each([
    ['LF . LF', 'x\r\n\n.\nMAIL FROM:<evil@ours.example>\r\n'],
    ['LF . CRLF', 'x\n.\r\nMAIL FROM:<evil@ours.example>\r\n'],
    ['CR . CR', 'x\r.\rMAIL FROM:<evil@ours.example>\r\n'],
    ['CRLF . LF', 'x\r\n.\nMAIL FROM:<evil@ours.example>\r\n'],
    ['CR CRLF', 'x\r\r\n'],
    ['a bare CR at the end of a piece', `${'x'.repeat(70_000)}\ry\r\n`],
  ])('refuses a message that hides another one: %s', async (_name, body) => {
    const { port, taken } = await listening()
    const { toData, say } = await client(port)
    await toData()
    expect(await say(bytes(`Subject: x\r\n\r\n${body}\r\n.\r\n`))).toMatch(/^550 5\.6\.11/)
    expect(await say('NOOP')).toMatch(/^250/)
    expect(taken).toEqual([])
  })

  it.each([
    ['a NUL', 'Subject: x\r\n\r\na\0b\r\n', /^550 5\.6\.0/],
    ['a line without an end', `Subject: x\r\n\r\n${'x'.repeat(150_000)}\r\n`, /^552 5\.6\.0/],
    ['a header without an end', `${'X-Long: yes\r\n'.repeat(50_000)}\r\nx\r\n`, /^552 5\.3\.4/],
    ['more than the limit', `Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`, /^552 5\.3\.4/],
  ])('refuses a message with %s, keeps none of it and goes on', async (_name, message, answer) => {
    const { port, taken } = await listening({ maxSize: 1024 * 1024 })
    const { toData, say } = await client(port)
    await toData()
    expect(await say(bytes(`${message}.\r\n`))).toMatch(answer)
    await toData()
    expect(await say(bytes('Subject: good\r\n\r\nx\r\n.\r\n'))).toMatch(/^250/)
    expect(taken).toHaveLength(1)
  })

  it('refuses a message far over the limit while it comes, and reads it no further', async () => {
    const { port, taken } = await listening({ maxSize: 100_000 })
    const { toData, say, reply, isClosed } = await client(port)
    await toData()
    expect(await say(bytes(`Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(3_000)}`))).toMatch(/^552 5\.3\.4/)
    expect(await reply()).toMatch(/^421/)
    await expect.poll(isClosed).toBe(true)
    expect(taken).toEqual([])
  })

  it.each(['', 'MAILER-DAEMON@mx.example'])('takes a bounce with a NUL, from <%s>', async (sender) => {
    const { port, taken } = await listening()
    const { say } = await client(port)
    await say(`MAIL FROM:<${sender}>`)
    await say('RCPT TO:<help@ours.example>')
    await say('DATA')
    expect(await say(bytes('Subject: failed\r\n\r\na\0b\r\n.\r\n'))).toMatch(/^250/)
    expect(Buffer.from(taken[0]?.raw ?? '').includes('a\0b')).toBe(true)
  })

  it('refuses at MAIL what says it is too large', async () => {
    const { port } = await listening()
    const { say } = await client(port)
    expect(await say('MAIL FROM:<a@b.example> SIZE=99999999')).toMatch(/^552/)
  })

  it('lets go who guesses recipients, and takes no more than it should of one message', async () => {
    const { port } = await listening({ maxRecipients: 3 })
    const { say, isClosed } = await client(port)
    await say('MAIL FROM:<a@b.example>')
    for (const name of ['a', 'b', 'c']) expect(await say(`RCPT TO:<${name}@ours.example>`)).toMatch(/^250/)
    expect(await say('RCPT TO:<d@ours.example>')).toMatch(/^452/)
    await say('RSET')
    await say('MAIL FROM:<a@b.example>')
    let answer = ''
    for (let i = 0; i < 60 && !isClosed() && !answer.startsWith('421'); i++)
      answer = await say(`RCPT TO:<u${i}@no.example>`)
    expect(answer).toMatch(/^421 4\.7\.0/)
  })

  it('lets go who writes a message too slowly', async () => {
    const { port, taken } = await listening({ timeouts: { command: 60, data: 0.3 } })
    const { toData, reply, socket } = await client(port)
    await toData()
    const drip = setInterval(() => socket.write('x'), 20)
    expect(await reply()).toMatch(/^421 4\.4\.2/)
    clearInterval(drip)
    expect(taken).toEqual([])
  })

  it('has room for so many connections of an address, and so much mail', async () => {
    const { port } = await listening({ maxConnectionsPerAddress: 2, maxBuffered: 1024 * 1024 })
    const one = await client(port)
    await client(port)
    const third = connect(port, '127.0.0.1')
    onTestFinished(() => void third.destroy())
    const refusal = await new Promise<string>((resolve) => third.once('data', (data) => resolve(data.toString())))
    expect(refusal).toMatch(/^421 4\.7\.0/)
    await one.toData()
    const message = `Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}.\r\n`
    expect(await one.say(bytes(message))).toMatch(/^452 4\.3\.1/)
    await one.toData()
    expect(await one.say(bytes('Subject: x\r\n\r\nx\r\n.\r\n'))).toMatch(/^250/)
  })

  it('receives encrypted when it has a certificate', async () => {
    const file = (name: string) => fileURLToPath(new URL(`../support/localhost-${name}.pem`, import.meta.url))
    const { port, taken } = await listening({ tls: { keyFile: file('key'), certFile: file('cert') } })
    const transport = createTransport({ host: '127.0.0.1', port, requireTLS: true, tls: { rejectUnauthorized: false } })
    await transport.sendMail({ from: 'a@b.example', to: 'help@ours.example', text: 'secret' })
    expect(taken).toMatchObject([{ tls: true }])
  })

  it('stops with what is under way stored, and at once when nobody sends', async () => {
    const stored = Promise.withResolvers<undefined>()
    const { port, listener } = await listening({}, { deliver: () => stored.promise })
    await client(port)
    const { toData, reply, socket } = await client(port)
    await toData()
    socket.write(bytes('Subject: x\r\n\r\nx\r\n.\r\n'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const begun = performance.now()
    const stopped = listener.stop(5000)
    setTimeout(() => stored.resolve(undefined), 200)
    expect(await reply()).toMatch(/^250/)
    await stopped
    expect(performance.now() - begun).toBeLessThan(3000)
    await expect(listener.check()).rejects.toThrow()
    await expect(client(port)).resolves.toMatchObject({ greeting: 'closed' })
  })
})
