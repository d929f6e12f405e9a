import { beforeAll, describe, expect, it } from 'vitest'
import { importContacts } from '../../core/contacts/import-contacts.ts'
import { JobRun } from '../../core/contacts/job-run.ts'
import type { ContactJob } from '../../core/ports/store/contact-jobs.ts'
import { newProjectId, put } from '../contracts/store/records.ts'
import { expectEnvelope, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ended, upload } from '../support/contact-jobs.ts'
import { kitOf } from '../support/kit.ts'
import { QUICK } from '../support/matrix.ts'
import { testStore } from '../support/store.ts'

// No store decides any of this: one will do, the quicker.
const store = QUICK

const COLUMNS = Array.from({ length: 480 }, (_, i) => `column${i}`)
const WIDE = 250
const WIDE_FILE = [
  ['email', ...COLUMNS],
  ...Array.from({ length: WIDE }, (_, row) => [`wide${row}@example.org`, ...COLUMNS.map((_, i) => String(row * i))]),
]
  .map((cells) => cells.join())
  .join('\n')

/** Faults that a review by use of contacts at scale found once. */
describe('what was once wrong with audiences', () => {
  let test: TestApp
  const run = async (csv: string) => ended(test, await upload(test, csv), 'import')

  beforeAll(async () => {
    test = await testApp(store)
    await test.engine.start()
  })

  it('an import leaves others their turns also where its file has nothing but blank rows', async () => {
    const turns = countTurns()
    const job = await run(`email\nblank@example.org${'\n'.repeat(100_000)}`)
    expect(job).toMatchObject({ state: 'completed', result: { totalRows: 1, createdCount: 1, failureCount: 0 } })
    // a turn after every thousand rows, both when they are counted and when they are imported
    expect(turns()).toBeGreaterThan(170)
  })

  it('a segment keeps its slug while something asks for its events', async () => {
    const post = async (json: object) => (await test.ask('POST', '/segments', { json })).body
    const { id } = await post({ name: 'Old name', type: 'STATIC', trackMembership: true })
    const entered = { field: 'event.segment.old-name.entry', operator: 'triggered' }
    const user = await post({ name: 'Was in it', filters: { operator: 'AND', conditions: [entered] } })
    const rename = (name: string) => test.ask('PATCH', `/segments/${id}`, { json: { name } })
    const refused = await rename('New name')
    expectEnvelope(refused, 409, 'CONFLICT')
    expect(refused.body.message).toContain('segment.old-name.entry is used by the segment "Was in it"')
    expect((await rename('Old  Name!')).body).toMatchObject({ name: 'Old  Name!', slug: 'old-name' })
    expect((await test.ask('DELETE', `/segments/${user.id}`)).status).toBe(204)
    expect((await rename('New name')).body).toMatchObject({ slug: 'new-name' })
  })

  it('an export of many columns comes in small pieces', async () => {
    expect(await run(WIDE_FILE)).toMatchObject({ state: 'completed', result: { createdCount: WIDE } })
    const project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
    const pieces: string[] = []
    for await (const piece of await test.engine.contacts.export(project, { search: 'wide' })) pieces.push(piece)
    expect(pieces.length).toBeGreaterThan(2)
    const answer = await test.ask('GET', '/contacts/export?search=wide', { key: SECRET })
    expect(answer.text).toBe(pieces.join(''))
    expect(answer.text.trim().split('\r\n')).toHaveLength(1 + WIDE)
  })
})

it('an import of many columns writes few rows at once', async () => {
  const { store, clock, close } = await testStore()
  const kit = kitOf(() => clock.now())
  const [form, now] = [{ encoding: 'utf-8', delimiter: ',' } as const, clock.now()]
  const job: ContactJob = {
    ...{ id: kit.newId(), projectId: newProjectId(), type: 'import', state: 'waiting', progress: 0 },
    ...{ request: form, position: {}, result: {}, createdAt: now, updatedAt: now },
  }
  const bytes = new TextEncoder().encode(WIDE_FILE)
  await put(store, job.projectId, { jobs: [{ job, file: bytes }] })
  const begun = (await JobRun.begin(store, kit, job.id, kit.newId()))!
  const { signal } = new AbortController()
  // is aborted as soon as anything is written
  const first = Object.defineProperty(signal, 'aborted', { get: () => Number(begun.job.position.row ?? 0) > 1 })
  await importContacts(begun, { bytes, form }, kit, first)
  const written = await store.contacts.count(job.projectId, {})
  expect(written).toBeGreaterThan(0)
  expect(written).toBeLessThanOrEqual(42)
  await close()
})

/** Counts how often the event loop goes round; the answered function ends it. */
function countTurns(): () => number {
  let turns = 0
  let isCounting = true
  const next = () => {
    turns++
    if (isCounting) setImmediate(next)
  }
  setImmediate(next)
  return () => {
    isCounting = false
    return turns
  }
}
