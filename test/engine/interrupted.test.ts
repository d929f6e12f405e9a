import { describe, expect, it } from 'vitest'
import { silentLog } from '../../core/ports/log.ts'
import { acceptJobs, contactJob } from '../contracts/store/contact-jobs.ts'
import { delivery, execution, NOON, newId } from '../contracts/store/records.ts'
import { sendRequest } from '../contracts/store/send-requests.ts'
import { STORES } from '../support/matrix.ts'
import { until } from '../support/until.ts'
import { engineOnStore } from '../support/workflow.ts'

const FAR = new Date(8.64e15)

describe.each(STORES)('work that processes end with, on $name', ({ store: fresh }) => {
  it('is given up after the third time with its reason, mail after the fifth; what was interrupted twice is done', async () => {
    const { engine, store, project } = await engineOnStore(await fresh(), { log: silentLog })
    const { id: projectId } = project
    const mail = { to: 'ada@example.org', from: 'hi@example.com', subject: 'Hi', body: '<p>Hi</p>' }
    const send = async (to: string) => (await engine.sending.send(project, { ...mail, to })).answer.emails[0]!.email
    const sent = await send('ada@example.org')
    const late = await send('bob@example.org')
    const [import_, bulk] = [
      contactJob(projectId),
      contactJob(projectId, { type: 'bulk-subscribe', request: { contactIds: [] } }),
    ]
    await acceptJobs(store, [{ job: import_, file: Buffer.from('email\nc@example.org') }, { job: bulk }])
    const { workflow, steps } = await engine.workflows.create(project, { name: 'Flow', eventName: 'asked' })
    const [contact] = (await engine.contacts.list(project)).items
    const way = execution({ ...workflow, projectId }, contact!.id, { dueAt: NOON, currentStepId: steps[0]!.id })
    await store.executions.start([way])
    const hook = delivery(projectId, { dueAt: NOON })
    await store.webhookDeliveries.add([hook])
    const envelope = {
      sender: 'a@b.example',
      recipients: ['c@example.com'],
      remoteAddress: '::1',
      helo: 'x',
      tls: true,
    }
    const raw = Buffer.from('From: a@b.example\r\nSubject: Poison\r\n\r\nText')
    const message = { id: newId(), projectId, ...envelope, raw, attempts: 0, dueAt: NOON, receivedAt: NOON }
    await store.inbound.add([message])
    const asked = sendRequest({ projectId })
    await store.sendRequests.add([asked])

    for (let time = 1; time <= 5; time++) {
      const alone = time > 2
      const now = new Date()
      const lease = { token: `gone.${time}`, until: new Date(now.getTime() + 60_000), alone }
      const beside = { lane: 'transactional', projectIds: [projectId], share: time === 1 ? 9 : 1 } as const
      await store.emails.claimDue(alone ? 'alone' : beside, now, lease)
      if (time <= 3) {
        for (const { id } of [import_, ...(time === 1 ? [bulk] : [])]) await store.contactJobs.claim(id, now, lease)
        await store.executions.claimDue(now, 9, lease)
        await store.webhookDeliveries.claim(now, 9, lease)
        await store.inbound.claim(now, lease, { messages: 9, bytes: 999 })
        await store.sendRequests.claim(now, lease, { requests: 9, bytes: 999 })
        await store.workers?.takeBack([lease.token], now)
      }
      const { emails, contactJobs, executions, webhookDeliveries, inbound } = store
      for (const kind of [emails, contactJobs, executions, webhookDeliveries, inbound]) await kind.expireLeases(FAR)
    }
    await engine.start()
    const begun = (times: number) =>
      expect.stringContaining(`It was begun ${times} times, and each time the process ended`)
    const ended = <T>(what: string, look: () => Promise<T | undefined>) => until(what, look, 30_000)
    await ended('the mail has failed', async () => (await engine.mails.get(project, sent)).email.status === 'FAILED')
    expect((await engine.mails.get(project, sent)).email.error).toEqual(begun(5))
    await ended('the other is sent', async () => (await engine.mails.get(project, late)).email.sentAt)
    const job = await ended('the import has failed', async () => {
      const found = await store.contactJobs.find(projectId, import_.id)
      return found?.state === 'failed' ? found : undefined
    })
    expect(job.failedReason).toEqual(begun(3))
    const other = await ended('the other job is done', async () => {
      const found = await store.contactJobs.find(projectId, bulk.id)
      return found?.state === 'completed' ? found : undefined
    })
    expect(other.failedReason).toBeUndefined()
    const failed = await ended('the execution has failed', async () => {
      const found = await store.executions.find(projectId, workflow.id, way.id)
      return found?.status === 'FAILED' ? found : undefined
    })
    expect(failed.error).toEqual(begun(3))
    const request = await ended('the webhook has failed', async () => {
      const found = await store.webhookDeliveries.find(projectId, hook.id)
      return found?.status === 'FAILED' ? found : undefined
    })
    expect(request.error).toEqual(begun(3))
    const [received] = await ended('the message is kept', async () => {
      const { items } = await engine.mails.list(project, { status: 'RECEIVED' })
      return items.length > 0 ? items : undefined
    })
    expect(received).toMatchObject({ id: message.id, subject: 'Poison' })
    if (store.workers === undefined) return
    // on this store, other programs ask for mail
    await ended('the request is refused', async () => (await store.sendRequests.next()) === undefined)
  }, 90_000)
})
