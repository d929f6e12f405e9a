import { expect, it } from 'vitest'
import { type ActivityFigures, FIGURES, type Figure } from '../../../core/ports/store/analytics.ts'
import type { Email } from '../../../core/ports/store/emails.ts'
import type { EventRecord } from '../../../core/ports/store/events.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { idOf, NIL_ID } from '../../../core/values/id.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { between, type Chance, chanceOf } from '../../support/chance.ts'
import { filled } from './campaign-mails.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  email,
  event,
  execution,
  newId,
  newProjectId,
  putEmail,
  removeWholly,
  result,
  workflow,
} from './records.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const NEW_YEAR = Date.UTC(2025, 0, 1)

/** The promises of a store about the figures by moment: that they are what the rows count, whatever happens to them. */
export function storeAnalyticsContract(fresh: () => Promise<Store>) {
  it('has the figures of any days, those of another project apart, and no differences from the rows', async () => {
    const store = await fresh()
    const [projectId, other] = [newProjectId(), newProjectId()]
    const chance = chanceOf(20_260_101)
    const mails = Array.from({ length: 120 }, () => anyMail(projectId, chance))
    await store.emails.add(mails, [])
    await store.emails.add([anyMail(other, chance)], [])
    const events = Array.from({ length: 60 }, () => anyEvent(projectId, chance))
    await store.events.record(events)
    const counted = [...momentsOf(mails), ...events.map(({ createdAt }) => ['events', createdAt] as const)]

    // half an hour and three quarters are zones, and not every day has 24 hours
    for (const offset of [0, 5.5, 5.75, -11, 14, -3.5]) {
      const days = Array.from({ length: 12 }, (_, i) => ({
        from: new Date(NEW_YEAR - offset * HOUR + i * DAY),
        to: new Date(NEW_YEAR - offset * HOUR + (i + 1) * DAY + (i === 6 ? HOUR : 0)),
      }))
      const found = await store.analytics.figures(projectId, days)
      expect(found).toEqual(days.map((day) => figuresIn(counted, day.from, day.to)))
    }
    const all = [{ from: new Date(NEW_YEAR - 2 * DAY), to: new Date(NEW_YEAR + 20 * DAY) }]
    expect(await store.analytics.figures(projectId, all)).toEqual([figuresIn(counted, all[0]!.from, all[0]!.to)])
    expect(await store.analytics.figures(projectId, [])).toEqual([])
    expect(await store.analytics.figures(newProjectId(), all)).toEqual([figuresIn([], all[0]!.from, all[0]!.to)])
    expect(await store.analytics.recount(projectId, false)).toEqual([])
    expect(await store.analytics.recount(other, true)).toEqual([])
  })

  it('moves a mail that is written with another time, and counts a first opening once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const mail = await putEmail(store, projectId)
    const [one, two] = [at(0), at(7200)]
    const take = async (token: string) => claimMails(store, [mail], at(9000), { token, until: at(9999) })
    await take('w1')
    await store.feedback.write([{ projectId, emailId: mail.id, at: one, deliveredAt: one }])
    await store.emails.record([result(mail, 'w1', { at: two, status: 'DELIVERED' })])
    await store.feedback.write([{ projectId, emailId: mail.id, at: two, bouncedAt: two, complainedAt: two }])
    await store.feedback.write([{ projectId: newProjectId(), emailId: mail.id, at: two, bouncedAt: one }])
    const act = { projectId, emailId: mail.id, machine: false } as const
    await store.emails.recordActivity([
      { ...act, kind: 'open', at: one },
      { ...act, kind: 'open', at: two },
      { ...act, kind: 'click', at: two },
    ])
    await store.emails.recordActivity([{ ...act, kind: 'click', at: one }])
    const hours = [one, two].map((from) => ({ from: quarter(from), to: new Date(quarter(from).getTime() + HOUR) }))
    const [first, second] = await store.analytics.figures(projectId, hours)
    expect(first).toEqual({ ...NONE, opened: 1 })
    expect(second).toEqual({ ...NONE, sent: 1, bounced: 1, complained: 1, clicked: 1 })
    expect(await store.analytics.recount(projectId, false)).toEqual([])
    await removeWholly(store, projectId, mail.contactId!)
    expect(await store.analytics.figures(projectId, hours)).toEqual([first, second])
  })

  it('takes back that a mail was delivered which comes back, for good or not, and which is then sent again', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const sent = campaign(projectId, { status: 'SENDING' })
    await store.campaigns.insert(sent)
    const [gone, full] = [
      await putEmail(store, projectId, { campaignId: sent.id }),
      await putEmail(store, projectId, { campaignId: sent.id }),
    ]
    const [one, two] = [at(0), at(7200)]
    const deliver = async (moment: Date, token: string) => {
      await claimMails(store, [gone, full], at(90_000), { token, until: at(99_999) })
      const results = [gone, full].map((mail) => result(mail, token, { at: moment, status: 'DELIVERED' }))
      await store.emails.record(results)
    }
    const delivered = async () => {
      const hours = [one, two].map((from) => ({ from: quarter(from), to: new Date(quarter(from).getTime() + HOUR) }))
      const figures = await store.analytics.figures(projectId, hours)
      const course = await store.campaignMails.course(projectId, sent.id, at(-DAY / 1000), at(DAY / 1000))
      const ofCourse = course.filter(({ figure, count }) => figure === 'delivered' && count !== 0)
      expect(ofCourse.reduce((sum, { count }) => sum + count, 0)).toBe(
        figures.reduce((sum, day) => sum + day.delivered, 0),
      )
      expect(await store.analytics.recount(projectId, false)).toEqual([])
      return figures.map((day) => day.delivered)
    }
    await deliver(one, 'w1')
    expect(await delivered()).toEqual([2, 0])
    const cameBack = { projectId, at: two } as const
    await store.feedback.write([
      { ...cameBack, emailId: gone.id, status: 'BOUNCED', bouncedAt: two },
      { ...cameBack, emailId: full.id, status: 'FAILED', softBouncedAt: two },
    ])
    expect(await delivered()).toEqual([0, 0])
    expect(await store.campaignMails.retryFailed(projectId, sent.id, two, 9, at(99_999))).toBe(1)
    expect(await store.campaignMails.requeue(projectId, sent.id, [gone.id], two, at(99_999))).toBe(1)
    expect(await delivered()).toEqual([0, 0])
    await deliver(two, 'w2')
    expect(await delivered()).toEqual([0, 2])
  })

  it('counts executions that start and come to an end, until their workflow is removed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [flow, other] = [workflow(projectId), workflow(projectId)]
    for (const each of [flow, other]) await store.workflows.insert({ workflow: each, steps: [], transitions: [] })
    const contacts = Array.from({ length: 4 }, () => contact(projectId))
    await store.contacts.save(contacts)
    const runs = contacts.map(({ id }) => execution(flow, id))
    await store.executions.start([...runs, ...runs.map((run) => ({ ...run, id: newId() }))])
    await store.executions.start([execution(other, contacts[0]!.id)])
    const ends = [
      { status: 'COMPLETED', completedAt: at(60) },
      { status: 'EXITED', completedAt: at(60) },
      { status: 'FAILED', completedAt: at(60) },
    ] as const
    const claimed = await store.executions.claimDue(at(1), 9, { token: 'w1', until: at(99) })
    const mine = claimed.filter(({ workflowId }) => workflowId === flow.id)
    await store.executions.advance(
      ends.map((end, i) => {
        const { dueAt, token, ...run } = mine[i]!
        return { execution: { ...run, ...end }, token, runs: [] }
      }),
    )
    await store.executions.cancel(projectId, [mine[3]!.id], at(61))
    const hour = [{ from: quarter(at(0)), to: new Date(quarter(at(0)).getTime() + HOUR) }]
    const figures = async () => (await store.analytics.figures(projectId, hour))[0]
    expect(await figures()).toEqual({ ...NONE, started: 5, completed: 2 })
    expect(await store.analytics.recount(projectId, false)).toEqual([])
    await store.workflows.remove(projectId, flow.id)
    expect(await figures()).toEqual({ ...NONE, started: 1 })
    expect(await store.analytics.recount(projectId, false)).toEqual([])
  })

  it('counts custom events by name, most frequent first, until they are removed', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const person = contact(projectId)
    await store.contacts.save([person])
    const make = (name: string, moment: number, count = 1) =>
      Array.from({ length: count }, (_, i) => {
        const createdAt = new Date(NEW_YEAR + moment)
        return event(projectId, person.id, { id: idOf(createdAt, `${name} ${moment} ${i}`), name, createdAt })
      })
    await store.events.record([
      ...make('paid', 0, 3),
      ...make('paid', 5 * DAY, 2),
      ...make('left', 5 * DAY, 2),
      ...make('paid', 9 * DAY),
      ...make('seen', 9.9 * DAY, 4),
      ...make('old', 0),
    ])
    await store.events.record([
      ...make('email.open', 9 * DAY, 9),
      ...make('segment.vip.entry', 9 * DAY, 9),
      ...make('contact.subscribed', 9 * DAY, 9),
      ...make('contact.tracking', 9 * DAY, 9),
    ])
    const span = (from: number, to: number) => ({ from: new Date(NEW_YEAR + from), to: new Date(NEW_YEAR + to) })
    const [period, before] = [span(4.5 * DAY, 9.75 * DAY), span(-0.25 * DAY, 4.5 * DAY)]
    const top = (limit = 9) => store.analytics.topEvents(projectId, period, before, limit)
    const paid = { name: 'paid', count: 3, before: 3 }
    expect(await top()).toEqual([paid, { name: 'left', count: 2, before: 0 }])
    expect(await top(1)).toEqual([paid])
    expect(await store.analytics.topEvents(newProjectId(), period, before, 9)).toEqual([])
    // the system's own events of which no type tells count as events, too
    expect((await store.analytics.figures(projectId, [period]))[0]).toEqual({ ...NONE, events: 23 })

    await store.events.removeNamed(projectId, 'left', 9)
    await store.retention.removeEvents({ after: NIL_ID, before: idOf(new Date(NEW_YEAR + DAY), ''), limit: 9 })
    expect(await top()).toEqual([{ name: 'paid', count: 3, before: 0 }])
    expect(await store.analytics.recount(projectId, false)).toEqual([])
    await removeWholly(store, projectId, person.id)
    expect(await top()).toEqual([])
    expect(await store.analytics.recount(projectId, false)).toEqual([])
  })

  it('has the results of every campaign, with those that count anonymously, and its name', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const times = { sentAt: at(1), deliveredAt: at(1), openedAt: at(2) }
    const [news] = await filled(store, projectId, 3, (i) => (i === 0 ? {} : { ...times, clickedAt: at(3) }))
    const [silent, [shy]] = await filled(store, projectId, 1, () => times)
    const draft = campaign(projectId, { name: 'Draft' })
    await store.campaigns.insert(draft)
    const person = await store.contacts.find(projectId, shy!.contactId!)
    await store.contacts.save([{ ...person!, tracking: 'anonymous' }])
    await store.emails.recordActivity([{ projectId, emailId: shy!.id, kind: 'click', at: at(9), machine: false }])
    await filled(store, newProjectId(), 1, () => times)
    const found = await store.analytics.campaigns(projectId)
    const none = { sent: 0, delivered: 0, toFolder: 0, opened: 0, clicked: 0, bounced: 0 }
    expect(found.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { ...none, id: news.id, status: news.status, sent: 2, delivered: 2, opened: 2, clicked: 2 },
      { ...none, id: silent.id, status: silent.status, sent: 1, delivered: 1, opened: 1, clicked: 1 },
      { ...none, id: draft.id, status: 'DRAFT' },
    ])
    const titles = await store.analytics.campaignTitles(projectId, [draft.id, newId()])
    expect([...titles]).toEqual([[draft.id, { name: 'Draft', subject: draft.subject }]])
    expect((await store.analytics.campaignTitles(newProjectId(), [draft.id])).size).toBe(0)
  })
}

