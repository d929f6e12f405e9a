import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { Client } from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine, definePlugin, type Plugin, silentLog, systemClock } from '../../config/library.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { createApp } from '../../server/index.ts'
import { bareDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'

/**
 * The facts that `make.ts` has noted of a database: it was in use until `at`, when its server ended with mail waiting.
 */
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

/** A store of today over a copy of the old database, in which these statements were run. */
const OLD: Readonly<
  Record<'sqlite' | 'postgres', (version: string, statements?: readonly string[]) => Promise<Plugin<'store'>>>
> = {
  sqlite: async (version, statements = []) => {
    const copy = join(freshFolder(), 'mail.db')
    writeFileSync(copy, gunzipSync(readFileSync(file(`${version}.sqlite.gz`))))
    const database = new DatabaseSync(copy)
    for (const sql of statements) database.exec(sql)
    database.close()
    return sqlite({ file: copy })
  },
  postgres: async (version, statements = []) => {
    const url = await bareDatabase()
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(gunzipSync(readFileSync(file(`${version}.sql.gz`))).toString())
    if (statements.length > 0) await client.query(['set search_path to public', ...statements].join('; '))
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

describe.each(['sqlite', 'postgres'] as const)('rows of 0.1.0 on %s', (kind) => {
  it('say how contacts left, which links were clicked, what became of campaigns, and which events are their own', async () => {
    const store = await OLD[kind]('0.1.0', [
      event('contact.unsubscribed', 'person5', '{"reason": "complaint"}', 1),
      event('contact.created', 'person1', '{}', 2),
      event('email.click', 'person3', '{"link": "https://shop.example/it\'\'s"}', 3),
      event('email.click', 'person3', '{"link": "https://shop.example/it\'\'s", "machine": true}', 4),
      `update "emails" set "opened_at" = "sent_at" where "campaign_id" is not null and "sent_at" is not null`,
      `update "emails" set "status" = 'BOUNCED', "bounced_at" = "sent_at" where "id" = ${sentMail('asc')}`,
      `update "emails" set "status" = 'FAILED' where "id" = ${sentMail('desc')}`,
    ])
    const { store: today, close } = await store.open({ log: silentLog, clock: systemClock })
    onTestFinished(() => close?.())
    const [project] = await today.projects.list()
    const { id } = project ?? expect.fail()
    expect(project?.tracksCreated).toBe(true)
    const people = await today.contacts.lockByAddress(id, ['person5@example.org'])
    expect(people.get('person5@example.org')).toMatchObject({ subscribed: false, leftBy: 'complaint' })
    const [spring] = (await today.campaigns.page(id, {}, { offset: 0, limit: 9 })).filter(
      ({ name }) => name === 'Spring',
    )
    const campaign = spring ?? expect.fail()
    expect(await today.campaignMails.links(id, campaign.id, 9)).toMatchObject([
      { url: "https://shop.example/it's", clicks: 2, humanClicks: 1 },
    ])
    expect(await today.campaignMails.counters(id, campaign.id)).toMatchObject({
      ...{ sent: 11, delivered: 9, bounced: 1, bouncedLater: 1, failed: 1, failedLater: 1 },
    })
    const day = 24 * HOUR_MS
    const sentAt = campaign.sentAt ?? expect.fail()
    const around = [new Date(Math.floor(sentAt.getTime() / day) * day - day), new Date(sentAt.getTime() + day)] as const
    const course = await today.campaignMails.course(id, campaign.id, ...around)
    const sums = course.map(({ figure, count }) => ({ figure, count }))
    expect(sums.toSorted((a, b) => a.figure.localeCompare(b.figure))).toEqual([
      { figure: 'delivered', count: 9 },
      { figure: 'opened', count: 11 },
    ])
    const figures = (await today.analytics.recount(id, false)).map(({ figure }) => figure)
    expect(figures).not.toContain('delivered')
  })
})

/** The first or the last of the mails that the campaign has sent. */
function sentMail(order: 'asc' | 'desc'): string {
  return `(select "id" from "emails" where "campaign_id" is not null and "sent_at" is not null order by "id" ${order} limit 1)`
}

/** Writes an event of this person, of the mail of the campaign if they have one. */
function event(name: string, person: string, data: string, number: number): string {
  return `insert into "events" ("id", "project_id", "name", "contact_id", "email_id", "data", "created_at")
    select '01a20986-b48d-7000-ae56-00000000000${number}', c."project_id", '${name}', c."id", m."id", '${data}', c."created_at"
    from "contacts" as c left join "emails" as m
      on m."contact_id" = c."id" and m."sent_at" is not null and m."campaign_id" is not null
    where c."email" = '${person}@example.org'`
}

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
