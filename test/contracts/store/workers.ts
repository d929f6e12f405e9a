import { expect, it, vi } from 'vitest'
import type { ContactJob } from '../../../core/ports/store/contact-jobs.ts'
import type { WaitingMessage } from '../../../core/ports/store/inbound.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  claimMails,
  delivery,
  email,
  execution,
  NOON,
  newId,
  newProjectId,
  put,
  putContact,
  request,
  workflow,
} from './records.ts'
import { sendRequest } from './send-requests.ts'

/** The promises about workers of a store that several processes can use; one that is exclusive has no such side. */
export function storeWorkersContract(fresh: () => Promise<Store>) {
  it('names who is a member, from joining until leaving, each by another name; an exclusive store has no members', async () => {
    const { exclusive, workers } = await fresh()
    expect(workers === undefined).toBe(exclusive)
    if (!workers) return
    const [one, other] = [await workers.join(), await workers.join()]
    expect(one.name).not.toBe(other.name)
    expect(one.name).not.toContain('.')
    expect(one.session).toBeGreaterThan(0)
    expect([...(await workers.members())]).toEqual(expect.arrayContaining([one.name, other.name]))
    const seen = one.seenAt
    await vi.waitFor(() => expect(one.seenAt).toBeGreaterThan(seen), 5_000)
    expect(performance.now() - one.seenAt).toBeLessThan(5_000)
    await one.leave()
    await vi.waitFor(async () => expect(await workers.members()).not.toContain(one.name), 5_000)
    expect(await workers.members()).toContain(other.name)
    await other.leave()
  })

  it('lets one lead at a time in a task, and the next one when that has released it', async () => {
    const { workers } = await fresh()
    if (!workers) return
    const [one, other, elsewhere] = [await workers.lead('a'), await workers.lead('a'), await workers.lead('b')]
    const led = await one.confirm()
    expect([led?.aborted, await other.confirm(), (await elsewhere.confirm())?.aborted]).toEqual([
      ...[false, undefined, false],
    ])
    await one.release()
    expect(led?.aborted).toBe(true)
    await vi.waitFor(async () => expect((await other.confirm())?.aborted).toBe(false), 5_000)
    await Promise.all([other.release(), elsewhere.release()])
  })

  it('tells what is claimed, of every kind, and frees what was claimed under some tokens', async () => {
    const store = await fresh()
    const { workers } = store
    if (!workers) return expect(store.exclusive).toBe(true)
    const projectId = newProjectId()
    const of = workflow(projectId)
    const people = [await putContact(store, projectId), await putContact(store, projectId)]
    const ways = people.map(({ id }) => execution(of, id))
    const mails = [email(projectId), email(projectId)]
    const [requests, jobs] = [
      [delivery(projectId), delivery(projectId)],
      [job(projectId), job(projectId)],
    ]
    await put(store, projectId, { emails: mails })
    await store.executions.start(ways)
    await store.webhookDeliveries.add(requests)
    const accepted = jobs.map((made) => ({ job: made }))
    const decide = () => ({ contacts: [], contents: [], emails: [], events: [], jobs: accepted, answer: null })
    await store.writeBatch.commit(request(projectId, decide))
    await store.inbound.add([message(projectId), message(projectId)])
    await store.sendRequests.add([sendRequest({ projectId }), sendRequest({ projectId })])
    const claim = async (name: string, i: number) => {
      const lease = (kind: string) => ({ token: `${name}.${kind}`, until: at(900) })
      await claimMails(store, [mails[i]!], NOON, lease('mail'))
      await store.executions.claimDue(NOON, 1, lease('way'))
      await store.webhookDeliveries.claim(NOON, 1, lease('request'))
      await store.contactJobs.claim(jobs[i]!.id, NOON, lease('job'))
      await store.inbound.claim(NOON, lease('message'), { messages: 1, bytes: 1000 })
      await store.sendRequests.claim(NOON, lease('asked'), { requests: 1, bytes: 1000 })
    }
    expect(await workers.claims(at(1))).toEqual({ mails: [], others: [] })
    await claim('dead', 0)
    await claim('alive', 1)
    const { mails: ofMails, others } = await workers.claims(at(1))
    expect(new Set(ofMails)).toEqual(new Set(['dead.mail', 'alive.mail']))
    const all = ['asked', 'job', 'message', 'request', 'way'].flatMap((kind) => [`alive.${kind}`, `dead.${kind}`])
    expect(new Set(others)).toEqual(new Set(all))

    const dead = ['mail', 'way', 'request', 'job', 'message', 'asked'].map((kind) => `dead.${kind}`)
    expect(await workers.takeBack(dead, at(1))).toBe(1)
    expect(await workers.claims(at(1))).toEqual({ mails: ['alive.mail'], others: expect.any(Array) })
    expect(await store.emails.find(projectId, mails[0]!.id)).toMatchObject({ status: 'QUEUED', attempts: 1 })
    expect(await store.emails.find(projectId, mails[1]!.id)).toMatchObject({ status: 'SENDING' })
    const lease = { token: 'next', until: at(900) }
    expect(await claimMails(store, mails, at(1), lease)).toHaveLength(1)
    expect(await store.executions.claimDue(at(1), 9, lease)).toHaveLength(1)
    expect(await store.webhookDeliveries.claim(at(1), 9, lease)).toHaveLength(1)
    expect(await store.inbound.claim(at(1), lease, { messages: 9, bytes: 1000 })).toHaveLength(1)
    expect(await store.sendRequests.claim(at(1), lease, { requests: 9, bytes: 1000 })).toHaveLength(1)
    expect(await store.contactJobs.claim(jobs[0]!.id, at(1), lease)).toMatchObject({ id: jobs[0]!.id })
    expect(await store.contactJobs.claim(jobs[1]!.id, at(1), lease)).toBeUndefined()
  })
}

function message(projectId: ProjectId): WaitingMessage {
  return {
    ...{ id: newId(), projectId, sender: '', recipients: ['help@a.example'], raw: Buffer.from('x'), remoteAddress: '' },
    ...{ helo: '', tls: false, attempts: 0, dueAt: NOON, receivedAt: NOON },
  }
}

function job(projectId: ProjectId): ContactJob {
  return {
    ...{ id: newId(), projectId, type: 'import', state: 'waiting', progress: 0 },
    ...{ request: {}, position: {}, result: {}, createdAt: NOON, updatedAt: NOON },
  }
}
