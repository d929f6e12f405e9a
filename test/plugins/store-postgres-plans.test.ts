import { Client } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { newId, newProjectId, project, putContact, suppression } from '../contracts/store/records.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { freshDatabase } from '../support/fresh-database.ts'

/** How many values a list has, and how many rows the table gets besides. */
const [LISTED, OTHERS] = [500, 20_000]

const projectId = newProjectId()
const addresses = Array.from({ length: LISTED }, (_, i) => `listed${i}@plans.example`)

/**
 * Questions with a list of ids or addresses. Plans were kept from when the table was small and its statistics fresh:
 * from the sixth time on all rows of the project were read, and each compared with every value.
 */
const ASKED: readonly (readonly [string, (store: Store, ids: readonly string[]) => Promise<unknown>])[] = [
  ['suppressions on the list', (store) => store.suppressions.among(projectId, addresses, new Date())],
  ['suppressions to add', (store) => store.suppressions.putAll(projectId, ofAll(addresses))],
  ['contacts by address', (store) => store.contacts.findByAddress(projectId, addresses)],
  ['contacts by id', (store, ids) => store.contacts.findAll(projectId, ids)],
  [
    'contacts to lock by address',
    (store) => store.transaction((tx) => tx.contacts.lockByAddress(projectId, addresses)),
  ],
  ['contacts to lock by id', (store, ids) => store.transaction((tx) => tx.contacts.lockById(projectId, ids))],
  [
    'contacts of an audience',
    (store, ids) => store.contacts.among(projectId, ids, { kind: 'flag', field: 'subscribed', is: true }),
  ],
]

describe('a statement with a list', () => {
  let url: string
  let store: Store
  const ids: string[] = []
  beforeAll(async () => {
    url = await freshDatabase()
    const opened = await postgres({ url, maxConnections: 2 }).open({ log: silentLog, clock: systemClock })
    store = opened.store
    atEndOfFile(() => opened.close?.() ?? Promise.resolve())
    await store.projects.save(project({ id: projectId }))
    for (const email of addresses.slice(0, 15)) ids.push((await putContact(store, projectId, { email })).id)
    await store.suppressions.putAll(projectId, ofAll(addresses.slice(0, 15)))
    await query(url, 'analyze')
  })

  it('reads no more rows the twentieth time than it asks for, when the table has grown since the first', async () => {
    const seen = new Map<string, { client: Client; config: Config }>()
    const plain = Client.prototype.query as unknown as (...given: unknown[]) => Promise<unknown>
    const spied = function (this: Client, config: unknown, ...rest: unknown[]) {
      if (isListed(config)) seen.set(config.text, { client: this, config })
      return plain.call(this, config, ...rest)
    }
    Client.prototype.query = spied as never
    onTestFinished(() => {
      Client.prototype.query = plain as never
    })
    const all = () => [...ids, ...addresses.slice(ids.length).map(() => newId())]
    for (const [, ask] of ASKED) for (let i = 0; i < 8; i++) await ask(store, all())
    await grow(url)
    for (const [, ask] of ASKED) for (let i = 0; i < 12; i++) await ask(store, all())
    expect(seen.size).toBeGreaterThanOrEqual(ASKED.length)
    for (const [text, { client, config }] of seen) {
      // a list is planned for as it is
      if (/= any\(/.test(text)) expect(config.name, text).toBeUndefined()
      const explained = (await plain.call(client, explain(config))) as Explained
      const plan = explained.rows[0]?.['QUERY PLAN'][0].Plan
      expect(plan && rowsRead(plan), text).toBeLessThanOrEqual(LISTED)
    }
  })
})

interface Config {
  readonly name?: string
  readonly text: string
  readonly values: readonly string[]
}

function isListed(config: unknown): config is Config {
  return (
    typeof config === 'object' &&
    config !== null &&
    'text' in config &&
    /^select.*(any\(|unnest\()/s.test(String(config.text))
  )
}

/** As it would be run now: by the plan that is kept under its name, if it has one. */
function explain({ name, text, values }: Config) {
  const how = 'explain (analyze, format json)'
  if (name === undefined) return { text: `${how} ${text}`, values }
  return { text: `${how} execute "${name}"(${values.map((value) => `'${value}'`).join(', ')})` }
}

interface Explained {
  readonly rows: readonly { readonly 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }[]
}

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** The most rows that a step of the plan looked at. */
function rowsRead(plan: Plan): number {
  const own = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
  return Math.max(own, ...(plan.Plans ?? []).map(rowsRead))
}

async function query(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

/** Many more rows of the same project, of which the statistics know nothing. */
function grow(url: string): Promise<void> {
  const rows = `generate_series(1, ${OTHERS}) as i`
  return query(
    url,
    `
    insert into "suppressions" ("id", "project_id", "email", "reason", "created_at")
      select gen_random_uuid(), '${projectId}', 'other' || i || '@plans.example', 'MANUAL', now() from ${rows};
    insert into "contacts" ("id", "project_id", "email", "subscribed", "tracking", "data", "created_at", "updated_at")
      select gen_random_uuid(), '${projectId}', 'other' || i || '@plans.example', true, 'none', '{}', now(), now() from ${rows}`,
  )
}

function ofAll(emails: readonly string[]) {
  return emails.map((email) => suppression(projectId, email))
}
