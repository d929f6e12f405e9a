import { describe, expect, it } from 'vitest'
import type { Engine } from '../../core/engine.ts'
import { silentLog } from '../../core/ports/log.ts'
import { BEGUN_KINDS } from '../../core/ports/store/begun-work.ts'
import type { Project } from '../../core/ports/store/projects.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { sourceFiles } from '../architecture/source-files.ts'
import { acceptJobs, contactJob } from '../contracts/store/contact-jobs.ts'
import { delivery, execution, NOON, newId } from '../contracts/store/records.ts'
import { sendRequest } from '../contracts/store/send-requests.ts'
import { series } from '../contracts/store/series.ts'
import { STRICT } from '../support/matrix.ts'
import { until } from '../support/until.ts'
import { engineOnStore } from '../support/workflow.ts'

const FAR = new Date(8.64e15)

/** The work that is claimed under a lease, by the file that says for how long, and the test that gives it up. */
const CLAIMED = [
  ...['contacts/contact-jobs', 'delivery/mail-work', 'inbound/read-inbound', 'mails/accept-requests'],
  ...['webhooks/deliver-webhooks', 'workflows/run/run-workflows'],
  // the second test; of what is begun without a row, all kinds but those of retention, which test/rooms/retention has
  ...['campaigns/fan-out', 'segments/compute-segments', 'workflows/dispatch/dispatch-events'],
  'workflows/dispatch/start-by-dates',
]
const BEGUN = ['segment', 'campaign', 'series', 'event', 'dates']
const OF_RETENTION = ['retention', 'erasure']

it('is given up in a test of each kind', () => {
  const files = sourceFiles().filter(
    ({ path, text }) =>
      /^core\//.test(path) && /^ +(?:readonly )?(?:const common = .*)?leaseMs(?: =|:) (?!0$|number)/m.test(text),
  )
  expect(files.map(({ path }) => path).sort()).toEqual(CLAIMED.map((name) => `core/${name}.ts`).sort())
  expect([...BEGUN, ...OF_RETENTION].sort()).toEqual([...BEGUN_KINDS].sort())
})

