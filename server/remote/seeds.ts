import { setTimeout as pause } from 'node:timers/promises'
import type { VariantName } from '../../core/ports/store/campaigns.ts'
import type { components } from '../client/index.ts'
import { givenPassword } from '../process/passwords.ts'
import { print, printAll } from './printing.ts'
import { answered, patiently, withServer } from './with-server.ts'

/* The seed list of a project, by one of its keys. */

interface Asked {
  readonly url?: string
  readonly json?: true
}

type SeedTest = components['schemas']['SeedTest']

/** How often it is asked whether the mail is there: mailboxes are looked into every minute. */
const EVERY_MS = 5_000

export function listMailboxes({ url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const found = await answered(client.GET('/seeds/mailboxes'))
    return printAll(found, json, ({ id, address, host, port }) => `${id}  ${address}  ${host}:${port}`, 'mailbox')
  })
}

/** Adds a mailbox; the server logs in there first. */
export function addMailbox(
  address: string,
  {
    url,
    json,
    host,
    port,
    security,
    user,
  }: Asked & {
    readonly host: string
    readonly port?: number
    readonly security: 'tls' | 'starttls' | 'none'
    readonly user?: string
  },
): Promise<number> {
  return withServer(url, async (client) => {
    const password = await givenPassword()
    const given = { ...(port === undefined ? {} : { port }), ...(user === undefined ? {} : { user }) }
    const added = await answered(
      client.POST('/seeds/mailboxes', { body: { address, host, security, password, ...given } }),
    )
    print(json ? JSON.stringify(added) : added.id)
    return 0
  })
}

export function removeMailbox(id: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    await answered(client.DELETE('/seeds/mailboxes/{id}', { params: { path: { id } } }))
    print(json ? JSON.stringify({ removed: id }) : 'The mailbox was removed.')
    return 0
  })
}

/** Sends a campaign to the seed list, and prints where it landed once no mailbox is looked into any more. */
export function testCampaign(
  id: string,
  {
    url,
    json,
    minutes,
    variant,
    wait,
  }: Asked & { readonly minutes: number; readonly variant?: VariantName; readonly wait: boolean },
): Promise<number> {
  return withServer(url, async (client) => {
    const path = { id }
    const body = { minutes, ...(variant === undefined ? {} : { variant }) }
    let test: SeedTest = await answered(client.POST('/campaigns/{id}/seed-tests', { params: { path }, body }))
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    while (wait && test.waits) {
      await pause(EVERY_MS, undefined, { signal: stop.signal }).catch(() => {})
      const tests = await patiently(
        () => client.GET('/campaigns/{id}/seed-tests', { params: { path }, signal: stop.signal }),
        stop.signal,
      )
      if (tests === undefined) {
        process.stderr.write('The test goes on; `seeds results` shows where the mail landed.\n')
        return 130
      }
      test = tests.find((each) => each.id === test.id) ?? { ...test, waits: false }
    }
    return printed(test, json)
  })
}

/** Prints where the mail of the last test landed. */
export function lastResults(id: string, { url, json }: Asked): Promise<number> {
  return withServer(url, async (client) => {
    const [last] = await answered(client.GET('/campaigns/{id}/seed-tests', { params: { path: { id } } }))
    if (last !== undefined) return printed(last, json)
    print(json ? 'null' : 'There is no test.')
    return 0
  })
}

function printed(test: SeedTest, json: true | undefined): number {
  if (json) print(JSON.stringify(test))
  else for (const each of test.results) print(lineOf(each))
  return 0
}

/** `tab promotions  acme.seeds@gmail.com  INBOX  2026-05-01T12:00:00Z`, with the problem if there is one. */
function lineOf({ address, outcome, tab, folder, arrivedAt, problem }: SeedTest['results'][number]): string {
  const where = tab === null ? outcome : `${outcome} ${tab}`
  return [where, address, folder, arrivedAt, problem].filter(Boolean).join('  ')
}
