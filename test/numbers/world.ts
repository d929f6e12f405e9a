import { smtp } from '../../plugins/mail-smtp/index.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { type Chance, chanceOf } from '../support/chance.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import type { StoreCase } from '../support/matrix.ts'
import { type MoodySmtp, startMoodySmtp } from '../support/moody-smtp.ts'
import { until } from '../support/until.ts'
import { addressesOf, HELD, KINDS, type Kind, kindOf } from './people.ts'
import { PUBLIC_URL, Readers } from './readers.ts'

/** Mails of campaigns are looked for once a second: those put off meanwhile are due by then. */
const RETRY_DELAYS = [0.1, 0.1, 0.1, 0.1, 0.1]

const CAMPAIGN = {
  ...{ subject: 'News for {{ email }}', from: 'news@example.com', audienceType: 'ALL' },
  body: '<p>Hi {{ n }}!</p><a href="https://example.net/{{ n }}">one</a> <a href="https://example.net/two">two</a>',
}

/** A project with contacts of every kind, those who read their mails, and a server that makes trouble. */
export class World {
  readonly test: TestApp
  readonly sink: MoodySmtp
  readonly readers: Readers
  readonly size: number
  /** The mails that were once given up after their last try. */
  readonly givenUp = new Set<string>()

  constructor(test: TestApp, sink: MoodySmtp, readers: Readers, size: number) {
    this.test = test
    this.sink = sink
    this.readers = readers
    this.size = size
  }

  /** The parsed body of a path. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly get = async (path: string): Promise<any> => (await this.test.ask('GET', path)).body

  /** `chance` decides who comes first. */
  async begin(chance: Chance): Promise<void> {
    const everybody = (Object.keys(KINDS) as Kind[]).flatMap((kind) => addressesOf(kind, this.size))
    const shuffled = everybody.map((email) => ({ email, n: chance() })).toSorted((a, b) => a.n - b.n)
    for (const { email, n } of shuffled) {
      const subscribed = kindOf(email) !== 'unsubscribed'
      await this.test.ask('POST', '/contacts', { json: { email, subscribed, data: { n } } })
    }
    for (const email of addressesOf('suppressed', this.size)) await this.#suppress(email)
    const expiresAt = '2020-01-01T00:00:00Z'
    for (const email of addressesOf('expired', this.size)) await this.#suppress(email, { expiresAt })
    await this.test.engine.start()
  }

  /** Makes a campaign to everybody; answers its id and what its preview says. */
  async draft(name: string): Promise<{ readonly id: string; readonly preview: { readonly skipped: object } }> {
    const { id } = (await this.test.ask('POST', '/campaigns', { json: { ...CAMPAIGN, name } })).body.data
    return { id, preview: (await this.test.ask('POST', `/campaigns/${id}/preview`)).body }
  }

  /** Sends it `times` times at once; answers the statuses in order, and only when its audience is written down. */
  async send(id: string, times = 1): Promise<readonly number[]> {
    const sends = Array.from({ length: times }, () => this.test.ask('POST', `/campaigns/${id}/send`))
    const statuses = (await Promise.all(sends)).map(({ status }) => status).toSorted()
    const [project] = (await this.test.engine.projects.list()).filter(({ name }) => name === 'Test')
    await until('the audience is written down', async () => {
      const { campaign } = await this.test.engine.campaigns.get(project!, id)
      return campaign.fanOut?.done
    })
    return statuses
  }

  /** The changes of people while they are mailed. */
  async live(): Promise<void> {
    const contacts = await this.contacts()
    const path = (email: string) => `/contacts/${contacts.get(email)?.id}`
    for (const email of addressesOf('removed', this.size)) await this.test.ask('DELETE', path(email))
    for (const email of addressesOf('leaving', this.size)) {
      await this.test.ask('PATCH', path(email), { json: { subscribed: false } })
    }
    for (const email of addressesOf('banned', this.size)) await this.#suppress(email)
    const many = Math.floor((await this.test.counts()).emails / 3)
    await until('some mails have come', () => this.sink.taken.length > many, 60_000)
    for (const email of addressesOf('gone', this.size)) await this.test.ask('DELETE', path(email))
  }

  /** By address. */
  async contacts(): Promise<ReadonlyMap<string, { readonly id: string; readonly subscribed: boolean }>> {
    const known = new Map()
    for (let cursor = ''; ; ) {
      const page = await this.get(`/contacts?limit=100${cursor}`)
      for (const contact of page.data) known.set(contact.email, contact)
      if (!page.hasMore) return known
      cursor = `&cursor=${page.cursor}`
    }
  }

  /** Waits until the campaign has ended; answers as what. */
  async ended(id: string): Promise<string> {
    return until(
      'the campaign has ended',
      async () => {
        const { status } = await this.get(`/campaigns/${id}`)
        return status === 'SENDING' ? undefined : status
      },
      120_000,
    )
  }

  async #suppress(email: string, change: object = {}): Promise<void> {
    await this.test.ask('POST', '/suppressions', { json: { email, ...change } })
  }
}

/** Makes a world, to be called before all tests; `seed` decides what goes wrong. */
export async function makeWorld(store: StoreCase, seed: number, size: number, faults: number): Promise<World> {
  let test: TestApp | undefined
  const app = () => {
    if (!test) throw new Error('there is no app yet')
    return test
  }
  const readers = new Readers(app, chanceOf(seed + 1), (address) => !['gone', 'refused'].includes(kindOf(address)))
  const sink = await startMoodySmtp({
    ...{ chance: chanceOf(seed), faults },
    recipient: (address, tries) => atRecipient(kindOf(address), tries),
    message: (address, tries) => atMessage(kindOf(address), tries),
    onMessage: (copy) => readers.receive(copy),
  })
  atEndOfFile(() => sink.close())
  test = await testApp(
    store,
    {},
    {
      publicUrl: PUBLIC_URL,
      transports: [smtp({ host: '127.0.0.1', port: sink.port, maxConnections: 5 })],
      delivery: { retryDelays: RETRY_DELAYS },
    },
  )
  const world = new World(test, sink, readers, size)
  await world.begin(chanceOf(seed + 2))
  return world
}

/** None of these temporary answers speaks of the whole domain, which would be left in peace for seconds. */
function atRecipient(kind: Kind, tries: number): string | undefined {
  if (kind === 'unknown') return '550 5.1.1 no such user\r\n'
  if (kind === 'policy') return '554 5.7.1 blocked by our policy\r\n'
  if (kind === 'full' && tries <= RETRY_DELAYS.length + 1) return '452 4.2.2 mailbox full\r\n'
  if (kind === 'grey' && tries === 1) return '450 4.7.1 greylisted, come back later\r\n'
  if ((kind === 'later' && tries <= 2) || HELD.includes(kind)) return '451 4.2.1 not now\r\n'
  return undefined
}

function atMessage(kind: Kind, tries: number): string | undefined {
  if (kind === 'refused') return '550 5.1.1 user unknown\r\n'
  return kind === 'deferred' && tries === 1 ? '451 4.2.1 not now\r\n' : undefined
}
