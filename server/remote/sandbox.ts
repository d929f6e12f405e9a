import type { components, MailwrightClient } from '../client/index.ts'
import { print, printAll } from './printing.ts'
import { answered, withServer } from './with-server.ts'

/* The mail that was caught instead of sent, by a key of the project. */

interface Asked {
  readonly url?: string
  readonly json?: true
}

interface Narrowed extends Asked {
  readonly to?: string
  readonly since?: string
}

type Caught = components['schemas']['CaughtMail']

/** How many are listed. */
const LISTED = 100
/** How long the server holds a request, in seconds. */
const HELD = 20

/** Prints the caught mails, the newest first. */
export function listCaught({ url, json, to, since }: Narrowed): Promise<number> {
  return withServer(url, async (client) => {
    const { data, total } = await ask(client, { to, since, limit: LISTED })
    const code = printAll(data, json, lineOf, 'caught mail')
    if (total > data.length) process.stderr.write(`These are the newest ${data.length} of ${total}.\n`)
    return code
  })
}

/** Prints the newest caught mail as soon as there is one. Answers 1 when there is none after those seconds. */
export function waitForCaught({
  url,
  json,
  to,
  since,
  seconds,
}: Narrowed & { readonly seconds: number }): Promise<number> {
  return withServer(url, async (client) => {
    const end = performance.now() + seconds * 1000
    for (;;) {
      const left = Math.max(0, Math.ceil((end - performance.now()) / 1000))
      const [mail] = (await ask(client, { to, since, limit: 1, wait: Math.min(HELD, left) })).data
      if (mail !== undefined) {
        print(json ? JSON.stringify(mail) : wholeOf(mail))
        return 0
      }
      if (performance.now() < end) continue
      const whose = to === undefined ? '' : ` to ${to}`
      const time = seconds === 1 ? 'one second' : `${seconds} seconds`
      process.stderr.write(`No mail${whose} was caught within ${time}.\n`)
      return 1
    }
  })
}

/** Prints one with its header, its text, its links and its files. */
export function showCaught(id: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const mail = await answered(client.GET('/sandbox/messages/{id}', { params: { path: { id } } }))
    const header = mail.headers.map(({ name, value }) => `${name}: ${value}`)
    const files = mail.attachments.map(({ filename }) => `[${filename}]`)
    print(json ? JSON.stringify(mail) : [...header, ...files, '', bodyOf(mail)].join('\n'))
    return 0
  })
}

/** Clears the sandbox, or one mail of it. */
export function clearCaught(id: string | undefined, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    if (id === undefined) {
      const { cleared } = await answered(client.DELETE('/sandbox/messages'))
      print(
        json ? JSON.stringify({ cleared }) : cleared === 1 ? 'One mail was cleared.' : `${cleared} mails were cleared.`,
      )
    } else {
      await answered(client.DELETE('/sandbox/messages/{id}', { params: { path: { id } } }))
      print(json ? JSON.stringify({ cleared: 1 }) : 'One mail was cleared.')
    }
    return 0
  })
}

function ask(
  client: MailwrightClient,
  {
    to,
    since,
    ...query
  }: {
    readonly to: string | undefined
    readonly since: string | undefined
    readonly limit: number
    readonly wait?: number
  },
) {
  const narrowed = { ...query, ...(to === undefined ? {} : { to }), ...(since === undefined ? {} : { since }) }
  return answered(client.GET('/sandbox/messages', { params: { query: narrowed } }))
}

function lineOf({ id, createdAt, to, subject, code }: Caught): string {
  return `${id}  ${createdAt}  ${to}  ${subject ?? ''}${code === null ? '' : `  code ${code}`}`
}

function wholeOf(mail: Caught): string {
  return `${lineOf(mail)}\n\n${bodyOf(mail)}`
}

function bodyOf({ text, links }: Pick<Caught, 'text' | 'links'>): string {
  return [text ?? 'Its text is removed.', '', ...links.map(({ url }) => url)].join('\n').trimEnd()
}
