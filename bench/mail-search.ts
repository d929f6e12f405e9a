import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createEngine, type Engine, type ListEmailsInput, type Project } from '../config/library.ts'
import { EmailRow } from '../plugins/kit/sql/entities/emails.ts'
import { type BenchDatabase, type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'

/** When the first mail was accepted, and how many milliseconds later each next one: 5 million in some 290 days. */
const BEGAN = Date.UTC(2026, 0, 1)
const APART = 5_000
const RUNS = 20
const BOUNCED_EVERY = 97
const CLICKED = 'n.i % 25 = 3'
/** Four of five mails to them are a campaign: a million. */
const PEOPLE = 1_250_000
const COLUMNS = Object.keys(EmailRow.properties).map((name) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`))
/** How many rows are written at once. */
const PART = 50_000

/**
 * Searches among very many mails of one project, a first page each, and one that has to look at all; and the links of a
 * campaign of a million, where one mail in 25 was clicked.
 */
export function measureMailSearch(on: BenchStore, mails: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const database = await make()
    const open = () =>
      createEngine({ ...database.plugins, projects: [{ name: 'Bench', trustedDomains: ['example.com'] }] })
    const first = await open()
    const campaignId = await seed(first, await onlyProject(first))
    await first.stop()
    await database.run(multiply(database, campaignId, mails))
    await database.settle()
    const engine = await open()
    try {
      const project = await onlyProject(engine)
      const figures = [...(await searches(engine, project, mails)), ...(await links(engine, project, campaignId))]
      return figures.map((figure) => ({ ...figure, what: `${figure.what}, ${on}` }))
    } finally {
      await engine.stop()
    }
  })
}

async function onlyProject(engine: Engine): Promise<Project> {
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  return project
}

/** One mail of each of 200 contents, of which the others are made, and the campaign whose links are asked for. */
async function seed(engine: Engine, project: Project): Promise<string> {
  for (let i = 0; i < 200; i++) {
    await engine.sending.send(project, {
      to: `seed${i}@example.org`,
      from: { name: 'Shop', email: `shop${i % 7}@example.com` },
      subject: `Letter ${i} for {{ name }}`,
      body: '<p>Dear {{ name }}</p>',
      data: { name: 'Ada' },
      tags: { letter: String(i) },
    })
  }
  const { campaign } = await engine.campaigns.create(project, {
    name: 'Sale',
    subject: 'Sale',
    body: '<p>Sale</p>',
    from: 'shop@example.com',
    audienceType: 'ALL',
  })
  return campaign.id
}

/** Writes the rows as the store would, all indexes included; through the API it would take an hour. */
function* multiply({ sql }: BenchDatabase, campaignId: string, mails: number): Generator<string> {
  const at = `(${BEGAN} + n.i * ${APART})`
  const after = (milliseconds: number) => sql.moment(`${at} + ${milliseconds}`)
  const bounced = (value: string) => `case when n.i % ${BOUNCED_EVERY} = 0 then ${value} end`
  const clicked = (value: string) => `case when ${CLICKED} then ${value} end`
  const [id, person] = [sql.id(at, 'n.i'), sql.id(String(BEGAN), `n.i % ${PEOPLE}`)]
  const own: Readonly<Record<string, string>> = {
    id,
    to: `'person' || (n.i % ${PEOPLE}) || '@' || case n.i % 50 when 0 then 'rare.example' else 'mail.example' end`,
    contact_id: person,
    // four mails of five are of campaigns, a million of each
    campaign_id: `case when n.i % 5 = 0 then null when n.i < ${PEOPLE} then '${campaignId}'
      else ${sql.id(String(BEGAN), `n.i / ${PEOPLE}`)} end`,
    status: `case when n.i % ${BOUNCED_EVERY} = 0 then 'BOUNCED' when ${CLICKED} then 'CLICKED' else 'DELIVERED' end`,
    bounced_at: bounced(after(2_000)),
    error: bounced(`'550 5.1.1 no such user'`),
    clicks: `case when ${CLICKED} then 1 else 0 end`,
    opened_at: clicked(after(60_000)),
    clicked_at: clicked(after(60_000)),
    created_at: after(0),
    due_at: after(0),
    sent_at: after(1_000),
    delivered_at: after(1_000),
    updated_at: after(1_000),
    attempts: '1',
  }
  const list = COLUMNS.map((name) => `"${name}"`).join(', ')
  const values = COLUMNS.map((name) => own[name] ?? `s."${name}"`).join(', ')
  yield 'create temp table seeds as select row_number() over (order by id) - 1 as place, * from emails'
  yield 'create unique index seeds_place on seeds (place)'
  for (let from = 0; from < mails; from += PART) {
    const numbers = sql.numbers(from, Math.min(from + PART, mails))
    yield `insert into emails (${list}) select ${values} from ${numbers} join seeds as s on s.place = n.i % 200`
    yield `insert into events (id, project_id, name, contact_id, email_id, data, created_at)
      select ${sql.id(`${at} + 60000`, 'n.i')}, s.project_id, 'email.click', ${person}, ${id},
        ${sql.json(`'{"link":"https://shop.example/' || (n.i % 7) || '"}'`)}, ${after(60_000)}
      from ${numbers} join seeds as s on s.place = n.i % 200 where ${CLICKED}`
  }
}

async function links(engine: Engine, project: Project, campaignId: string): Promise<readonly Figure[]> {
  const asked: readonly (readonly [what: string, work: () => Promise<unknown>])[] = [
    ['links', () => engine.campaigns.links(project, campaignId)],
    ['who clicked', () => engine.campaigns.recipients(project, campaignId, { clicked: 'true' })],
    [
      'who clicked one link',
      () => engine.campaigns.recipients(project, campaignId, { link: 'https://shop.example/3' }),
    ],
  ]
  const figures: Figure[] = []
  for (const [what, work] of asked) {
    const value = await p95Of(work)
    figures.push({ what: `campaign of a million: ${what}, p95`, value, unit: 'ms', note: '1 mail in 25 clicked' })
  }
  return figures
}

async function searches(engine: Engine, project: Project, mails: number): Promise<readonly Figure[]> {
  await engine.contacts.upsert(project, { email: 'somebody@mail.example' })
  const million = `among ${(mails / 1e6).toFixed(1)} million`
  const day = new Date(BEGAN + (mails / 2) * APART).toISOString().slice(0, 10)
  const asked: readonly (readonly [what: string, query: ListEmailsInput])[] = [
    ['a whole address', { search: 'to:person500000@rare.example' }],
    ['a Message-ID', { search: `msgid:${idAt(Math.floor(mails / 3))}` }],
    ['a status', { search: 'status:bounced' }],
    ['a part of many subjects', { search: 'letter' }],
    ['a part of one subject in 200', { search: 'subject:"letter 137"' }],
    ['a domain of one mail in 50', { search: 'domain:rare.example' }],
    ['what bounced, with its reason', { bounced: 'true', reason: 'no such user' }],
    ['two words and a day in the middle', { search: `domain:rare.example after:${day} before:${dayAfter(day)}` }],
  ]
  const delay = monitorEventLoopDelay({ resolution: 5 })
  const figures: Figure[] = []
  delay.enable()
  for (const [what, query] of asked) {
    const value = await p95Of(() => engine.mails.list(project, query))
    figures.push({ what: `search of mails: ${what}, p95`, value, unit: 'ms', note: million })
  }
  let longest = 0
  let pages = 0
  const whole = await msOf(async () => {
    for (let cursor: string | undefined, isMore = true; isMore; pages++) {
      const from = performance.now()
      const page = await engine.mails.list(project, { search: 'nobody.ever', ...(cursor ? { cursor } : {}) })
      longest = Math.max(longest, performance.now() - from)
      cursor = page.cursor
      isMore = cursor !== undefined
    }
  })
  delay.disable()
  return [
    ...figures,
    { what: 'search of mails: no hit, to the end', value: whole, unit: 'ms', note: `${million}, ${pages} pages` },
    { what: 'search of mails: no hit, longest page', value: longest, unit: 'ms', note: million },
    { what: 'search of mails: longest hold of the event loop', value: delay.max / 1e6, unit: 'ms' },
  ]
}

function idAt(i: number): string {
  const stamp = (BEGAN + i * APART).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7000-8000-${i.toString(16).padStart(12, '0')}`
}

function dayAfter(day: string): string {
  return new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)
}

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

async function p95Of(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) times.push(await msOf(work))
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS * 0.95) - 1] ?? Number.NaN
}
