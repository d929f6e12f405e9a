import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Parser } from 'htmlparser2'
import type { Engine } from '../core/engine.ts'
import { definePlugin } from '../core/plugin/plugin.ts'
import type { Plugin } from '../core/plugin/types.ts'
import type { Clock } from '../core/ports/clock.ts'
import type { Mailbox, OutgoingAttachment, OutgoingMail, Refusal, SendResult } from '../core/ports/mail-transport.ts'
import type { Project } from '../core/ports/store/projects.ts'
import { domainOf } from '../core/values/email-address.ts'
import type { WaitOptions } from '../core/values/wait.ts'
import { disk } from '../plugins/blobs-disk/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import { createEngine, type GivenSettings } from './library.ts'

/** A mail that the inbox got: what its recipient sees. */
export interface ReceivedMail {
  /** The id of its e-mail record, as `engine.mails.get` takes it. */
  readonly id: string
  /** The sender. */
  readonly from: Mailbox
  /** The addresses that it went to, blind copies included. */
  readonly to: readonly string[]
  /** The subject, filled in for the recipient. */
  readonly subject: string
  /** The HTML, filled in; an empty string when there is none. */
  readonly html: string
  /** The plain text, filled in. */
  readonly text: string
  /** Where the links of the HTML lead, in their order; those of the text when there is no HTML. */
  readonly links: readonly string[]
  /** Header fields besides those every mail has, by their names in lower case, such as `list-unsubscribe`. */
  readonly headers: Readonly<Record<string, string>>
  /** The attachments, with their bytes. */
  readonly attachments: readonly OutgoingAttachment[]
  /** The tags that it was sent with. */
  readonly tags: Readonly<Record<string, string>>
  /** The whole message, as an SMTP server would get it. */
  readonly raw: Buffer
}

/** Mails of an inbox, oldest first. */
export interface ReceivedMails {
  /** All of them. */
  readonly mails: readonly ReceivedMail[]
  /** The newest. Throws an Error that names the mails there are, if there is none. */
  last(): ReceivedMail
}

/** How a recipient is refused. */
export interface RefusedAddress {
  /** The SMTP code: 550 is a bounce, 451 means "later". Default 550. */
  readonly code?: number
  /** The server's reply. Default `5.1.1 No such user`. */
  readonly reason?: string
}

/** Mails in memory. */
export interface Inbox extends ReceivedMails {
  /** The transport that puts the mails here: `transports: [inbox.transport]`. */
  readonly transport: Plugin<'transport'>
  /** The mails to this address, in any letter case. */
  to(address: string): ReceivedMails
  /** Refuses mail to this address from now on, or to all addresses of a domain (`example.com`). */
  refuse(addressOrDomain: string, how?: RefusedAddress): void
  /** Forgets all mails, and who is refused. */
  clear(): void
}

/** Makes an inbox. The engine hands its mail to `transport`, as to a real one; it then is in `mails`. */
export function memoryInbox(): Inbox {
  const mails: ReceivedMail[] = []
  const refused = new Map<string, RefusedAddress>()
  const refusalOf = (address: string) => {
    const how = refused.get(address.toLowerCase()) ?? refused.get(domainOf(address.toLowerCase()))
    return how && { ...refusal(how), recipient: address }
  }
  const memory = definePlugin({
    name: 'mail-memory',
    provides: ['transport'],
    open: () => ({
      transport: {
        concurrency: 20,
        reach: 'nobody',
        async send(mail: OutgoingMail): Promise<SendResult> {
          const refusals = mail.envelope.to.flatMap((address) => refusalOf(address) ?? [])
          const taken = mail.envelope.to.filter((address) => !refusals.some(({ recipient }) => recipient === address))
          const [first] = refusals
          if (first && taken.length === 0) return { outcome: 'refused', ...first, refused: refusals }
          mails.push(await receivedMail(mail, taken))
          return { outcome: 'accepted', response: '250 OK', refused: refusals }
        },
      },
    }),
  })
  const every = mailsOf(
    () => mails,
    'no mail',
    () => mails,
  )
  return {
    transport: memory(),
    get mails() {
      return every.mails
    },
    last: () => every.last(),
    to: (address) => {
      const wanted = address.toLowerCase()
      const own = () => mails.filter(({ to }) => to.some((each) => each.toLowerCase() === wanted))
      return mailsOf(own, `no mail to ${address}`, () => mails)
    },
    refuse: (addressOrDomain, how = {}) => void refused.set(addressOrDomain.toLowerCase(), how),
    clear: () => {
      mails.length = 0
      refused.clear()
    },
  }
}

/** A clock that a test moves. */
export interface TestClock extends Clock {
  /** Sets the time. From then on it runs as before. */
  set(to: Date | string | number): void
  /** Moves the time forward, by milliseconds or by what is named. */
  advance(by: number | TimeSpan): void
}

/** A span of time; what is left out is 0. */
export interface TimeSpan {
  /** Days of 24 hours. */
  readonly days?: number
  /** Hours. */
  readonly hours?: number
  /** Minutes. */
  readonly minutes?: number
  /** Seconds. */
  readonly seconds?: number
}

