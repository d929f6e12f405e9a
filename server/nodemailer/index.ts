import type { Transport, TransportOptions } from 'nodemailer'
import type { Engine } from '../../core/engine.ts'
import { EngineError } from '../../core/errors.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import { knownOptions } from '../../core/values/options.ts'
import { refused } from '../../core/values/parse.ts'
import { statusOf } from '../http/errors.ts'
import { version } from '../version.ts'

/** A running server, and the secret key to send with. */
export interface ServerTarget {
  /** Its address: `https://mail.example.com`. */
  readonly baseUrl: string
  /** A secret key (`sk_…`). */
  readonly key: string
  /** Instead of the global `fetch`, such as one with a proxy or a time limit. */
  readonly fetch?: typeof fetch
}

/** An engine in this process, and the project that sends. */
export interface EngineTarget {
  /** As `createEngine` answers it. */
  readonly engine: { readonly submissions: Pick<Engine['submissions'], 'send'> }
  /** As `engine.projects` answers it. */
  readonly project: Project
}

/** More about a mail than nodemailer knows, as `mailwright` beside its own options. */
export interface MailwrightOptions {
  /** The same key and message within 24 hours is sent once. Without it the Message-ID counts so. */
  readonly idempotencyKey?: string
  /** The earliest time to send, at most 30 days ahead. */
  readonly scheduledFor?: Date | string
  /** Short texts by name, to find the mail again. */
  readonly tags?: Readonly<Record<string, string>>
}

/** The answer of `sendMail`: the mail is stored, and will be sent whatever happens to the process. */
export interface AcceptedMessage {
  /** The id of the record of the first recipient. */
  readonly id: string
  /** The ids of the records of all recipients, in the order of `accepted`. */
  readonly ids: readonly string[]
  /** The Message-ID. */
  readonly messageId: string
  /** The return path and the recipients. */
  readonly envelope: { readonly from: string | false; readonly to: string[] }
  /** All recipients: they are tried after the answer. */
  readonly accepted: string[]
  /** Always empty: a mail is accepted for all of its recipients or for none. */
  readonly rejected: string[]
  /** One line for a log. */
  readonly response: string
}

interface Sent {
  readonly emails: readonly { readonly email: string; readonly contact: { readonly email: string } }[]
}

const OPTIONS = { idempotencyKey: true, scheduledFor: true, tags: true } as const

/** Options of nodemailer that speak to the next SMTP server, which is not known yet when the mail is taken. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  dsn: 'is not sent on: the record of each mail, and webhooks, tell what becomes of it',
  requireTLSExtensively: 'is not sent on: each transport of the engine has its own rules for TLS',
  auth: 'is not used: mail is taken for the key or the project of the transport',
}

/**
 * A transport of nodemailer that sends through a Mailwright server or engine: `createTransport(mailwright({ baseUrl, key
 * }))`. All options of a message work, and what nodemailer composes is sent as it is. `sendMail` answers once the mail is
 * stored, and rejects with an Error that has the `code` and `responseCode` of the refusal when it is not.
 */
export function mailwright(target: ServerTarget | EngineTarget): Transport<AcceptedMessage, TransportOptions> {
  return {
    name: 'Mailwright',
    version: version(),
    send({ message, data }, callback) {
      const envelope = message.getEnvelope()
      message.build((error, raw) => {
        if (error) return callback(error)
        taken(data, envelope)
          .then((own) => sent(target, { ...envelope, raw }, own))
          .catch((cause) => {
            throw withStatus(cause)
          })
          .then(({ emails }) => {
            const ids = emails.map(({ email }) => email)
            const accepted = emails.map(({ contact }) => contact.email)
            const response = `250 2.0.0 accepted as ${ids.join(' ')}`
            const messageId = (data.raw && messageIdIn(raw)) || message.messageId()
            return { id: ids[0] ?? '', ids, messageId, envelope, accepted, rejected: [], response }
          })
          .then(
            (info) => callback(null, info),
            (cause) => callback(cause),
          )
      })
    },
    verify(callback?: (error: Error | null, success?: true) => void) {
      const verified = verify(target)
      if (callback === undefined) return verified
      verified.then(
        () => callback(null, true),
        (cause) => callback(cause),
      )
    },
  }
}

/** The options that are given beside nodemailer's own. Throws EngineError `VALIDATION_ERROR` for what would do nothing. */
async function taken(data: object, envelope: object): Promise<MailwrightOptions> {
  const given: Readonly<Record<string, unknown>> = { ...envelope, ...data }
  const named = Object.entries(NOT_TAKEN).filter(([name]) => given[name] != null && given[name] !== false)
  if (named.length > 0) throw refused(named.map(([field, message]) => ({ field, code: 'custom', message })))
  return knownOptions((given.mailwright ?? {}) as MailwrightOptions, OPTIONS)
}

/** Nodemailer makes up another for a message that is given whole. */
function messageIdIn(raw: Buffer): string | undefined {
  const [header = ''] = raw.toString('latin1').split(/\r?\n\r?\n/, 1)
  return /^message-id:\s*(<[^>\s]+>)/im.exec(header)?.[1]
}

/** An error of the engine as one over HTTP is. */
function withStatus(cause: unknown): unknown {
  return EngineError.is(cause) ? Object.assign(cause, { responseCode: statusOf(cause.code) }) : cause
}

/** Asks whether the server is there and takes mail for the key, by a mail that is none. Rejects with its reason. */
async function verify(target: ServerTarget | EngineTarget): Promise<true> {
  if ('engine' in target) return true
  const { response, answer } = await asked(target, {})
  if (answer.error?.code === 'VALIDATION_ERROR') return true
  throw failure(response, answer)
}

/** The body of an answer of the server. */
interface Answer {
  readonly data?: Sent
  readonly error?: { readonly code: string }
  readonly message?: string
}

interface Composed {
  readonly from: string | false
  readonly to: readonly string[]
  readonly raw: Buffer
}

/** A wrong time goes on as it is: its refusal names the field. */
function timeOf(at: Date | string): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? String(at) : time.toISOString()
}

async function sent(target: ServerTarget | EngineTarget, mail: Composed, own: MailwrightOptions): Promise<Sent> {
  const { idempotencyKey, scheduledFor, tags } = own
  const body = {
    message: mail.raw.toString('base64'),
    to: mail.to,
    ...(mail.from ? { from: mail.from } : {}),
    ...(scheduledFor === undefined ? {} : { scheduledFor: timeOf(scheduledFor) }),
    ...(tags === undefined ? {} : { tags }),
  }
  if ('engine' in target) return (await target.engine.submissions.send(target.project, body, { idempotencyKey })).answer
  const { response, answer } = await asked(target, body, idempotencyKey)
  if (response.ok && answer.data) return answer.data
  throw failure(response, answer)
}

async function asked({ baseUrl, key, fetch: ask = fetch }: ServerTarget, body: object, idempotencyKey?: string) {
  const response = await ask(`${baseUrl.replace(/(?<!\/)\/+$/, '')}/v1/send/message`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: JSON.stringify(body),
  })
  return { response, answer: (await response.json().catch(() => ({}))) as Answer }
}

function failure(response: Response, answer: Answer): Error {
  const code = answer.error?.code ?? 'EPROTOCOL'
  const message = answer.message ?? `the server answered ${response.status}`
  return Object.assign(new Error(message), { code, responseCode: response.status, response: message })
}
