import { expect, it } from 'vitest'
import type { ActivityEntry, ActivityFilter } from '../../../core/ports/store/activity.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { type ActivityType, activityTypeOf } from '../../../core/values/activity-type.ts'
import { ledgerEventId } from '../../../core/values/event-names.ts'
import { idOf } from '../../../core/values/id.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { between, chanceOf } from '../../support/chance.ts'
import {
  at,
  campaign,
  claimMails,
  email,
  event,
  execution,
  newId,
  newProjectId,
  put,
  putContact,
  removeWholly,
  result,
  workflow,
} from './records.ts'

const NAMES = ['paid', 'seen', 'segment.vip.entry', 'email.open', 'email.click', 'email.received', 'contact.subscribed']

/** The promises of a store about the list of all that happened, which it merges from several tables. */
export function storeActivityListContract(fresh: () => Promise<Store>) {
  it('has everything once, newest first, whatever is asked for and however it is paged', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const people = [await putContact(store, projectId), await putContact(store, projectId)]
    const elsewhere = newProjectId()
    await happen(store, elsewhere, [await putContact(store, elsewhere)], 4)
    await happen(store, projectId, people, 50)
    const all = await read(store, projectId, {}, 500)
    expect(all).toHaveLength(50 + 10 + 10 + 10 + 5)
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all).toEqual(all.toSorted((a, b) => (a.id < b.id ? 1 : -1)))

    const [ada] = people
    const filters: readonly ActivityFilter[] = [
      {},
      { types: ['event.triggered'] },
      { types: ['event.triggered', 'email.sent', 'workflow.completed'] },
      { types: ['email.open', 'email.click'] },
      { types: ['email.delivery'] },
      { types: ['email.complaint'] },
      { types: ['campaign.sent'] },
      { contactId: ada!.id },
      { contactId: ada!.id, types: ['email.received', 'email.delivery', 'workflow.started', 'campaign.sent'] },
      { contactId: ada!.id, types: ['event.triggered'], from: at(10) },
      { from: at(20), to: at(40) },
      { types: ['email.sent', 'event.triggered', 'workflow.started', 'campaign.sent'], from: at(7), to: at(31) },
      { types: ['contact.subscribed'], to: at(7) },
    ]
    for (const filter of filters) {
      const expected = all.filter((entry) => isMeant(entry, filter))
      for (const limit of [1, 7, 500]) expect(await read(store, projectId, filter, limit)).toEqual(expected)
      expect(await store.activity.count(projectId, filter, 500)).toBe(expected.length)
    }
    expect(await store.activity.count(projectId, { from: at(0) }, 9)).toBe(9)
    expect(await store.activity.types(projectId)).toEqual(new Set(all.map(typeOf)))
    expect(await read(store, newProjectId(), {}, 9)).toEqual([])
    expect(await store.activity.types(newProjectId())).toEqual(new Set())
  })

  it('tells who and what each is about, and nothing of what received mail says', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const flow = workflow(projectId)
    await store.workflows.insert({ workflow: flow, steps: [], transitions: [] })
    const run = execution(flow, ada.id, { status: 'EXITED', startedAt: at(1), completedAt: at(5) })
    await store.executions.start([run])
    const data = { text: 'secret', html: 'secret' }
    await store.events.record([
      event(projectId, ada.id, { id: idOf(at(2), 'a'), name: 'email.received', data, createdAt: at(2) }),
      event(projectId, ada.id, { id: idOf(at(3), 'b'), name: 'paid', data: { sum: 1 }, createdAt: at(3) }),
    ])
    await store.campaigns.insert(campaign(projectId, { name: 'News', status: 'SENT', sentAt: at(4) }))
    await store.campaigns.insert(campaign(projectId, { status: 'FAILED', sentAt: at(4) }))
    const whom = { executionId: run.id, workflowId: flow.id, workflowName: flow.name, contactId: ada.id }
    const told = await read(store, projectId, {}, 9)
    expect(told).toMatchObject([
      { workflow: { ...whom, type: 'workflow.completed', at: at(5), status: 'EXITED', contactEmail: ada.email } },
      { campaign: { name: 'News', sentAt: at(4) } },
      { event: { name: 'paid', data: { sum: 1 }, contact: { email: ada.email } } },
      { event: { name: 'email.received', data: {}, contact: { email: ada.email } } },
      { workflow: { ...whom, type: 'workflow.started', at: at(1) } },
    ])
    await removeWholly(store, projectId, ada.id)
    const left = await read(store, projectId, {}, 9)
    expect(left.map(typeOf)).toEqual(['workflow.completed', 'campaign.sent', 'workflow.started'])
    expect(JSON.stringify(left)).not.toContain(ada.email)
  })

  it('knows what is to happen: campaigns, mails with a set time, and steps that wait', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const ada = await putContact(store, projectId)
    const flow = workflow(projectId)
    await store.workflows.insert({ workflow: flow, steps: [], transitions: [] })
    const waits = execution(flow, ada.id, { status: 'WAITING', dueAt: at(300), waitingFor: 'paid' })
    await store.executions.start([waits])
    const planned = campaign(projectId, { status: 'SCHEDULED', scheduledAt: at(100) })
    await store.campaigns.insert(planned)
    await store.campaigns.insert(campaign(projectId, { status: 'SCHEDULED', scheduledAt: at(9999) }))
    const later = email(projectId, { dueAt: at(200) })
    const again = email(projectId, { dueAt: at(200), attempts: 1, error: '451 later' })
    await store.emails.add([later, again, email(projectId), email(newProjectId(), { dueAt: at(200) })], [])
    const found = await store.activity.upcoming(projectId, at(0), at(1000), 9)
    expect(found).toMatchObject([
      { type: 'campaign.scheduled', at: at(100), id: planned.id, name: planned.name },
      { type: 'email.scheduled', at: at(200), id: later.id },
      { type: 'workflow.waiting', at: at(300), executionId: waits.id, waitingFor: 'paid', contactEmail: ada.email },
    ])
    expect(await store.activity.upcoming(projectId, at(150), at(1000), 1)).toEqual([found[1]])
    expect(await store.activity.upcoming(projectId, at(300), at(1000), 9)).toEqual([])
  })
}

