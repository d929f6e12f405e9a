import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type net from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { noteMail } from './every-mail.ts'

/** A mail the sink received: the envelope, and the message without dot-stuffing. */
export interface SunkMail {
  readonly from: string
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** The sink's answer instead of 250. The text may begin with an enhanced code. */
interface SinkReply {
  readonly code: number
  readonly message?: string
}

export interface SmtpSinkOptions {
  /** Refused recipients, with the answer to their RCPT TO. */
  readonly recipients?: Readonly<Record<string, SinkReply>>
  /** Refused senders, with the answer to their MAIL FROM. */
  readonly senders?: Readonly<Record<string, SinkReply>>
  /** Decides the answer to a whole message; undefined accepts it. */
  readonly judge?: (mail: SunkMail) => SinkReply | undefined
  /** `starttls` offers the upgrade, `implicit` expects TLS at once; both with the certificate `sinkCertificate`. */
  readonly tls?: 'starttls' | 'implicit'
  /** Requires this login. */
  readonly auth?: { readonly user: string; readonly pass: string; readonly methods?: readonly string[] }
  /** The largest message, in octets; announced and enforced. */
  readonly size?: number
  /** Where it listens, if not on a free port of 127.0.0.1. */
  readonly at?: { readonly host: string; readonly port?: number }
  /** False: its mails may be invalid, because the test made them itself. */
  readonly checked?: boolean
  /** Anything else of smtp-server, for instance `hidePIPELINING: true`. */
  readonly server?: SMTPServerOptions
}

export interface SmtpSink {
  readonly port: number
  /** Everything accepted so far, in order. */
  readonly messages: readonly SunkMail[]
  /** How many connections were ever made. */
  readonly connections: number
  /** How many connections are open now. */
  readonly open: number
  /** Waits until this many mails were accepted in all. Rejects after `seconds` (10). */
  waitFor(count: number, seconds?: number): Promise<readonly SunkMail[]>
  /** Forgets the mails accepted so far. */
  clear(): void
  /** Cuts every open connection but goes on listening. */
  cut(): void
  /** Stops listening and cuts every open connection. */
  close(): Promise<void>
}

/** The sink's certificate, for `localhost` and 127.0.0.1, valid 2020 to 2119. Give it as `ca` to trust the sink. */
export const sinkCertificate = readFileSync(new URL('./localhost-cert.pem', import.meta.url), 'utf8')
export const sinkKey = readFileSync(new URL('./localhost-key.pem', import.meta.url), 'utf8')

/**
 * smtp-server waits 100 ms before its greeting, to catch clients that talk too soon, which in tests
 * would take most of the time.
 */
class PromptServer extends SMTPServer {
  override connect(...given: Parameters<SMTPServer['connect']>): void {
    super.connect(...given)
    const connection = [...this.connections].at(-1)
    connection?.connectionReady()
    if (connection) connection.connectionReady = () => {}
  }
}

/**
 * Starts a real SMTP server on a free port of 127.0.0.1 that keeps its mails. When the test ends, every mail it got is
 * checked against the standards, see `raw-mail.ts`.
 */
export async function startSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const messages: SunkMail[] = []
  const sockets = new Set<net.Socket>()
  const waiting = new Set<() => void>()
  let connections = 0

  const take = (mail: SunkMail): SinkReply | undefined => {
    if (options.checked !== false) noteMail(mail)
    const refusal = options.judge?.(mail)
    if (refusal) return refusal
    messages.push(mail)
    for (const look of waiting) look()
    return undefined
  }

  const server = new PromptServer({ ...serverOptions(options, take), ...options.server })
  server.on('error', () => {})
  server.server.on('connection', (socket: net.Socket) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const listening = server.listen(options.at?.port ?? 0, options.at?.host ?? '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('The sink has no port')

  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    messages,
    get connections() {
      return connections
    },
    get open() {
      return server.connections.size
    },
    waitFor: (count, seconds = 10) => waitUntil(messages, waiting, count, seconds),
    clear: () => void messages.splice(0),
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        cut()
      }),
  }
}

function serverOptions(options: SmtpSinkOptions, take: (mail: SunkMail) => SinkReply | undefined): SMTPServerOptions {
  const { auth, size, tls } = options
  return {
    name: 'sink.test',
    disableReverseLookup: true,
    secure: tls === 'implicit',
    cert: sinkCertificate,
    key: sinkKey,
    authOptional: auth === undefined,
    authMethods: [...(auth?.methods ?? ['PLAIN', 'LOGIN', 'CRAM-MD5'])],
    allowInsecureAuth: true,
    disabledCommands: [...(auth ? [] : ['AUTH']), ...(tls === 'starttls' ? [] : ['STARTTLS'])],
    ...(size === undefined ? {} : { size }),
    onAuth(given, _session, done) {
      const known =
        given.username === auth?.user &&
        (given.method === 'CRAM-MD5' ? given.validatePassword(auth?.pass ?? '') : given.password === auth?.pass)
      done(known ? null : replyError({ code: 535, message: 'Wrong user or password' }), { user: given.username })
    },
    onMailFrom: ({ address }, _session, done) => done(replyError(options.senders?.[address])),
    onRcptTo: ({ address }, _session, done) => done(replyError(options.recipients?.[address])),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        if (stream.sizeExceeded) return done(replyError({ code: 552, message: 'Message too big' }))
        const { mailFrom, rcptTo } = session.envelope
        const to = rcptTo.map(({ address }) => address)
        done(replyError(take({ from: mailFrom ? mailFrom.address : '', to, raw: Buffer.concat(chunks) })))
      })
    },
  }
}

function replyError(reply: SinkReply | undefined): Error | null {
  if (reply === undefined) return null
  return Object.assign(new Error(reply.message ?? 'Refused by the sink'), { responseCode: reply.code })
}

function waitUntil(messages: readonly SunkMail[], waiting: Set<() => void>, count: number, seconds: number) {
  return new Promise<readonly SunkMail[]>((resolve, reject) => {
    const look = () => {
      if (messages.length < count) return
      clearTimeout(timer)
      waiting.delete(look)
      resolve(messages)
    }
    const timer = setTimeout(() => {
      waiting.delete(look)
      reject(new Error(`The sink has ${messages.length} mails after ${seconds} s, not ${count}`))
    }, seconds * 1000)
    waiting.add(look)
    look()
  })
}
