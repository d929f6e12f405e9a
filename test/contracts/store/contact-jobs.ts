import { expect, it } from 'vitest'
import type { ContactJob } from '../../../core/ports/store/contact-jobs.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { at, contact, HOSTILE, NOON, newId, newProjectId, request } from './records.ts'

/** The promises of a store about imports and bulk changes. */
export function storeContactJobsContract(fresh: () => Promise<Store>) {
  it('accepts a job with its file through a write batch, and gives both back as they were', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const file = Uint8Array.from({ length: 1024 * 1024 }, (_, i) => (i * 7 + (i >> 9)) % 256)
    const one = contactJob(projectId, { request: HOSTILE, position: HOSTILE, result: HOSTILE, failedReason: 'why' })
    const other = contactJob(projectId, { type: 'bulk-delete' })
    await acceptJobs(store, [{ job: one, file }, { job: other }])
    expect(await store.contactJobs.find(projectId, one.id)).toEqual(one)
    expect(await store.contactJobs.find(projectId, other.id)).toEqual(other)
    const piece = async (from: number, most: number) => {
      const read = await store.contactJobs.filePiece(one.id, from, most)
      return read && Buffer.compare(read, file.subarray(from, from + most)) === 0
    }
    expect(await piece(0, file.length + 1)).toBe(true)
    expect(await piece(1000, 300_000)).toBe(true)
    expect(await piece(file.length - 10, 20)).toBe(true)
    expect(await piece(file.length, 20)).toBe(true)
    expect(await store.contactJobs.filePiece(other.id, 0, 1)).toBeUndefined()
    expect(await store.contactJobs.find(newProjectId(), one.id)).toBeUndefined()
    expect(await store.contactJobs.find(projectId, newId())).toBeUndefined()
  })

  it('lists the jobs of a project and type, newest first, from a place on', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const jobs = Array.from({ length: 4 }, () => contactJob(projectId))
    const others = [contactJob(projectId, { type: 'bulk-delete' }), contactJob(newProjectId())]
    await acceptJobs(
      store,
      [...jobs, ...others].map((made) => ({ job: made })),
    )
    const [oldest, second, third, newest] = jobs
    expect(await store.contactJobs.page(projectId, 'import', { limit: 2 })).toEqual([newest, third, second])
    const after = { value: '', id: third!.id }
    expect(await store.contactJobs.page(projectId, 'import', { limit: 2, after })).toEqual([second, oldest])
    expect(await store.contactJobs.count(projectId, 'import')).toBe(4)
  })

  it('accepts nothing when the idempotency key was used before', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const idempotency = { key: 'k', fingerprint: 'f', since: at(-60) }
    const [first, second] = [contactJob(projectId), contactJob(projectId)]
    for (const made of [first, second]) {
      const decide = () => ({
        contacts: [],
        contents: [],
        emails: [],
        events: [],
        jobs: [{ job: made }],
        answer: made.id,
      })
      await store.writeBatch.commit(request(projectId, decide, { idempotency }))
    }
    expect(await store.contactJobs.find(projectId, first.id)).toEqual(first)
    expect(await store.contactJobs.find(projectId, second.id)).toBeUndefined()
  })

  it('lets one of many claim a job, and again when its lease has run out', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = contactJob(projectId)
    await acceptJobs(store, [{ job: made }])
    const tokens = Array.from({ length: 8 }, () => newId())
    const claims = await Promise.all(
      tokens.map((token) => store.contactJobs.claim(made.id, at(1), { token, until: at(61) })),
    )
    expect(claims.filter((claimed) => claimed)).toEqual([{ ...made, state: 'active', updatedAt: at(1) }])
    expect(await store.contactJobs.claim(made.id, at(60), { token: newId(), until: at(120) })).toBeUndefined()
    const again = await store.contactJobs.claim(made.id, at(61), { token: newId(), until: at(120) })
    expect(again).toMatchObject({ id: made.id, state: 'active' })
  })

  it('writes how far a job is for the holder of its lease alone, and prolongs it', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = contactJob(projectId)
    await acceptJobs(store, [{ job: made, file: new Uint8Array(3) }])
    const token = newId()
    const claimed = await claim(store, made.id, token)
    const next = { ...claimed, progress: 40, position: { row: 7 }, result: { done: 6 }, updatedAt: at(5) }
    expect(await store.contactJobs.advance(next, { token: newId(), until: at(90) })).toBe(false)
    expect(await store.contactJobs.find(projectId, made.id)).toEqual(claimed)
    expect(await store.contactJobs.advance(next, { token, until: at(90) })).toBe(true)
    expect(await store.contactJobs.find(projectId, made.id)).toEqual(next)
    expect(await store.contactJobs.due(at(89), 10)).toEqual([])
    expect(await store.contactJobs.due(at(90), 10)).toEqual([made.id])
    expect(await store.contactJobs.filePiece(made.id, 0, 9)).toEqual(new Uint8Array(3))
  })

  it('writes nothing of a transaction whose job was lost', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = contactJob(projectId)
    await acceptJobs(store, [{ job: made }])
    const claimed = await claim(store, made.id, newId())
    const ada = contact(projectId)
    const lost = store.transaction(async (tx) => {
      await tx.contacts.save([ada])
      if (!(await tx.contactJobs.advance(claimed, { token: newId(), until: at(90) }))) throw new Error('lost')
    })
    await expect(lost).rejects.toThrow('lost')
    expect(await store.contacts.find(projectId, ada.id)).toBeUndefined()
    expect(await store.contactJobs.find(projectId, made.id)).toEqual(claimed)
  })

  it.each([
    'completed',
    'failed',
  ] as const)('lets nobody go on with a job that has %s, and drops its file', async (state) => {
    const store = await fresh()
    const projectId = newProjectId()
    const made = contactJob(projectId)
    await acceptJobs(store, [{ job: made, file: new Uint8Array(3) }])
    const token = newId()
    const ended = { ...(await claim(store, made.id, token)), state, progress: 100, failedReason: 'so' }
    expect(await store.contactJobs.advance(ended, { token, until: at(90) })).toBe(true)
    expect(await store.contactJobs.find(projectId, made.id)).toEqual(ended)
    expect(await store.contactJobs.filePiece(made.id, 0, 9)).toBeUndefined()
    expect(await store.contactJobs.advance(ended, { token, until: at(90) })).toBe(false)
    await store.contactJobs.release(made.id, token)
    expect(await store.contactJobs.claim(made.id, at(9_999), { token, until: at(99_999) })).toBeUndefined()
    expect(await store.contactJobs.due(at(9_999), 10)).toEqual([])
  })

  it('keeps refused rows in order, beyond the end of the job, until it is forgotten', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, other] = [contactJob(projectId), contactJob(projectId)]
    await acceptJobs(store, [{ job: made, file: new Uint8Array(3) }, { job: other }])
    const [first, second] = [Uint8Array.from([0, 255, 1]), new Uint8Array(700_000).fill(7)]
    await store.contactJobs.keepRefused(made.id, 1002, second)
    await store.contactJobs.keepRefused(made.id, 2, first)
    await store.contactJobs.keepRefused(other.id, 2, first)
    const token = newId()
    const ended = { ...(await claim(store, made.id, token)), state: 'completed', progress: 100 } as const
    await store.contactJobs.advance(ended, { token, until: at(90) })
    expect(await store.contactJobs.refused(made.id, 0)).toMatchObject({ row: 2, bytes: first })
    const next = await store.contactJobs.refused(made.id, 2)
    expect(next?.row).toBe(1002)
    expect(next && Buffer.compare(next.bytes, second)).toBe(0)
    expect(await store.contactJobs.refused(made.id, 1002)).toBeUndefined()
    expect(await store.contactJobs.forget(at(9_999), 10)).toBe(1)
    expect(await store.contactJobs.refused(made.id, 0)).toBeUndefined()
    expect(await store.contactJobs.refused(other.id, 0)).toMatchObject({ row: 2, bytes: first })
  })

  it('gives a released job to the next at once', async () => {
    const store = await fresh()
    const made = contactJob(newProjectId())
    await acceptJobs(store, [{ job: made }])
    const token = newId()
    await claim(store, made.id, token)
    await store.contactJobs.release(made.id, newId())
    expect(await store.contactJobs.due(at(2), 10)).toEqual([])
    await store.contactJobs.release(made.id, token)
    expect(await store.contactJobs.due(at(2), 10)).toEqual([made.id])
    expect(await store.contactJobs.claim(made.id, at(2), { token: newId(), until: at(90) })).toMatchObject({
      id: made.id,
    })
  })

  it('ends leases, and tells which jobs are due, the oldest first', async () => {
    const store = await fresh()
    const jobs = Array.from({ length: 4 }, () => contactJob(newProjectId()))
    await acceptJobs(
      store,
      jobs.map((made) => ({ job: made })),
    )
    const ids = jobs.map(({ id }) => id)
    expect(await store.contactJobs.due(NOON, 10)).toEqual(ids)
    expect(await store.contactJobs.due(NOON, 2)).toEqual(ids.slice(0, 2))
    for (const id of ids.slice(0, 3)) await claim(store, id, newId())
    expect(await store.contactJobs.due(at(2), 10)).toEqual(ids.slice(3))
    expect(await store.contactJobs.expireLeases(at(59))).toBe(0)
    expect(await store.contactJobs.expireLeases(new Date(8.64e15))).toBe(3)
    expect(await store.contactJobs.due(at(2), 10)).toEqual(ids)
  })

  it('forgets jobs that ended before a date, and no others', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const states = ['completed', 'failed', 'waiting', 'active', 'completed'] as const
    const jobs = states.map((state, i) => contactJob(projectId, { state, updatedAt: at(i === 4 ? 100 : 0) }))
    await acceptJobs(
      store,
      jobs.map((made) => ({ job: made })),
    )
    expect(await store.contactJobs.forget(at(50), 1)).toBe(1)
    expect(await store.contactJobs.forget(at(50), 9)).toBe(1)
    const left = await Promise.all(jobs.map(({ id }) => store.contactJobs.find(projectId, id)))
    expect(left.map((found) => found?.state)).toEqual([undefined, undefined, 'waiting', 'active', 'completed'])
  })
}

/** A job that waits. */
export function contactJob(projectId: ProjectId, fields: Partial<ContactJob> = {}): ContactJob {
  return {
    ...{ id: newId(), projectId, type: 'import', state: 'waiting', progress: 0 },
    ...{ request: {}, position: {}, result: {}, createdAt: NOON, updatedAt: NOON },
    ...fields,
  }
}

/** Stores these jobs. */
export async function acceptJobs(
  store: Store,
  jobs: readonly { readonly job: ContactJob; readonly file?: Uint8Array }[],
) {
  const decide = () => ({ contacts: [], contents: [], emails: [], events: [], jobs, answer: null })
  await store.writeBatch.commit(request(jobs[0]!.job.projectId, decide))
}

async function claim(store: Store, id: string, token: string): Promise<ContactJob> {
  const claimed = await store.contactJobs.claim(id, at(1), { token, until: at(60) })
  if (!claimed) throw new Error('nobody else has it')
  return claimed
}
