import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { importContacts } from '../../core/contacts/import-contacts.ts'
import { JobRun } from '../../core/contacts/job-run.ts'
import type { ContactJob } from '../../core/ports/store/contact-jobs.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { newProjectId, put } from '../contracts/store/records.ts'
import { kitOf } from '../support/kit.ts'
import { type TestStore, testStore } from '../support/store.ts'

const ROWS = 2_500
const FORM = { encoding: 'utf-8', delimiter: ',' } as const

describe('an import that several workers get hold of', () => {
  let opened: TestStore
  let store: Store
  let job: ContactJob
  const file = {
    bytes: new TextEncoder().encode(
      `email,subscribed\n${Array.from({ length: ROWS }, (_, i) => `user${i}@example.com,${i % 2}`).join('\n')}`,
    ),
    form: FORM,
  }
  const kit = () => kitOf(() => opened.clock.now())
  const begin = () => JobRun.begin(store, kit(), job.id, kit().newId())
  const stored = () => store.contactJobs.find(job.projectId, job.id)
  /** A signal that is aborted as soon as the job is so far. */
  const until = (run: JobRun, row: number) => {
    const { signal } = new AbortController()
    return Object.defineProperty(signal, 'aborted', { get: () => Number(run.job.position.row ?? 0) >= row })
  }

  beforeEach(async () => {
    opened = await testStore()
    store = opened.store
    const now = opened.clock.now()
    job = {
      ...{ id: kit().newId(), projectId: newProjectId(), type: 'import', state: 'waiting', progress: 0 },
      ...{ request: FORM, position: {}, result: {}, createdAt: now, updatedAt: now },
    }
    await put(store, job.projectId, { jobs: [{ job, file: file.bytes }] })
  })
  afterEach(() => opened.close())

  it('is done by one of them at a time', async () => {
    const runs = await Promise.all([begin(), begin(), begin()])
    expect(runs.filter((run) => run)).toHaveLength(1)
  })

  it('is gone on with behind the last batch by whoever comes next', async () => {
    for (const [row, progress] of [
      [1001, 40],
      [2001, 80],
    ] as const) {
      const run = (await begin())!
      await importContacts(run, file, kit(), until(run, row))
      expect(await stored()).toMatchObject({
        state: 'active',
        progress,
        position: { row },
        result: { totalRows: ROWS },
      })
      await run.release()
    }
    await importContacts((await begin())!, file, kit(), new AbortController().signal)
    expect(await stored()).toMatchObject({
      ...{ state: 'completed', progress: 100 },
      result: { totalRows: ROWS, successCount: ROWS, createdCount: ROWS, updatedCount: 0, failureCount: 0, errors: [] },
    })
    expect(await store.contacts.count(job.projectId, {})).toBe(ROWS)
    expect(await store.contacts.count(job.projectId, { subscribed: true })).toBe(ROWS / 2)
    expect(await begin()).toBeUndefined()
  })

  it('is lost by a worker that was away for longer than its lease, which writes nothing more', async () => {
    const late = (await begin())!
    await importContacts(late, file, kit(), until(late, 1001))
    opened.clock.advance(61)
    const next = (await begin())!
    await expect(importContacts(late, file, kit(), new AbortController().signal)).rejects.toMatchObject({
      name: 'Conflict',
      next: 'gone',
    })
    expect(await store.contacts.count(job.projectId, {})).toBe(1000)
    await late.release()
    await importContacts(next, file, kit(), new AbortController().signal)
    expect(await stored()).toMatchObject({ state: 'completed', result: { createdCount: ROWS, updatedCount: 0 } })
  })
})
