import type { HopTrouble, Refused } from '../../../core/ports/mail-transport.ts'
import type { Hop } from './hop.ts'
import { ForbiddenAddress } from './public-only.ts'
import { type Reply, refusalOf } from './reply.ts'
import type { Hide } from './secrets.ts'

/** The step at which a connection failed. */
export type ConnectStep = 'connect' | 'greet' | 'encrypt' | 'log in'

/** A refusal because no connection could be made, with the reason for people who set a transport up. */
export interface NotConnected extends Refused {
  /** See `MailTransport.check`. */
  readonly trouble?: HopTrouble
}

/** No connection could be made, so nothing was delivered. The message is a sentence for the operator. */
export class ConnectProblem extends Error {
  override readonly name = 'ConnectProblem'
  readonly refused: NotConnected
  /** See `MailTransport.check`. */
  readonly trouble: HopTrouble | undefined

  constructor(hop: Hop, step: ConnectStep, cause: unknown, hide: Hide) {
    const reply = replyIn(cause)
    const said = reply ? answered(hop, step, reply, codeOf(cause)) : explained(hop, step, cause)
    const reason = hide(`${hop.host}:${hop.port}: ${said}`)
    super(reason, { cause: hidden(cause, hide) })
    const trouble = reply ? troubleOfReply(step, reply, codeOf(cause)) : troubleOf(hop, step, cause)
    this.trouble = trouble
    const { code, enhancedCode } = reply ? refusalOf('connect', reply) : {}
    this.refused = {
      outcome: 'refused',
      permanent: false,
      stage: 'connect',
      ...(isOfTls(step, cause, reply) ? { noTls: true } : {}),
      ...(trouble === undefined ? {} : { trouble }),
      ...(code === undefined ? {} : { code }),
      ...(enhancedCode === undefined ? {} : { enhancedCode }),
      reason,
    }
  }
}

/** The server offers no AUTH. */
export class NoLogin extends Error {
  override readonly name = 'NoLogin'
}

/** The server did not answer in time. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout'
}

/** Whether TLS is what failed: a certificate, the handshake, which a server may also break off, or a refusal of STARTTLS. */
function isOfTls(step: ConnectStep, cause: unknown, reply: Reply | undefined): boolean {
  const code = codeOf(cause)
  if (reply) return code === 'ETLS'
  if (step === 'encrypt') return true
  const message = cause instanceof Error ? cause.message : ''
  return (code !== undefined && (CERTIFICATE.test(code) || OF_TLS.test(code))) || OF_OPENSSL.test(message)
}

function answered(hop: Hop, step: ConnectStep, { code, text }: Reply, errorCode: string | undefined): string {
  const words = `${code} ${text.replaceAll('\n', ' ')}`
  if (step === 'log in') return `the server refused the login of ${JSON.stringify(hop.auth?.user ?? '')}: ${words}`
  // 454 is "not now" (RFC 3207); only a permanent refusal means that there is none
  if (errorCode === 'ETLS') return `${code < 500 ? TLS_LATER : NO_TLS}: ${words}`
  return `the server does not want to talk to us: ${words}`
}

function troubleOfReply(step: ConnectStep, { text }: Reply, errorCode: string | undefined): HopTrouble {
  if (errorCode === 'ETLS') return 'no-starttls'
  if (/STARTTLS/i.test(text)) return 'wants-tls'
  return step === 'log in' ? 'login' : 'turned-away'
}

/** Words for people, by error code. */
const TROUBLES: Readonly<Record<string, HopTrouble>> = {
  ECONNREFUSED: 'port-refused',
  ENOTFOUND: 'host-unknown',
  EAI_AGAIN: 'dns',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'no-answer',
  ECONNRESET: 'closed',
  EPIPE: 'closed',
  CERT_HAS_EXPIRED: 'certificate-expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate-name',
  HOSTNAME_MISMATCH: 'certificate-name',
}

/** The trouble with a server that is silent at a step. */
const TOO_LATE: Readonly<Record<ConnectStep, HopTrouble>> = {
  connect: 'no-answer',
  greet: 'no-greeting',
  encrypt: 'tls',
  'log in': 'no-answer',
}

function troubleOf({ secure }: Hop, step: ConnectStep, cause: unknown): HopTrouble | undefined {
  if (cause instanceof ConnectTimeout) return TOO_LATE[step]
  if (cause instanceof NoLogin) return 'no-login'
  if (cause instanceof ForbiddenAddress) return 'forbidden'
  const code = codeOf(cause)
  const message = cause instanceof Error ? cause.message : ''
  const known = code === undefined ? undefined : TROUBLES[code]
  if (known === 'closed' && secure && step === 'connect') return 'closed-before-tls'
  if (known) return known
  if (code !== undefined && CERTIFICATE.test(code)) return 'certificate'
  if (code !== undefined && NO_TLS_SPOKEN.test(code) && secure) return 'not-tls'
  if ((code !== undefined && OF_TLS.test(code)) || OF_OPENSSL.test(message)) return 'tls'
  return message === 'Connection closed unexpectedly' ? 'closed' : undefined
}