/**
 * Makes a clock that runs as that of the machine does, from `start` on, and can be moved: `createEngine({ clock })`.
 * It asks `Date`, so that it follows a test runner that mocks `Date`.
 */
export function testClock(start?: Date | string | number): TestClock {
  let ahead = 0
  const set = (to: Date | string | number) => {
    const time = new Date(to).getTime()
    if (Number.isNaN(time)) throw new TypeError(`The clock cannot be set to ${String(to)}: it is no time.`)
    ahead = time - Date.now()
  }
  if (start !== undefined) set(start)
  return {
    now: () => new Date(Date.now() + ahead),
    set,
    advance: (by) => {
      const ms = typeof by === 'number' ? by : spanMs(by)
      if (!Number.isFinite(ms))
        throw new TypeError('The clock is moved by a number of milliseconds, or by { days: 1 }.')
      ahead += ms
    },
  }
}

/** The options of `createTestEngine`: settings of an engine, and whether it starts. */
export interface TestEngineSettings extends GivenSettings {
  /** Its clock. Default `testClock()`. */
  readonly clock?: TestClock
  /** Whether it delivers at once. Default true. */
  readonly start?: boolean
}

/** An engine for a test, and what a test looks at. */
export interface TestEngine {
  readonly engine: Engine
  /** The first of its projects. */
  readonly project: Project
  /** The mails that it sent. */
  readonly inbox: Inbox
  /** Its clock. */
  readonly clock: TestClock
  /** As `engine.idle`: answers when all that is due was sent and done. */
  idle(options?: WaitOptions): Promise<void>
  /** Stops it at once, and removes what it kept. */
  stop(): Promise<void>
}

/**
 * Makes an engine for a test: its store and its mails are in memory, its clock can be moved, and it is started. It has
 * the project `Test`, which sends from `example.com`, unless `projects` says otherwise. Any setting of `createEngine` can be given.
 * Throws as `createEngine` does.
 */
export async function createTestEngine(settings: TestEngineSettings = {}): Promise<TestEngine> {
  const { start = true, ...given } = settings
  const inbox = memoryInbox()
  const { clock = testClock() } = settings
  const folder = given.blobs ? undefined : mkdtempSync(join(tmpdir(), 'mailwright-test-'))
  const remove = () => folder && rmSync(folder, { recursive: true, force: true })
  try {
    const engine = await createEngine({
      store: sqlite({ file: ':memory:' }),
      transports: [inbox.transport],
      projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
      ...(folder && { blobs: disk({ directory: folder }) }),
      ...given,
      clock,
      // a thread takes longer to start than most tests to run
      delivery: { threads: 0, ...given.delivery },
    })
    const stop = () => engine.stop(0).finally(remove)
    const [project] = await engine.projects.list()
    if (project === undefined) {
      await stop()
      throw new TypeError(
        'A test engine needs a project: projects: [{ name: "Test", trustedDomains: ["example.com"] }]',
      )
    }
    if (start) await engine.start()
    return { engine, project, inbox, clock, idle: (options) => engine.idle(options), stop }
  } catch (error) {
    remove()
    throw error
  }
}

function mailsOf(
  mails: () => readonly ReceivedMail[],
  none: string,
  all: () => readonly ReceivedMail[],
): ReceivedMails {
  return {
    get mails() {
      return [...mails()]
    },
    last() {
      const last = mails().at(-1)
      if (last) return last
      const there = all().map(({ to, subject }) => `${to.join(', ')} (${subject})`)
      const others = there.length === 0 ? 'The inbox is empty' : `There are ${there.length}: ${there.join('; ')}`
      throw new Error(`There is ${none}. ${others}. Mail is sent in the background: await engine.idle() first.`)
    },
  }
}

async function receivedMail(mail: OutgoingMail, to: readonly string[]): Promise<ReceivedMail> {
  const { id, from, subject, html = '', text, attachments, tags } = mail
  const headers = Object.fromEntries(mail.headers.map(([name, value]) => [name.toLowerCase(), value]))
  const links = html === '' ? linksInText(text) : linksInHtml(html)
  return { id, from, to, subject, html, text, links, headers, attachments, tags, raw: Buffer.from(await mail.raw()) }
}

function linksInHtml(html: string): readonly string[] {
  const links: string[] = []
  const parser = new Parser({
    onopentag(name, { href }) {
      if ((name === 'a' || name === 'area') && href) links.push(href)
    },
  })
  parser.end(html)
  return links
}

function linksInText(text: string): readonly string[] {
  return text.match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]]/g) ?? []
}

function refusal({ code = 550, reason = '5.1.1 No such user' }: RefusedAddress): Refusal {
  const [, enhancedCode, text = reason] = /^([245]\.\d{1,3}\.\d{1,3}) (.*)$/s.exec(reason) ?? []
  return { permanent: code >= 500, stage: 'rcpt', code, ...(enhancedCode && { enhancedCode }), reason: text }
}

function spanMs({ days = 0, hours = 0, minutes = 0, seconds = 0 }: TimeSpan): number {
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000
}