/** Events, sent mails, executions and campaigns, many of them in the same millisecond. */
async function happen(store: Store, projectId: ProjectId, people: readonly { id: string }[], count: number) {
  const chance = chanceOf(count)
  const moment = () => at(between(chance, 0, 50))
  const whom = () => people[between(chance, 0, people.length - 1)]!.id
  await store.events.record(
    Array.from({ length: count }, (_, i) => {
      const createdAt = moment()
      const name = NAMES[i % NAMES.length]!
      return event(projectId, whom(), { id: idOf(createdAt, `${projectId} ${i}`), name, createdAt })
    }),
  )
  for (let i = 0; i < count / 5; i++) {
    const [mail, sentAt] = [email(projectId, { contactId: whom() }), moment()]
    await put(store, projectId, { emails: [mail] })
    await claimMails(store, [mail], at(99), { token: 'w1', until: at(300) })
    const of = (name: 'email.sent' | 'email.delivery') =>
      event(projectId, mail.contactId!, { id: ledgerEventId(name, mail.id, sentAt), name, createdAt: sentAt })
    const ledgerEvents = [of('email.sent'), of('email.delivery')]
    await store.emails.record([result(mail, 'w1', { status: 'DELIVERED', at: sentAt, ledgerEvents })])
  }
  const flow = workflow(projectId)
  await store.workflows.insert({ workflow: flow, steps: [], transitions: [] })
  for (let i = 0; i < count / 10; i++) {
    const ended = { status: i % 2 ? 'COMPLETED' : 'EXITED', completedAt: moment() } as const
    await store.executions.start([execution(flow, whom(), { ...ended, startedAt: moment() })])
    await store.campaigns.insert(campaign(projectId, { status: 'SENT', sentAt: moment() }))
    await store.campaigns.insert(campaign(projectId))
  }
  const failed = { status: 'FAILED', completedAt: at(1), startedAt: at(99_999) } as const
  await store.executions.start([execution(workflow(newProjectId()), newId(), failed)])
}

async function read(store: Store, projectId: ProjectId, filter: ActivityFilter, limit: number) {
  const entries: ActivityEntry[] = []
  for (;;) {
    const last = entries.at(-1)
    const after = last && { value: '', id: last.id }
    const page = await store.activity.page(projectId, filter, { limit, ...(after ? { after } : {}) })
    entries.push(...page.slice(0, limit))
    if (page.length <= limit) return entries
  }
}

function typeOf(entry: ActivityEntry): ActivityType {
  if ('event' in entry) return activityTypeOf(entry.event.name)
  return 'campaign' in entry ? 'campaign.sent' : entry.workflow.type
}

function isMeant(entry: ActivityEntry, { types, contactId, from, to }: ActivityFilter): boolean {
  const whose = 'event' in entry ? entry.event.contactId : 'workflow' in entry ? entry.workflow.contactId : undefined
  const moment =
    'event' in entry ? entry.event.createdAt : 'workflow' in entry ? entry.workflow.at : entry.campaign.sentAt
  if (types && !types.includes(typeOf(entry))) return false
  if (contactId !== undefined && whose !== contactId) return false
  return (from === undefined || moment >= from) && (to === undefined || moment < to)
}
