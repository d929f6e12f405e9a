import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { afterEach, describe, expect, it } from 'vitest'
import { takeOver } from '../../plugins/kit/smtp-client/take-over.ts'
import { startFaultSmtp } from '../support/fault-smtp.ts'
import { type SmtpSink, sinkCertificate, startSmtpSink } from '../support/smtp-sink.ts'

const EVENTS = ['data', 'end', 'close', 'error', 'timeout', 'drain', 'readable'] as const

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function connected(options: ConstructorParameters<typeof SMTPConnection>[0]): Promise<SMTPConnection> {
  const connection = new SMTPConnection({ host: '127.0.0.1', name: 'me.test', ...options })
  closers.push(() => connection.close())
  await new Promise<void>((resolve, reject) => {
    connection.once('error', reject)
    connection.connect((error) => (error ? reject(error) : resolve()))
  })
  // nodemailer looks once more whether replies are left
  await new Promise((resolve) => setImmediate(resolve))
  return connection
}

async function sink(options: Parameters<typeof startSmtpSink>[0]): Promise<SmtpSink> {
  const started = await startSmtpSink({ checked: false, ...options })
  closers.push(() => started.close())
  return started
}

describe("taking nodemailer's socket over", () => {
  it.each([
    ['a plain connection', {}, {}],
    ['one after STARTTLS', { tls: 'starttls' }, { tls: { ca: sinkCertificate } }],
    ['one over TLS', { tls: 'implicit' }, { secure: true, tls: { ca: sinkCertificate } }],
  ] as const)('leaves no listener of its own on %s, and the connection works', async (_what, sinkOptions, options) => {
    const { port } = await sink({ size: 12_345, ...sinkOptions })
    const connection = await connected({ port, ...options })
    const own = EVENTS.flatMap((event) => Object.values(connection).map((value) => [event, value] as const)).filter(
      ([, value]) => typeof value === 'function',
    )
    const { socket, ...extensions } = takeOver(connection)

    for (const [event, listener] of own) expect(socket.listeners(event)).not.toContain(listener)
    expect(socket.listenerCount('data')).toBe(0)
    expect(socket.listenerCount('timeout')).toBe(0)
    expect(socket.timeout ?? 0).toBe(0)
    expect(extensions).toEqual({
      pipelining: true,
      size: true,
      maxSize: 12_345,
      eightBitMime: true,
      smtpUtf8: true,
      lastReply: expect.stringMatching(/^250-sink\.test /),
    })

    const heard: string[] = []
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
    socket.on('data', (chunk) => heard.push(chunk.toString()))
    socket.write('QUIT\r\n')
    await closed
    expect(heard.join('')).toMatch(/^221 /)
    // nodemailer heard neither the reply nor the end
    expect(connection.lastServerResponse).not.toContain('221')
    expect(connection.destroyed).toBe(false)
  })

  it('tells what the server does not offer', async () => {
    const server = { hidePIPELINING: true, hide8BITMIME: true, hideSMTPUTF8: true }
    const { port } = await sink({ server })
    const { socket, ...extensions } = takeOver(await connected({ port }))
    expect(socket.destroyed).toBe(false)
    expect(extensions).toEqual({
      pipelining: false,
      size: false,
      maxSize: 0,
      eightBitMime: false,
      smtpUtf8: false,
      lastReply: expect.stringMatching(/^250 sink\.test /),
    })
  })

  it('leaves no timer of nodemailer running', async () => {
    const { port } = await sink({})
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length
    const before = timers()
    const { socket } = takeOver(await connected({ port, greetingTimeout: 60_000, connectionTimeout: 60_000 }))
    expect(timers()).toBeLessThanOrEqual(before)
    socket.destroy()
  })

  it('is refused when the server said more than it was asked', async () => {
    const answer = (command: string) => (command.startsWith('EHLO') ? '250 me.test\r\n250 me again\r\n' : undefined)
    const server = await startFaultSmtp({ answer })
    closers.push(() => server.close())
    const connection = new SMTPConnection({ host: '127.0.0.1', port: server.port })
    closers.push(() => connection.close())
    const taking = new Promise((resolve, reject) => {
      connection.once('error', reject)
      // in the very call, as the pool does it
      connection.connect(() => {
        try {
          resolve(takeOver(connection))
        } catch (error) {
          reject(error)
        }
      })
    })
    await expect(taking).rejects.toThrow('said more than it was asked')
  })

  it.each([
    '_onSocketData',
    '_onSocketEnd',
    '_supportedExtensions',
    '_maxAllowedSize',
    '_responseQueue',
  ])('fails clearly with a nodemailer that has no %s', async (field) => {
    const { port } = await sink({})
    const connection = await connected({ port })
    Reflect.deleteProperty(connection, field)
    expect(() => takeOver(connection)).toThrow(`(${field})`)
  })
})