describe.each([STRICT])('work that processes end with, on $name', ({ store: fresh }) => {
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

  it('without a row of its own is given up where its noun shows it, beside what goes on', async () => {
    const { engine, store, project } = await engineOnStore(await fresh(), { log: silentLog })
    const { id: projectId } = project
    await engine.contacts.upsert(project, { email: 'ada@example.org', data: { x: 1 } })
    const filters = { operator: 'AND', conditions: [{ field: 'data.x', operator: 'equals', value: 1 }] } as const
    const segment = (name: string) => engine.segments.create(project, { name, filters, trackMembership: true })
    const sent = async (name: string) => {
      const mail = { subject: 'Hi', body: '<p>Hi</p>', from: 'hi@example.com', audienceType: 'ALL' } as const
      const { campaign } = await engine.campaigns.create(project, { ...mail, name })
      const { id } = campaign
      await engine.campaigns.send(project, id, {})
      return id
    }
    const [bad, good] = [await segment('Bad'), await segment('Good')]
    const [ill, well] = [await sent('Ill'), await sent('Well')]
    await engine.workflows.create(project, { name: 'Flow', eventName: 'asked' })
    await engine.webhooks.create(project, { url: 'https://hooks.example.com/', events: ['asked'] })
    for (let i = 0; i < 2; i++) await engine.events.track(project, { email: 'ada@example.org', event: 'asked' })
    const dueAt = new Date()
    const [broken, sound] = ['Broken', 'Sound'].map((name) =>
      series(projectId, { name, campaignId: ill, nextAt: dueAt, createdAt: dueAt, updatedAt: dueAt }),
    ) as [ReturnType<typeof series>, ReturnType<typeof series>]
    for (const each of [broken, sound]) await store.series.insert(each)
    const dated = await Promise.all(['renewsAt', 'endsAt'].map((field) => datedWorkflow(engine, store, project, field)))
    const events = await store.outbox.pending(9)
    for (let time = 1; time <= 3; time++) {
      const now = new Date()
      const lease = { token: `gone.${time}`, until: new Date(now.getTime() + 60_000), alone: time > 2 }
      const begin = (kind: 'segment' | 'campaign' | 'series' | 'dates', ids: readonly string[]) =>
        store.begunWork.begin(
          kind,
          ids.map((key) => ({ key, projectId })),
          now,
          lease,
        )
      await begin('segment', time === 1 ? [bad.id, good.id] : [bad.id])
      await begin('campaign', time === 1 ? [ill, well] : [ill])
      await begin('series', time === 1 ? [broken.id, sound.id] : [broken.id])
      await begin('dates', time === 1 ? dated : dated.slice(0, 1))
      await store.outbox.claim(now, time === 1 ? 9 : 1, lease)
      for (const kind of [store.outbox, store.begunWork]) await kind.expireLeases(FAR)
    }
    await engine.start()
    const reason = expect.stringContaining('It was begun 3 times')
    await until(
      'the campaign is paused',
      async () => (await engine.campaigns.get(project, ill)).campaign.status === 'PAUSED',
    )
    expect((await engine.campaigns.get(project, ill)).campaign).toMatchObject({ statusReason: reason })
    await until('the other is sent', async () => (await engine.campaigns.get(project, well)).campaign.status === 'SENT')
    await until('the segment has a problem', async () => (await engine.segments.get(project, bad.id)).problem)
    expect(await engine.segments.get(project, bad.id)).toMatchObject({ problem: reason })
    await until('the other is computed', async () => (await engine.segments.get(project, good.id)).computedAt)
    await until('the events are dispatched', async () => (await store.outbox.pending(9)).length === 0)
    const seriesOf = (id: string) => engine.campaigns.series.get(project, id)
    await until('the series has a problem', async () => (await seriesOf(broken.id)).problem, 20_000)
    expect(await seriesOf(broken.id)).toMatchObject({ problem: reason, issues: 0 })
    expect(await seriesOf(broken.id)).not.toHaveProperty('nextAt')
    await until('the other makes an issue', async () => (await seriesOf(sound.id)).issues === 1, 20_000)
    const startedBy = async (id = '') => (await engine.workflows.executions.list(project, id)).total
    await until('the other workflow starts', async () => (await startedBy(dated[1])) === 1, 20_000)
    const lookedAgain = async () => (await store.workflows.find(projectId, dated[0]!))!.startedUntil! > dueAt
    await until('the dates are given up', lookedAgain, 20_000)
    expect(await startedBy(dated[0])).toBe(0)
    const { givenUp } = await engine.analytics.operations.view()
    expect(givenUp).toMatchObject([{ kind: 'event', key: events[0]!.id, projectId, reason }])
    // by hand they go on
    await engine.campaigns.send(project, ill, {})
    await until(
      'the campaign is sent',
      async () => (await engine.campaigns.get(project, ill)).campaign.status === 'SENT',
    )
    await engine.segments.compute(project, bad.id)
    expect(await engine.segments.get(project, bad.id)).toMatchObject({ memberCount: 1 })
    expect(await engine.segments.get(project, bad.id)).not.toHaveProperty('problem')
  }, 90_000)
})

/** A workflow of a contact whose date came a minute ago, while nothing ran. Answers its id. */
async function datedWorkflow(engine: Engine, store: Store, project: Project, field: string): Promise<string> {
  const now = Date.now()
  const date = new Date(now - 60_000).toISOString()
  await engine.contacts.upsert(project, { email: `${field}@example.org`, data: { [field]: date } })
  const triggerConfig = { field: `data.${field}`, at: date.slice(11, 16), timezone: 'UTC' }
  const { workflow } = await engine.workflows.create(project, {
    ...{ name: field, triggerType: 'DATE', triggerConfig },
    steps: [{ key: 'end', type: 'EXIT' }],
    transitions: [{ from: 'trigger', to: 'end' }],
  })
  await engine.workflows.change(project, workflow.id, { enabled: true })
  const before = await store.workflows.find(project.id, workflow.id)
  const startedUntil = new Date(now - 3_600_000)
  await store.workflows.update({ ...before!, startedUntil, dueAt: new Date(now) })
  return workflow.id
}
