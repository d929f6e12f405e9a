import type net from 'node:net'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'

/** A connection that has been greeted, with its extensions known, and encrypted and logged in if required. */
export interface Session {
  readonly socket: net.Socket
  /** RFC 2920: several commands may be sent in one go. */
  readonly pipelining: boolean
  /** RFC 1870: MAIL accepts SIZE. */
  readonly size: boolean
  /** The largest message in octets, 0 when the server names none. */
  readonly maxSize: number
  /** RFC 6152. */
  readonly eightBitMime: boolean
  /** RFC 6531. */
  readonly smtpUtf8: boolean
  /** The last reply: that to EHLO, unless there was a login. */
  readonly lastReply: string
}

/** nodemailer's listeners on the socket, by event. They are private fields, so an upgrade may rename them. */
const LISTENERS = [
  ['data', '_onSocketData'],
  ['timeout', '_onSocketTimeout'],
  ['close', '_onSocketClose'],
  ['end', '_onSocketEnd'],
  ['error', '_onSocketError'],
] as const

/**
 * Takes the socket from a nodemailer connection that has finished its handshake (and login), and leaves nothing of
 * nodemailer on it. From then on nodemailer's object does nothing: it holds no timer and receives no event.
 *
 * This is the only place that uses nodemailer's internals. Everything is checked, so an upgrade that changes one of
 * these fields fails here with a clear message, and in `test/plugins/mail-smtp-take-over.test.ts`. Throws when the
 * server has already said more than it was asked for.
 */
export function takeOver(connection: SMTPConnection): Session {
  const socket = connection._socket
  if (!socket) throw changed('_socket')
  for (const [event, field] of LISTENERS) {
    const listener: unknown = Reflect.get(connection, field)
    if (!isListener(listener)) throw changed(field)
    socket.removeListener(event, listener)
  }
  socket.setTimeout(0)
  if (socket.listenerCount('data') > 0 || socket.listenerCount('timeout') > 0) throw changed('its listeners')

  const extensions: unknown = Reflect.get(connection, '_supportedExtensions')
  const maxSize: unknown = Reflect.get(connection, '_maxAllowedSize')
  const queue: unknown = Reflect.get(connection, '_responseQueue')
  const remainder: unknown = Reflect.get(connection, '_remainder')
  if (!Array.isArray(extensions)) throw changed('_supportedExtensions')
  if (typeof maxSize !== 'number') throw changed('_maxAllowedSize')
  if (!Array.isArray(queue) || typeof remainder !== 'string') throw changed('_responseQueue')
  if (queue.length > 0 || remainder !== '') throw new Error('the server said more than it was asked')

  return {
    socket,
    pipelining: extensions.includes('PIPELINING'),
    size: extensions.includes('SIZE'),
    maxSize,
    eightBitMime: extensions.includes('8BITMIME'),
    smtpUtf8: extensions.includes('SMTPUTF8'),
    lastReply: connection.lastServerResponse || '',
  }
}

function isListener(value: unknown): value is (...given: unknown[]) => void {
  return typeof value === 'function'
}

function changed(field: string): Error {
  return new Error(`This version of nodemailer keeps its connection differently (${field}); take-over.ts must follow`)
}
