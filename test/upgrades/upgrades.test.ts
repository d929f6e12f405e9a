import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, definePlugin, type Plugin, silentLog, systemClock } from '../../config/library.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { createApp } from '../../server/index.ts'
import { bareDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'

/** What `make.ts` has noted of a database: it was in use until `at`, when its server ended with mail waiting. */
interface Facts {
  readonly contacts: number
  readonly campaign: string
  readonly waiting: number
  readonly at: string
}

const SECRET = `sk_${'u'.repeat(48)}`
const HOUR_MS = 3_600_000
const file = (name: string) => new URL(name, import.meta.url)
const VERSIONS = readdirSync(file('.')).flatMap((name) => /^(.*)\.json$/.exec(name)?.[1] ?? [])
const LISTS = [
  '/contacts',
  '/templates',
  '/segments',
  '/campaigns',
  '/workflows',
  '/emails',
  '/events',
  '/activity',
  '/keys/@me',
]

/** A store of today over a copy of the old database. */
const OLD: Readonly<Record<'sqlite' | 'postgres', (version: string) => Promise<Plugin<'store'>>>> = {
  sqlite: async (version) => {
    const copy = join(freshFolder(), 'mail.db')
    writeFileSync(copy, gunzipSync(readFileSync(file(`${version}.sqlite.gz`))))
    return sqlite({ file: copy })
  },
  postgres: async (version) => {
    const url = await bareDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(gunzipSync(readFileSync(file(`${version}.sql.gz`))).toString())
    await client.end()
    return postgres({ url })
  },
}

describe.each(VERSIONS)('a database of %s', (version) => {
  const facts: Readonly<Record<string, Facts>> = JSON.parse(readFileSync(file(`${version}.json`), 'utf8'))

  it.each([
    'sqlite',
    'postgres',
  ] as const)('goes on with this version on %s: what waited is sent, once', async (kind) => {
    const { contacts, campaign, waiting, at } = facts[kind] ?? expect.fail()
    const store = await OLD[kind](version)
    const sent: string[] = []
    // the time of day goes on from there, since mails expire
    const [begun, then] = [performance.now(), Date.parse(at) + 2 * HOUR_MS]
    const clock = { now: () => new Date(then + performance.now() - begun) }
    const engine = await createEngine({ store, clock, log: silentLog, transports: [collecting({ sent })] })
    onTestFinished(() => engine.stop())
    const app = createApp(engine)
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
      const response = await app.request(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      return { status: response.status, body: JSON.parse((await response.text()) || 'null') }
    }

    await engine.start()
    // and the last mail of a workflow that waited for an hour
    await expect.poll(() => sent.length).toBe(waiting + 1)
    await expect.poll(async () => (await ask('GET', `/campaigns/${campaign}`)).body.status).toBe('SENT')
    expect(
      await ask('POST', '/v1/send', { to: 'new@example.org', from: 'a@shop.example', subject: 'x', body: 'x' }),
    ).toMatchObject({ status: 200 })
    await expect.poll(() => sent.length).toBe(waiting + 2)
    const people = Array.from({ length: contacts }, (_, i) => `person${i}@example.org`)
    const ofCampaign = people.filter((person) => person !== 'person5@example.org')
    const single = [4, 5, 6].map((i) => `person${i}@example.org`)
    expect(sent.toSorted()).toEqual([...ofCampaign, ...single, 'person2@example.org', 'new@example.org'].toSorted())

    expect((await ask('GET', `/campaigns/${campaign}/stats`)).body).toMatchObject({ sent: contacts - 1, queued: 0 })
    expect((await ask('GET', '/contacts')).body.total).toBe(contacts + 1)
    for (const path of LISTS) expect({ path, ...(await ask('GET', path)) }).toMatchObject({ path, status: 200 })
    await engine.stop()
    const { store: closed, close } = await store.open({ log: silentLog, clock: systemClock })
    onTestFinished(() => close?.())
    for (const { id } of await closed.projects.list()) expect(await closed.analytics.recount(id, false)).toEqual([])
  })
})

const collecting = definePlugin({
  name: 'collecting',
  provides: ['transport'],
  open: ({ sent }: { readonly sent: string[] }) => ({
    transport: {
      concurrency: 4,
      async send({ envelope }) {
        sent.push(...envelope.to)
        return { outcome: 'accepted', response: 'fine' }
      },
    },
  }),
})