const NO_TLS =
  'the server offers no TLS (STARTTLS), and nothing is sent in the clear; only on a line you trust set requireTls to false'

const TLS_LATER = 'the server cannot start TLS just now (STARTTLS), and nothing is sent in the clear'

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
}

/** Error codes of the TLS library for an answer that is not TLS. */
const NO_TLS_SPOKEN = /^(?:ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)|EPROTO)$/

/** The problem with a certificate, by the error's code. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its authority is not known here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its authority is not known here, or the server leaves out the certificates between',
  UNABLE_TO_GET_ISSUER_CERT: 'its authority is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its authority is not known here',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet; is the clock right?',
  CERT_REVOKED: 'it was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
  HOSTNAME_MISMATCH: 'it is for another name',
}
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME/

const OF_TLS = /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/
const OF_OPENSSL = /\bSSL routines\b|\bopenssl\b/i

/** Why both sides could not agree on TLS; the library's own words are for its authors. */
function tlsFailed(code: string, step: ConnectStep, secure: boolean): string {
  if (NO_TLS_SPOKEN.test(code) && secure)
    return 'the server does not speak TLS from the start on this port; set secure to false'
  if (NO_TLS_SPOKEN.test(code)) return 'the server said it would speak TLS and then did not'
  if (/VERSION|PROTOCOL/.test(code)) return 'the server and this one have no version of TLS in common'
  if (/CIPHER|HANDSHAKE_FAILURE|SIGALG|GROUP|DH_KEY|EE_KEY|CA_MD/.test(code))
    return 'the server and this one have no cipher or key of TLS in common, or its key is too weak'
  return `TLS failed while we were trying to ${step}`
}

function explained(hop: Hop, step: ConnectStep, cause: unknown): string {
  if (cause instanceof ConnectTimeout) return waited(hop, step)
  if (cause instanceof ForbiddenAddress) return cause.message
  const code = codeOf(cause)
  const message = cause instanceof Error ? cause.message : String(cause)
  if (code === 'ECONNRESET' && hop.secure && step === 'connect') {
    return 'the server closed the connection instead of beginning with TLS (ECONNRESET); if this port expects STARTTLS (as 587 does), set secure to false'
  }
  if (code !== undefined && SENTENCES[code]) return `${SENTENCES[code]} (${code})`
  if (code !== undefined && CERTIFICATE.test(code)) {
    const [, wanted, names] = /Host: (\S{1,255}?)\.? is not.{1,40}altnames: (.{1,300})/.exec(message) ?? []
    const what =
      wanted && names ? `it is for ${names}, not for ${wanted}` : (CERTIFICATES[code] ?? 'it cannot be verified')
    return `the TLS certificate is not trusted: ${what} (${code}); name its authority in tls.ca or its name in tls.servername`
  }
  if (code !== undefined && OF_TLS.test(code)) return `${tlsFailed(code, step, hop.secure)} (${code})`
  // "error:0A000126:SSL routines::…" without a code
  if (OF_OPENSSL.test(message)) return tlsFailed('', step, hop.secure)
  if (code === 'ECONNRESET' || code === 'EPIPE' || message === 'Connection closed unexpectedly') {
    return `the server closed the connection while we were trying to ${step}`
  }
  return `trying to ${step} failed: ${message}`
}

/** An error of an open connection, as a sentence may quote it. */
export function brokenBy(cause: Error): string {
  return OF_OPENSSL.test(cause.message) ? 'TLS failed' : cause.message
}

function waited(hop: Hop, step: ConnectStep): string {
  const seconds = hop.connectTimeout / 1000
  if (step === 'connect') return `no connection within ${seconds} s; a firewall may be in the way`
  if (step === 'log in') return `no answer to the login within ${seconds} s`
  if (step === 'encrypt') return `TLS was not agreed on within ${seconds} s of the connection`
  const hint = hop.secure ? '' : '; if this port expects TLS from the start (as 465 does), set secure to true'
  return `connected, but not greeted within ${seconds} s${hint}`
}

/** The system's error code. Nodemailer sets its own and keeps the system's as `originalCode`. */
function codeOf(cause: unknown): string | undefined {
  for (const field of ['originalCode', 'code']) {
    const code: unknown = Reflect.get(Object(cause), field)
    if (typeof code === 'string') return code
  }
  return undefined
}

/** The server's reply, if nodemailer failed because of one. */
function replyIn(cause: unknown): Reply | undefined {
  const response: unknown = Reflect.get(Object(cause), 'response')
  if (typeof response !== 'string') return undefined
  const code = Number(response.slice(0, 3))
  if (!(code >= 200 && code < 600)) return undefined
  return { code, text: response.replace(/^\d{3}[ -]?/gm, '') }
}
