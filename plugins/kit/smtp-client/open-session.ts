import net from 'node:net'
import tls from 'node:tls'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import { ConnectProblem, type ConnectStep, ConnectTimeout, NoLogin } from './connect-problem.ts'
import { connectPlain } from './connection.ts'
import type { Hop } from './hop.ts'
import { targetOf } from './public-only.ts'
import type { Hide } from './secrets.ts'
import { type Session, takeOver } from './take-over.ts'

/**
 * Connects, then greets, encrypts and logs in through nodemailer. The socket is ours from the start, so the system
 * looks up names, and giving up means destroying it. The session goes to `adopt` at once, so that no event of its
 * socket is missed. Rejects with a ConnectProblem, and nothing stays open then.
 */
export function openSession<T>(hop: Hop, hide: Hide, signal: AbortSignal, adopt: (session: Session) => T): Promise<T> {
  return new Promise((resolve, reject) => {
    let step: ConnectStep = 'connect'
    let connection: SMTPConnection | undefined
    let socket: net.Socket
    try {
      socket = connectSocket(hop)
    } catch (cause) {
      return reject(new ConnectProblem(hop, step, cause, hide))
    }

    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      socket.removeListener('error', fail)
    }
    const fail = (cause: unknown) => {
      end()
      socket.on('error', () => {})
      // after STARTTLS, the TLS socket must be closed first, and nodemailer has it
      if (connection) connection.close()
      else socket.destroy()
      reject(new ConnectProblem(hop, step, cause, hide))
    }
    const onAbort = () => fail(new Error('the transport was closed'))
    const timer = setTimeout(() => fail(new ConnectTimeout()), hop.connectTimeout)

    socket.once('error', fail)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort)
    socket.once(hop.secure ? 'secureConnect' : 'connect', () => {
      step = 'greet'
      const sends = (command: string) => {
        if (step !== 'log in') step = command === 'STARTTLS' ? 'encrypt' : 'greet'
      }
      connection = handshake(hop, socket, sends, fail, (greeted) => {
        step = 'log in'
        logIn(hop, greeted, fail, () => {
          end()
          try {
            resolve(adopt(takeOver(greeted)))
          } catch (cause) {
            fail(cause)
          }
        })
      })
    })
  })
}

/**
 * How long to try one address of a host with several before the next (RFC 8305). Node's 250 ms is meant for browsers.
 */
const ATTEMPT = 3_000

function connectSocket(hop: Hop): net.Socket {
  const { host, secure, tls: tlsOptions } = hop
  const target = { ...targetOf(hop), autoSelectFamilyAttemptTimeout: ATTEMPT }
  if (!secure) return connectPlain(target)
  const servername = tlsOptions?.servername ?? (net.isIP(host) === 0 ? host : undefined)
  return tls.connect({ ...tlsOptions, ...target, ...(servername === undefined ? {} : { servername }) })
}

type Fail = (cause: unknown) => void

function handshake(
  hop: Hop,
  socket: net.Socket,
  sends: (command: string) => void,
  fail: Fail,
  done: (connection: SMTPConnection) => void,
) {
  const connection = new SMTPConnection({
    host: hop.host,
    port: hop.port,
    connection: socket,
    secure: hop.secure,
    secured: hop.secure,
    requireTLS: hop.requireTls,
    opportunisticTLS: hop.starttls === 'try',
    ignoreTLS: hop.starttls === 'never',
    // the only way to learn that STARTTLS is under way
    transactionLog: true,
    logger: { ...quiet, debug: ({ tnx }: { tnx?: string }, command: string) => tnx === 'client' && sends(command) },
    name: hop.name,
    tls: { ...hop.tls },
    // longer than our own timer, which is the one that counts
    connectionTimeout: hop.connectTimeout * 2,
    greetingTimeout: hop.connectTimeout * 2,
    socketCloseTimeout: 0,
  })
  connection.on('error', fail)
  connection.connect((error) => (error ? fail(error) : done(connection)))
  return connection
}

const nothing = () => {}
const quiet = { trace: nothing, info: nothing, warn: nothing, error: nothing, fatal: nothing }

function logIn({ auth }: Hop, connection: SMTPConnection, fail: Fail, done: () => void): void {
  if (!auth) done()
  else if (connection.allowsAuth) connection.login({ ...auth }, (error) => (error ? fail(error) : done()))
  else fail(new NoLogin('the server offers no AUTH; leave auth out, or see whether it offers it only after TLS'))
}
