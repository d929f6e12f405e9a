import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { createEngine, type Engine, type ListEmailsInput, type Project } from '../config/library.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import type { Figure } from './figure.ts'

/** When the first mail was accepted, and how many milliseconds later each next one: 5 million in some 290 days. */
const BEGAN = Date.UTC(2026, 0, 1)
const APART = 5_000
const RUNS = 20
/** So many mails go to each domain in turn, and the share of other things. */
const BOUNCED_EVERY = 97

/** Searches among very many mails of one project on SQLite: a first page each, and one that has to look at all. */
export async function measureMailSearch(mails: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  const file = join(folder, 'bench.db')
  const open = () =>
    createEngine({ store: sqlite({ file }), projects: [{ name: 'Bench', trustedDomains: ['example.com'] }] })
  try {
    const first = await open()
    await seed(first, await onlyProject(first))
    await first.stop()
    multiply(file, mails)
    const engine = await open()
    try {
      return await searches(engine, await onlyProject(engine), mails)
    } finally {
      await engine.stop()
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function onlyProject(engine: Engine): Promise<Project> {
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  return project
}

/** One mail of each of 200 contents; the others are made of them. */
async function seed(engine: Engine, project: Project): Promise<void> {
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
}

/** Writes the rows as the store would, all indexes included; through the API it would take an hour. */
function multiply(file: string, mails: number): void {
  const database = new DatabaseSync(file)
  database.exec('pragma synchronous = off; pragma cache_size = -400000')
  const columns = database.prepare('select name from pragma_table_info(?)').all('emails') as { name: string }[]
  const id = (moment: string, i: string) =>
    `printf('%08x-%04x-7000-8000-%012x', (${moment}) >> 16, (${moment}) & 65535, ${i})`
  const at = `${BEGAN} + n.i * ${APART}`
  const own: Readonly<Record<string, string>> = {
    id: id(at, 'n.i'),
    to: `'person' || (n.i % 1000000) || '@' || case n.i % 50 when 0 then 'rare.example' else 'mail.example' end`,
    contact_id: id('1700000000000', 'n.i % 1000000'),
    campaign_id: `case when n.i % 5 = 0 then null else ${id('1700000000000', 'n.i / 1000000')} end`,
    status: `case when n.i % ${BOUNCED_EVERY} = 0 then 'BOUNCED' else 'DELIVERED' end`,
    bounced_at: `case when n.i % ${BOUNCED_EVERY} = 0 then ${at} + 2000 end`,
    error: `case when n.i % ${BOUNCED_EVERY} = 0 then '550 5.1.1 no such user' end`,
    created_at: at,
    due_at: at,
    sent_at: `${at} + 1000`,
    delivered_at: `${at} + 1000`,
    updated_at: `${at} + 1000`,
    attempts: '1',
  }
  const list = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map(({ name }) => own[name] ?? `s."${name}"`).join(', ')
  database.exec('create temp table seeds as select row_number() over (order by id) - 1 as place, * from emails')
  database.exec('create unique index temp.seeds_place on seeds (place)')
  const insert =
    database.prepare(`insert into emails (${list}) with recursive n(i) as (select ? union all select i + 1 from n where i + 1 < ?)
    select ${values} from n join temp.seeds as s on s.place = n.i % 200`)
  const PART = 50_000
  for (let from = 0; from < mails; from += PART) insert.run(from, Math.min(from + PART, mails))
  database.close()
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
    const times: number[] = []
    for (let run = 0; run < RUNS; run++) times.push(await msOf(() => engine.mails.list(project, query)))
    const p95 = times.toSorted((a, b) => a - b)[Math.floor(RUNS * 0.95) - 1] ?? Number.NaN
    figures.push({ what: `search of mails: ${what}, p95`, value: p95, unit: 'ms', note: million })
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
