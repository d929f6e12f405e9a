import type { Refused } from '../../core/ports/mail-transport.ts'
import type { Hop } from './hop.ts'
import { type Reply, refusalOf } from './reply.ts'
import type { Hide } from './secrets.ts'

/** The step at which a connection failed. */
export type ConnectStep = 'connect' | 'greet' | 'log in'

/** No connection could be made, so nothing was delivered. The message is a sentence for the operator. */
export class ConnectProblem extends Error {
  override readonly name = 'ConnectProblem'
  readonly refused: Refused

  constructor(hop: Hop, step: ConnectStep, cause: unknown, hide: Hide) {
    const reply = replyIn(cause)
    const said = reply ? answered(hop, step, reply, codeOf(cause)) : explained(hop, step, cause)
    const reason = hide(`${hop.host}:${hop.port}: ${said}`)
    super(reason, { cause: hidden(cause, hide) })
    const { code, enhancedCode } = reply ? refusalOf('connect', reply) : {}
    this.refused = {
      outcome: 'refused',
      permanent: false,
      stage: 'connect',
      ...(code === undefined ? {} : { code }),
      ...(enhancedCode === undefined ? {} : { enhancedCode }),
      reason,
    }
  }
}

/** The server did not answer in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

function answered(hop: Hop, step: ConnectStep, { code, text }: Reply, errorCode: string | undefined): string {
  const words = `${code} ${text.replaceAll('\n', ' ')}`
  if (step === 'log in') return `the server refused the login of ${JSON.stringify(hop.auth?.user ?? '')}: ${words}`
  if (errorCode === 'ETLS') return `${NO_TLS}: ${words}`
  return `the server does not want to talk to us: ${words}`
}

const NO_TLS =
  'the server offers no TLS (STARTTLS), and nothing is sent in the clear; only on a line you trust set requireTls to false'

/** A copy without secrets, since nodemailer's error quotes the server in its message, its stack and its own fields. */
function hidden(cause: unknown, hide: Hide): Error {
  if (!(cause instanceof Error)) return new Error(hide(String(cause)))
  const copy = new Error(hide(cause.message))
  copy.name = cause.name
  copy.stack = hide(cause.stack ?? '')
  const code = codeOf(cause)
  return code === undefined ? copy : Object.assign(copy, { code })
}

/** Sentences for operators, by error code. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing accepts connections there; is the server running, and is the port right?',
  ENOTFOUND: 'no such host name',
  EAI_AGAIN: 'the name server does not answer, so the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached from here',
  ENETUNREACH: 'the network of the host cannot be reached from here',
  ETIMEDOUT: 'the host does not answer; a firewall may be in the way',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS from the start on this port; set secure to false',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS from the start on this port; set secure to false',
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/

function explained(hop: Hop, step: ConnectStep, cause: unknown): string {
  if (cause instanceof ConnectTimeout) return waited(hop, step)
  const code = codeOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  if (code !== undefined && SENTENCES[code]) return `${SENTENCES[code]} (${code})`
  if (code !== undefined && CERTIFICATE.test(code)) {
    return `the TLS certificate is not trusted: ${message} (${code}); name its authority in tls.ca or its name in tls.servername`
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || message === 'Connection closed unexpectedly') {
    return `the server closed the connection while we were trying to ${step}`
  }
  return `trying to ${step} failed: ${message}`
}

function waited(hop: Hop, step: ConnectStep): string {
  const seconds = hop.connectTimeout / 1000
  if (step === 'connect') return `no connection within ${seconds} s; a firewall may be in the way`
  if (step === 'log in') return `no answer to the login within ${seconds} s`
  const hint = hop.secure ? '' : '; if this port expects TLS from the start (as 465 does), set secure to true'
  return `connected, but not greeted within ${seconds} s${hint}`
}

/** The system's error code. Nodemailer sets its own and keeps the system's as `originalCode`. */
function codeOf(cause: unknown): string | undefined {
  for (const field of ['originalCode', 'code']) {
    const code: unknown = cause instanceof Error ? Reflect.get(cause, field) : undefined
    if (typeof code === 'string') return code
  }
  return undefined
}

/** The server's reply, if nodemailer failed because of one. */
function replyIn(cause: unknown): Reply | undefined {
  const response: unknown = cause instanceof Error ? Reflect.get(cause, 'response') : undefined
  if (typeof response !== 'string') return undefined
  const code = Number(response.slice(0, 3))
  if (!(code >= 200 && code < 600)) return undefined
  return { code, text: response.replace(/^\d{3}[ -]?/gm, '') }
}
