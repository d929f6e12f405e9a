import { expect, it } from 'vitest'
import type { ClaimLease, Interrupted } from '../../../core/ports/store/interrupted.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { acceptJobs, contactJob } from './contact-jobs.ts'
import {
  at,
  delivery,
  endpoint,
  event,
  execution,
  NOON,
  newId,
  newProjectId,
  putContact,
  putEmail,
  workflow,
} from './records.ts'
import { sendRequest } from './send-requests.ts'

type Claimed = Interrupted & { readonly id: string }

/** A piece of work of one kind, and what becomes of it. */
interface Piece {
  readonly claim: (lease: ClaimLease) => Promise<readonly Claimed[]>
  /** Ends the claim in order, so that the work is due again. */
  readonly goOn: (token: string) => Promise<unknown>
  /** Ends it for a process that has ended; undefined where no other process could. */
  readonly leave: ((token: string) => Promise<unknown>) | undefined
}

const FAR = new Date(8.64e15)

const KINDS: Readonly<Record<string, (store: Store) => Promise<Piece>>> = {
  async 'a mail'({ emails, ...store }) {
    const projectId = newProjectId()
    const { id, lane } = await putEmail({ ...store, emails }, projectId, { dueAt: NOON })
    const beside = { lane, projectIds: [projectId], share: 9 }
    return {
      claim: (lease) => emails.claimDue(lease.alone ? 'alone' : beside, at(1), lease),
      goOn: (token) => emails.release([id], token, at(1)),
      leave: () => emails.expireLeases(FAR),
    }
  },
  async 'a job'(store) {
    const job = contactJob(newProjectId())
    await acceptJobs(store, [{ job }])
    const { contactJobs } = store
    return {
      async claim(lease) {
        const ids = await contactJobs.due(at(1), 9, lease.alone)
        const claimed = ids.includes(job.id) ? await contactJobs.claim(job.id, at(1), lease) : undefined
        return claimed ? [claimed] : []
      },
      goOn: (token) => contactJobs.release(job.id, token),
      leave: () => contactJobs.expireLeases(FAR),
    }
  },
  async 'an execution'(store) {
    const { executions } = store
    const of = workflow(newProjectId())
    const made = execution(of, (await putContact(store, of.projectId)).id, { dueAt: NOON })
    await executions.start([made])
    return {
      claim: (lease) => executions.claimDue(at(1), 9, lease),
      goOn: (token) => executions.advance([{ execution: made, token, runs: [] }]),
      leave: () => executions.expireLeases(FAR),
    }
  },
  async 'a received message'({ inbound }) {
    const envelope = { sender: 'a@b.example', recipients: ['c@d.example'], remoteAddress: '::1', helo: 'x', tls: true }
    const times = { dueAt: NOON, receivedAt: NOON }
    const message = {
      id: newId(),
      projectId: newProjectId(),
      ...envelope,
      raw: new Uint8Array(1),
      attempts: 0,
      ...times,
    }
    await inbound.add([message])
    return {
      claim: (lease) => inbound.claim(at(1), lease, { messages: 9, bytes: 9 }),
      goOn: (token) => inbound.putOff(message.id, token, NOON),
      leave: () => inbound.expireLeases(FAR),
    }
  },
  async 'a webhook'({ webhookDeliveries }) {
    const made = delivery(newProjectId(), { dueAt: NOON })
    await webhookDeliveries.add([made])
    return {
      claim: (lease) => webhookDeliveries.claim(at(1), 9, lease),
      goOn: (token) => webhookDeliveries.record(made, token),
      leave: () => webhookDeliveries.expireLeases(FAR),
    }
  },
  async 'an event'(store) {
    const projectId = newProjectId()
    const { id } = await putContact(store, projectId)
    await store.webhookEndpoints.insert(endpoint(projectId))
    await store.events.record([event(projectId, id)])
    const { outbox } = store
    return {
      claim: (lease) => outbox.claim(at(1), 9, lease),
      goOn: async (token) =>
        outbox.release(
          (await outbox.pending(9)).map((each) => each.id),
          token,
        ),
      leave: () => outbox.expireLeases(FAR),
    }
  },
  async 'work without a row'({ begunWork }) {
    const piece = { key: newId(), projectId: newProjectId() }
    return {
      async claim(lease) {
        const begun = await begunWork.begin('segment', [piece], at(1), lease)
        return begun.map(({ key, interrupted }) => ({ id: key, ...(interrupted === undefined ? {} : { interrupted }) }))
      },
      goOn: (token) => begunWork.end({ ...piece, kind: 'segment', token }),
      leave: () => begunWork.expireLeases(FAR),
    }
  },
  async 'a request of another program'({ sendRequests, workers }) {
    const made = sendRequest()
    await sendRequests.add([made])
    return {
      claim: (lease) => sendRequests.claim(at(1), lease, { requests: 9, bytes: 99 }),
      goOn: (token) => sendRequests.putOff(token, made.id, NOON),
      leave: workers && ((token) => workers.takeBack([token], at(1))),
    }
  },
}

