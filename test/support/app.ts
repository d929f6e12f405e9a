import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createEngine, type Engine, type GivenSettings, type Log, type Plugin } from '../../config/library.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { type App, type AppOptions, createApp } from '../../server/index.ts'
import { requireDocumented } from './documented.ts'
import { atEndOfFile } from './end-of-file.ts'
import { noteMail } from './every-mail.ts'
import { noteLine, noteSecrets } from './logged-secrets.ts'
import type { StoreCase } from './matrix.ts'

export const SECRET = `sk_${'a'.repeat(48)}`
export const PUBLIC = `pk_${'a'.repeat(48)}`
/** The keys of another project of the same engine. */
export const OTHER_SECRET = `sk_${'b'.repeat(48)}`
/** The keys of a disabled project. */
export const DISABLED_SECRET = `sk_${'d'.repeat(48)}`
export const DISABLED_PUBLIC = `pk_${'d'.repeat(48)}`

/** The id of the project whose keys `SECRET` and `PUBLIC` are. */
export const PROJECT = '01900000-0000-7000-8000-00000000aaaa'

/** A valid send. */
export const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi', body: '<p>Hello</p>' }

/** An answer with its body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The parsed JSON; undefined when the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  readonly body: any
}

export interface AskOptions {
  /** The API key; null sends none. Default the secret one. */
  readonly key?: string | null
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as given. */
  readonly raw?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestApp {
  readonly app: App
  readonly engine: Engine
  /** All log lines so far. */
  readonly lines: readonly LogLine[]
  /** Sends a request in-process: `ask('POST', '/v1/send', { json: MAIL })`. Rejects with the cause of a 500. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
  /** How many contacts, e-mails and events the project of this key has. */
  counts(key?: string): Promise<{ contacts: number; emails: number; events: number }>
}

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/**
 * The API over a real engine with three projects. Its mail is written to a folder, which is
 * removed when the test file ends.
 */
export async function testApp(
  { store }: Pick<StoreCase, 'store'> | { readonly store: () => Plugin<'store'> },
  options: AppOptions = {},
  settings: GivenSettings = {},
): Promise<TestApp> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-http-'))
  const { log, lines } = recordingLog()
  const engine = await createEngine({
    store: store(),
    transports: [outbox({ directory: join(folder, 'outbox') })],
    blobs: disk({ directory: join(folder, 'blobs') }),
    projects: [
      { id: PROJECT, name: 'Test', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] },
      { name: 'Other', secretKey: OTHER_SECRET, trustedDomains: ['example.com', 'other.example'] },
      {
        ...{ name: 'Disabled', disabled: true, trustedDomains: ['example.com'] },
        ...{ secretKey: DISABLED_SECRET, publicKey: DISABLED_PUBLIC },
      },
    ],
    log,
    ...settings,
  })
  atEndOfFile(async () => {
    await engine.stop()
    noteOutbox(join(folder, 'outbox'))
    rmSync(folder, { recursive: true, force: true })
  })
  const app = createApp(engine, { requestsPerMinute: 1_000_000, ...options })
  const ask: TestApp['ask'] = async (method, path, asked) => {
    const answer = await askApp(app, method, path, asked)
    if (answer.status !== 500) return answer
    throw new Error(`${method} ${path} failed`, {
      cause: lines.findLast(({ level }) => level === 'error')?.fields.error,
    })
  }
  return { app, engine, lines, ask, counts: (key = SECRET) => countsOf(ask, key) }
}

/** A project of its own in an engine that is there already, asked with its secret key: it has nothing yet. */
export async function ownProject({ engine, ask }: TestApp): Promise<Pick<TestApp, 'ask' | 'counts'>> {
  const secretKey = `sk_${randomBytes(24).toString('hex')}`
  await engine.projects.applySettings([{ name: `Own ${secretKey}`, secretKey, trustedDomains: ['example.com'] }])
  const asOwn: TestApp['ask'] = (method, path, asked) => ask(method, path, { key: secretKey, ...asked })
  return { ask: asOwn, counts: (key = secretKey) => countsOf(ask, key) }
}

/** Checks the mail in the outbox against the standards. Its envelopes are not known. */
function noteOutbox(directory: string): void {
  for (const file of existsSync(directory) ? readdirSync(directory) : []) {
    if (file.endsWith('.eml'))
      noteMail({ from: '', to: ['unknown@example.org'], raw: readFileSync(join(directory, file)) })
  }
}

/** Sends one request to an app in-process and reads the answer. */
export async function askApp(app: App, method: string, path: string, options: AskOptions = {}): Promise<Answer> {
  const { key = SECRET, json, raw } = options
  const headers = new Headers(options.headers)
  if (key !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`)
  if (json !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json')
  const sent = json === undefined ? raw : JSON.stringify(json)
  const stream = sent instanceof ReadableStream ? { duplex: 'half' as const } : {}
  const response = await app.request(path, {
    method,
    headers,
    ...(sent === undefined ? {} : { body: sent }),
    ...stream,
  })
  const text = await response.text()
  noteSecrets(path, headers, typeof sent === 'string' ? sent : '', text)
  noteSecrets('', response.headers)
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json')
  const body = isJson ? JSON.parse(text) : undefined
  const answer = { status: response.status, headers: response.headers, text, body }
  requireDocumented(method, path, answer)
  return answer
}

/** Checks the flat error body, with its header fields and types. */
export function expectFlat({ status, body }: Answer, expected: 400 | 401): void {
  expect({ status, body }).toEqual({
    status: expected,
    body: {
      code: expected,
      error: expected === 400 ? 'Bad Request' : 'Unauthorized',
      message: expect.any(String),
      time: expect.any(Number),
    },
  })
  expect(body.message).not.toBe('')
}

/** Checks the envelope error body: status, code, and the given fields as `field: code`. */
export function expectEnvelope(answer: Answer, status: number, code: string, fields?: Record<string, unknown>): void {
  const { body, headers } = answer
  expect({ status: answer.status, code: body?.error?.code, body }).toMatchObject({ status, code })
  expect(body).toMatchObject({
    success: false,
    error: { code, message: expect.any(String), statusCode: status, requestId: headers.get('x-request-id') },
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    message: body.error.message,
  })
  if (fields === undefined) return
  const errors: readonly { field: string; code: string; message: string }[] = body.error.errors ?? []
  // The first problem of a field is the one that counts
  const found = Object.fromEntries(errors.map(({ field, code }) => [field, code] as const).toReversed())
  expect(found).toMatchObject(fields)
  for (const { message } of errors) expect(message).toEqual(expect.any(String))
}

async function countsOf(ask: TestApp['ask'], key: string) {
  const contacts = await ask('GET', '/contacts?limit=1', { key })
  const emails = await ask('GET', '/emails?limit=1', { key })
  const stats = await ask('GET', '/events/stats', { key })
  const events = stats.body.reduce((sum: number, { count }: { count: number }) => sum + count, 0)
  return { contacts: contacts.body.total, emails: emails.body.total, events }
}

function recordingLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = []
  const make = (always: Readonly<Record<string, unknown>>): Log => {
    const at = (level: LogLine['level']) => (message: string, fields?: Readonly<Record<string, unknown>>) => {
      const line = { level, message, fields: { ...always, ...fields } }
      lines.push(line)
      noteLine(line)
    }
    const [debug, info, warn, error] = [at('debug'), at('info'), at('warn'), at('error')]
    return { debug, info, warn, error, with: (fields) => make({ ...always, ...fields }) }
  }
  return { log: make({}), lines }
}