const NONE = Object.fromEntries(FIGURES.map((figure) => [figure, 0])) as ActivityFigures

function quarter(moment: Date): Date {
  return new Date(moment.getTime() - (moment.getTime() % 900_000))
}

/** Some moment of eleven days, often one at which something ends and begins. */
function anyMoment(chance: Chance): Date {
  const moment = NEW_YEAR + between(chance, 0, 11 * DAY)
  return new Date(chance() < 0.3 ? moment - (moment % 900_000) - between(chance, 0, 1) : moment)
}

function anyMail(projectId: ProjectId, chance: Chance): Email {
  const times = ['sentAt', 'deliveredAt', 'openedAt', 'clickedAt', 'bouncedAt', 'complainedAt'] as const
  const had = times.filter(() => chance() < 0.5).map((time) => [time, anyMoment(chance)])
  const status = (['RECEIVED', 'FAILED', 'SENT', 'SENT', 'SENT'] as const)[between(chance, 0, 4)] ?? 'SENT'
  return email(projectId, { status, createdAt: anyMoment(chance), ...Object.fromEntries(had) })
}

function anyEvent(projectId: ProjectId, chance: Chance): EventRecord {
  const createdAt = anyMoment(chance)
  return event(projectId, newId(), { id: idOf(createdAt, String(chance())), createdAt })
}

function momentsOf(mails: readonly Email[]): readonly (readonly [Figure, Date])[] {
  return mails.flatMap((mail) => {
    const { status, sentAt, openedAt, clickedAt, bouncedAt, complainedAt } = mail
    // one that came back was not delivered
    const delivered = bouncedAt || status === 'FAILED' ? undefined : mail.deliveredAt
    const all = { sent: sentAt, delivered, opened: openedAt, clicked: clickedAt } as const
    const rest = { bounced: bouncedAt, complained: complainedAt } as const
    const received = status === 'RECEIVED' ? mail.createdAt : undefined
    return Object.entries({ ...all, ...rest, received }).flatMap(([figure, moment]) =>
      moment ? [[figure as Figure, moment] as const] : [],
    )
  })
}

function figuresIn(moments: readonly (readonly [Figure, Date])[], from: Date, to: Date): ActivityFigures {
  const found: Record<Figure, number> = { ...NONE }
  for (const [figure, moment] of moments) if (moment >= from && moment < to) found[figure]++
  return found
}