/** The promises of a store about work that processes end with. */
export function storeInterruptedContract(fresh: () => Promise<Store>) {
  it.each(
    Object.keys(KINDS),
  )('counts how often %s was left behind, then gives it alone, and forgets it when it went on', async (kind) => {
    const { claim, goOn, leave } = await KINDS[kind]!(await fresh())
    if (leave === undefined) return
    const lease = (alone: boolean) => ({ token: `member.${newId()}`, until: at(60), alone })
    const claimed = async (alone: boolean) => {
      const own = lease(alone)
      const [one, ...more] = await claim(own)
      expect(more).toEqual([])
      return one && { token: own.token, interrupted: one.interrupted }
    }
    for (const interrupted of [undefined, 1]) {
      expect(await claimed(true)).toBeUndefined()
      const one = await claimed(false)
      expect(one).toMatchObject({ interrupted })
      await leave(one!.token)
    }
    for (const interrupted of [2, 3]) {
      expect(await claimed(false)).toBeUndefined()
      const one = await claimed(true)
      expect(one).toMatchObject({ interrupted })
      expect(await claimed(true)).toBeUndefined()
      await leave(one!.token)
    }
    await goOn((await claimed(true))!.token)
    expect(await claimed(true)).toBeUndefined()
    expect(await claimed(false)).toMatchObject({ interrupted: undefined })
  })

  it('begins what was left behind without being asked for it, and lists what was given up until it is forgotten', async () => {
    const { begunWork } = await fresh()
    const lease = () => ({ token: `member.${newId()}`, until: at(60) })
    const [one, other] = [{ key: newId(), projectId: newProjectId() }, { key: 'bodies' }]
    expect(await begunWork.begin('campaign', [], at(1), lease())).toEqual([])
    const [begun] = await begunWork.begin('campaign', [one], at(1), lease())
    expect(begun).toMatchObject({ kind: 'campaign', ...one })
    await begunWork.expireLeases(FAR)
    const [again] = await begunWork.begin('campaign', [], at(1), lease())
    expect(again).toMatchObject({ ...one, interrupted: 1 })
    await begunWork.goOn(again!)
    await begunWork.expireLeases(FAR)
    expect(await begunWork.begin('campaign', [], at(1), lease())).toMatchObject([{ interrupted: 1 }])
    await begunWork.begin('retention', [other], at(1), lease())
    for (const [kind, piece] of [
      ['event', one],
      ['retention', other],
    ] as const)
      await begunWork.giveUp({ kind, ...piece, reason: 'It never ends.', at: at(piece === one ? 1 : 2) })
    expect(await begunWork.givenUp()).toEqual([
      { kind: 'retention', ...other, reason: 'It never ends.', at: at(2) },
      { kind: 'event', ...one, reason: 'It never ends.', at: at(1) },
    ])
    expect(await begunWork.begin('retention', [other], at(3), lease())).toEqual([])
    await begunWork.forget('retention', at(3))
    expect(await begunWork.begin('retention', [other], at(3), lease())).toMatchObject([other])
  })
}
