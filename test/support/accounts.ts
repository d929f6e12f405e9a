import { simpleParser } from 'mailparser'
import type { GivenSettings } from '../../config/library.ts'
import type { AppOptions } from '../../server/app.ts'
import { type Answer, type AskOptions, PROJECT, PUBLIC, SECRET, type TestApp, testApp } from './app.ts'
import { LINK_SETTINGS } from './contact-links.ts'
import { atEndOfFile } from './end-of-file.ts'
import { toSink } from './engine.ts'
import type { StoreCase } from './matrix.ts'
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts'
import { until } from './until.ts'

export const ORIGIN = LINK_SETTINGS.publicUrl
export const PASSWORD = 'correct horse battery'

/** Hashes quickly, and sends mail about accounts. */
const ACCOUNTS = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com' } as const

/** A browser with a login. */
export interface Browser {
  readonly id: string
  readonly email: string
  /** The `Cookie` field. */
  readonly cookie: string
  /** Asks with the cookie, from a page of this server unless the headers say otherwise. */
  ask(method: string, path: string, options?: AskOptions): Promise<Answer>
}

export interface AccountWorld extends TestApp {
  readonly sink: SmtpSink
  /** Sets the engine's clock forward. */
  pass(seconds: number): void
  /** Asks without key and cookie. */
  open(method: string, path: string, json?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Signs a new user up; `fields` may name the address. */
  signup(fields?: object): Promise<Browser>
  /** The browser that was given this answer's cookie. */
  browserOf(answer: Answer): Browser
  /** The path of the link in the latest mail to this address about this; of one that comes after the `before` one. */
  linkTo(email: string, page: string, before?: string): Promise<string>
}

let count = 0

/** An address that is not used yet. */
export function newAddress(): string {
  return `person${++count}@example.org`
}

/** The API over a running engine that sends to a sink, with a clock of its own. */
export async function accountWorld(
  store: Pick<StoreCase, 'store'>,
  { accounts = ACCOUNTS, ...settings }: GivenSettings = {},
  options: AppOptions = {},
): Promise<AccountWorld> {
  const sink = await startSmtpSink()
  atEndOfFile(() => sink.close())
  let ahead = 0
  const test = await testApp(
    store,
    { hookFailuresPerMinutePerIp: 100_000, failuresPerMinutePerIp: 100_000, ...options },
    {
      ...LINK_SETTINGS,
      clock: { now: () => new Date(Date.now() + ahead) },
      projects: [{ id: PROJECT, name: 'Test', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] }],
      accounts,
      transports: [toSink(sink)],
      delivery: { threads: 0 },
      ...settings,
    },
  )
  await test.engine.start()
  const open: AccountWorld['open'] = (method, path, json, headers = {}) =>
    test.ask(method, path, { key: null, ...(json === undefined ? {} : { json }), headers })
  const browserOf: AccountWorld['browserOf'] = ({ body, headers }) => {
    const cookie = cookieOf(headers)
    return {
      id: body.data.id,
      email: body.data.email,
      cookie,
      ask: (method, path, asked = {}) =>
        test.ask(method, path, { key: null, ...asked, headers: { origin: ORIGIN, cookie, ...asked.headers } }),
    }
  }
  return {
    ...test,
    sink,
    open,
    browserOf,
    pass: (seconds) => {
      ahead += seconds * 1000
    },
    signup: async (fields = {}) => {
      const answer = await open('POST', '/auth/signup', { email: newAddress(), password: PASSWORD, ...fields })
      if (answer.status !== 200) throw new Error(`nobody signed up: ${answer.text}`)
      return browserOf(answer)
    },
    linkTo: async (email, page, before) => {
      const pattern = new RegExp(`${ORIGIN}(/auth/${page}/[\\w-]+)`)
      return until(`a link to ${page} for ${email}`, async () => {
        for (const mail of sink.messages.filter(({ to }) => to.includes(email)).toReversed()) {
          const link = pattern.exec((await simpleParser(mail.raw)).text ?? '')?.[1]
          if (link) return link === before ? undefined : link
        }
        return undefined
      })
    },
  }
}

/** The session cookie of an answer, as a browser would send it again. */
export function cookieOf(headers: Headers): string {
  const set = headers.getSetCookie().find((cookie) => cookie.includes('mailwright_session='))
  if (set === undefined) throw new Error('the answer sets no session')
  return set.split(';', 1)[0]!
}

/** The token of a link's path. */
export function tokenOf(link: string): string {
  return link.slice(link.lastIndexOf('/') + 1)
}
