import { expect } from 'vitest'
import { everyPage } from '../support/every-page.ts'
import { until } from '../support/until.ts'
import { addressesOf, kindOf } from './people.ts'
import type { World } from './world.ts'

/** The ledger's rows as the API shows them. */
export interface Row {
  readonly id: string
  readonly contactId: string | null
  readonly to: string
  readonly status: string
  readonly skipReason?: string
  readonly error?: string
  readonly opens: number
  readonly clicks: number
  readonly sentAt?: string
  readonly deliveredAt?: string
  readonly openedAt?: string
  readonly clickedAt?: string
  readonly bouncedAt?: string
  readonly humanOpenedAt?: string
  readonly humanClickedAt?: string
}

interface EventRow {
  readonly id: string
  readonly name: string
  readonly contactId: string
  readonly emailId?: string
  readonly data: Readonly<Record<string, unknown>>
}

/** The rows of these campaigns, newest first each, when every visit of a reader is written down. */
export async function ledgerOf(world: World, campaigns: readonly string[]): Promise<ReadonlyMap<string, Row[]>> {
  await world.readers.finished()
  const visits = [...world.readers.visits.values()]
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
  const done = sum(visits.map(({ opens, clicks }) => opens + clicks))
  return until('every visit is written down', async () => {
    const ledger = new Map<string, Row[]>()
    for (const id of campaigns) ledger.set(id, await everyPage(world.get, `/emails?campaignId=${id}`))
    const written = sum([...ledger.values()].flat().map(({ opens, clicks }) => opens + clicks))
    return written >= done ? ledger : undefined
  })
}

/** The figures of one campaign against the ledger and the readers. */
export async function expectFigures(world: World, id: string, rows: readonly Row[]): Promise<void> {
  const count = (is: (row: Row) => unknown) => rows.filter(is).length
  const events: EventRow[] = await everyPage(world.get, '/events?eventName=contact.unsubscribed')
  const ids = new Set(rows.map((row) => row.id))
  const figures = {
    totalRecipients: rows.length,
    queued: 0,
    sent: count((row) => row.sentAt),
    delivered: count((row) => row.deliveredAt),
    opened: count((row) => row.openedAt),
    clicked: count((row) => row.clickedAt),
    bounced: count((row) => row.status === 'BOUNCED'),
    failed: count((row) => row.status === 'FAILED'),
    complained: 0,
    unsubscribed: events.filter(({ emailId, data }) => data.reason === 'link' && ids.has(emailId ?? '')).length,
  }
  const stats = await world.get(`/campaigns/${id}/stats`)
  expect(stats).toMatchObject(figures)
  expect(await world.get(`/campaigns/${id}`)).toMatchObject(figures)
  const { openRate, clickRate, bounceRate, deliveryRate } = stats
  const { sent, opened, clicked, bounced, delivered } = figures
  expect({ openRate, clickRate, bounceRate, deliveryRate }).toEqual({
    ...{ openRate: rate(opened, sent), clickRate: rate(clicked, sent) },
    ...{ bounceRate: rate(bounced, sent + bounced), deliveryRate: rate(delivered, sent + bounced) },
  })
  expect(await world.get(`/campaigns/${id}/stats?excludeMachine=true`)).toMatchObject({
    ...{ ...figures, opened: count((row) => row.humanOpenedAt), clicked: count((row) => row.humanClickedAt) },
    skipped: stats.skipped,
  })
  const left = count((row) => row.status === 'SKIPPED')
  expect(sent + bounced + figures.failed + left).toBe(rows.length)

  const recipients = await everyPage(world.get, `/campaigns/${id}/recipients`)
  const brief = rows.map(({ id, contactId, to: email, status }) => ({ id, contactId, email, status }))
  expect(recipients.map(({ id, contactId, email, status }) => ({ id, contactId, email, status }))).toEqual(brief)
  for (const status of new Set(rows.map((row) => row.status))) {
    const expected = count((row) => row.status === status)
    expect({ status, total: (await world.get(`/emails?campaignId=${id}&status=${status}`)).total }).toEqual({
      ...{ status, total: expected },
    })
    expect(await everyPage(world.get, `/campaigns/${id}/recipients?status=${status}`)).toHaveLength(expected)
  }
  const behind = async (filter: string) => (await everyPage(world.get, `/campaigns/${id}/recipients?${filter}`)).length
  for (const figure of ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const)
    expect([figure, await behind(`${figure}=true`)]).toEqual([figure, figures[figure]])
  const skipped: readonly number[] = Object.values(stats.skipped)
  expect(await behind('status=SKIPPED')).toBe(skipped.reduce((sum, each) => sum + each, -stats.leftOutAtStart))
  const leftOut = async (query = '') => everyPage(world.get, `/campaigns/${id}/left-out${query}`)
  const listed: { reason: string; email: string }[] = await leftOut()
  expect(listed).toHaveLength(skipped.reduce((sum, each) => sum + each, 0))
  for (const [reason, total] of Object.entries(stats.skipped)) {
    const those = listed.filter((each) => each.reason === reason)
    expect({ reason, those, total: those.length }).toEqual({ reason, those: await leftOut(`?reason=${reason}`), total })
  }
  for (const unit of ['hour', 'day']) {
    const course: Record<string, number>[] = await world.get(`/campaigns/${id}/timeseries?unit=${unit}`)
    const sum = (figure: string) => course.reduce((all, row) => all + (row[figure] ?? 0), 0)
    expect([unit, ...['delivered', 'opens', 'clicks', 'unsubscribes'].map(sum)]).toEqual([
      ...[unit, delivered, opened, clicked, figures.unsubscribed],
    ])
  }
  expect(await behind('opened=true&clicked=true')).toBe(count((row) => row.openedAt && row.clickedAt))
  const links: { url: string; clicks: number; people: number }[] = await world.get(`/campaigns/${id}/links`)
  const most = links.toSorted((a, b) => b.people - a.people)
  for (const { url, people } of most.slice(0, 3))
    expect([url, await behind(`link=${encodeURIComponent(url)}`)]).toEqual([url, people])
  // addresses made of the values of people who were removed are gone
  const clicksOf = (some: readonly Row[]) => some.reduce((sum, { clicks }) => sum + clicks, 0)
  const told = links.reduce((sum, { clicks }) => sum + clicks, 0)
  expect(told).toBeGreaterThanOrEqual(clicksOf(rows.filter((row) => row.contactId !== null)))
  expect(told).toBeLessThanOrEqual(clicksOf(rows))
  expect(new Set(rows.map((row) => (row.to === 'deleted' ? row.id : row.to))).size).toBe(rows.length)
}

/** Who was left out at once: what the campaign counts as skipped without its rows that were skipped later. */
export async function leftOutAtOnce(world: World, id: string, rows: readonly Row[]): Promise<object> {
  const { skipped } = await world.get(`/campaigns/${id}/stats`)
  const later = (is: (reason: string) => boolean) =>
    rows.filter(({ status, skipReason = '' }) => status === 'SKIPPED' && is(skipReason)).length
  expect(skipped.contactRemoved).toBe(later((reason) => reason === 'contact-removed'))
  expect(skipped.cancelled).toBe(0)
  return {
    unsubscribed: skipped.unsubscribed - later((reason) => reason === 'unsubscribed'),
    suppressed: skipped.suppressed - later((reason) => reason.startsWith('suppressed:')),
    paused: skipped.paused - later((reason) => reason === 'paused'),
    topic: skipped.topic - later((reason) => reason === 'topic'),
  }
}

/**
 * The server's own count: a mail is delivered exactly if the server could say that it has it, and then it said so once.
 * What was done with it does not change that, and its status tells the furthest of all.
 */
export function expectSink({ sink }: World, rows: readonly Row[]): void {
  const byId = new Map(rows.map((row) => [`<${row.id}@example.com>`, row]))
  expect(sink.taken.filter(({ messageId, to }) => ![to, 'deleted'].includes(byId.get(messageId)?.to ?? ''))).toEqual([])
  const answered = sink.taken.filter(({ isAnswered }) => isAnswered).map(({ messageId }) => messageId)
  const delivered = rows.filter(({ deliveredAt }) => deliveredAt).map(({ id }) => `<${id}@example.com>`)
  expect(answered.toSorted()).toEqual(delivered.toSorted())
  const furthest = ({ clickedAt, openedAt }: Row) => (clickedAt ? 'CLICKED' : openedAt ? 'OPENED' : 'DELIVERED')
  expect(rows.filter((row) => (row.deliveredAt !== undefined) !== (row.status === furthest(row)))).toEqual([])
  expect(rows.filter((row) => (row.bouncedAt !== undefined) !== (row.status === 'BOUNCED'))).toEqual([])
}

/** The readers' visits, mail by mail. */
export function expectVisits({ readers }: World, rows: readonly Row[]): void {
  const found = rows.flatMap(({ id, opens, clicks, openedAt, clickedAt, humanOpenedAt, humanClickedAt }) => {
    const seen = [openedAt, clickedAt, humanOpenedAt, humanClickedAt].map((at) => at !== undefined)
    return opens + clicks === 0 && !seen.includes(true) ? [] : [[id, opens, clicks, ...seen]]
  })
  const expected = [...readers.visits].map(([id, { opens, clicks, humanOpens, humanClicks }]) => {
    return [id, opens, clicks, opens > 0, clicks > 0, humanOpens > 0, humanClicks > 0]
  })
  expect(found.toSorted()).toEqual(expected.toSorted())
}

/** Every list of events against each other and against all rows there are; events of removed contacts are gone. */
export async function expectEvents(world: World, rows: readonly Row[]): Promise<void> {
  const events: EventRow[] = await everyPage(world.get, '/events')
  const stats: { name: string; count: number }[] = await world.get('/events/stats')
  const named = (name: string, of = events) => of.filter((event) => event.name === name)
  for (const { name, count } of stats) {
    expect({ name, count }).toEqual({ name, count: named(name).length })
    expect(await everyPage(world.get, `/events?eventName=${name}`)).toEqual(named(name))
  }
  expect(stats.map(({ name }) => name).toSorted()).toEqual([...new Set(events.map(({ name }) => name))].toSorted())

  const contacts = await world.contacts()
  const listed: EventRow[] = []
  for (const { id } of contacts.values()) listed.push(...(await everyPage(world.get, `/events/contact/${id}`)))
  const ids = (of: readonly { readonly id: string }[]) => of.map(({ id }) => id).toSorted()
  expect(ids(listed)).toEqual(ids(events))

  const of = (name: string, is: (event: EventRow) => boolean = () => true) =>
    named(name)
      .flatMap((event) => (is(event) ? [event.emailId] : []))
      .toSorted()
  const whose = (is: (row: Row) => unknown) =>
    rows.flatMap((row) => (row.contactId !== null && is(row) ? [row.id] : [])).toSorted()
  expect(of('email.sent')).toEqual(whose(({ sentAt }) => sentAt))
  expect(of('email.delivery')).toEqual(whose(({ deliveredAt }) => deliveredAt))
  expect(of('email.open')).toEqual(whose(({ openedAt }) => openedAt))
  expect(of('email.click')).toEqual(whose(({ clickedAt }) => clickedAt))
  expect(of('email.bounce', ({ data }) => data.bounceType === 'Permanent')).toEqual(
    whose(({ status }) => status === 'BOUNCED'),
  )
  const isBlock = ({ error = '' }: Row) => error.includes('5.7.1')
  for (const row of rows) if (row.status === 'FAILED' && !isBlock(row)) world.givenUp.add(row.id)
  const soft = (isOfBlock: boolean) =>
    of('email.bounce', ({ data }) => data.bounceType === 'Transient' && (data.bounceClass === 'policy') === isOfBlock)
  expect(soft(false)).toEqual(whose(({ id }) => world.givenUp.has(id)))
  // those blocked are blocked again when they are tried again, and told of again
  expect([...new Set(soft(true))]).toEqual(whose((row) => row.status === 'FAILED' && isBlock(row)))

  const byLink = named('contact.unsubscribed').filter(({ data }) => data.reason === 'link')
  expect(byLink.filter(({ emailId = '' }) => !world.readers.unsubscribed.has(emailId))).toEqual([])
  const asked = rows.flatMap(({ id, contactId }) =>
    contactId && world.readers.unsubscribed.has(id) ? [contactId] : [],
  )
  expect(byLink.map(({ contactId }) => contactId).toSorted()).toEqual([...new Set(asked)].toSorted())
}

/** The list of activities and the figures by day, against events and rows. */
export async function expectActivity(world: World, rows: readonly Row[]): Promise<void> {
  const list: { type: string; id: string }[] = await everyPage(world.get, '/activity')
  const events: EventRow[] = await everyPage(world.get, '/events')
  const isOwn = ({ type }: { type: string }) => type !== 'campaign.sent'
  expect(list.filter(isOwn).map(({ id }) => id)).toEqual(events.map(({ id }) => id))
  expect((await world.get('/activity?limit=1')).total).toBe(list.length)
  for (const type of (await world.get('/activity/types')).types)
    expect(await everyPage(world.get, `/activity?types=${type}`)).toEqual(list.filter((each) => each.type === type))
  const count = (is: (row: Row) => unknown) => rows.filter(is).length
  const days: Record<string, number>[] = await world.get('/analytics/timeseries?timezone=Asia/Kathmandu')
  const sum = (figure: string) => days.reduce((all, day) => all + (day[figure] ?? 0), 0)
  const stats = await world.get('/activity/stats')
  const ofRows = {
    emails: ['totalEmailsSent', count((row) => row.sentAt)],
    delivered: ['totalEmailsDelivered', count((row) => row.deliveredAt)],
    opens: ['totalEmailsOpened', count((row) => row.openedAt)],
    clicks: ['totalEmailsClicked', count((row) => row.clickedAt)],
    bounces: ['totalEmailsBounced', count((row) => row.bouncedAt)],
    complaints: ['totalComplaints', 0],
  } as const
  for (const [figure, [total, expected]] of Object.entries(ofRows))
    expect([figure, sum(figure), stats[total]]).toEqual([figure, expected, expected])
}

/** The suppression list and the contacts: who bounced, who asked for it, and no one else. */
export async function expectPeople(world: World, rows: readonly Row[]): Promise<void> {
  const bounced = [...new Set(rows.flatMap(({ status, to }) => (status === 'BOUNCED' ? [to] : [])))]
  const list: { email: string; reason: string }[] = await everyPage(world.get, '/suppressions')
  const byHand = [...addressesOf('suppressed', world.size), ...addressesOf('banned', world.size)]
  expect(list.map(({ email, reason }) => `${email} ${reason}`).toSorted()).toEqual(
    [...byHand.map((email) => `${email} MANUAL`), ...bounced.map((email) => `${email} BOUNCE`)].toSorted(),
  )
  const byLink = rows.flatMap(({ id, to }) => (world.readers.unsubscribed.has(id) ? [to] : []))
  const contacts = await world.contacts()
  const unsubscribed = [...contacts].flatMap(([email, { subscribed }]) => (subscribed ? [] : [email]))
  const asked = ['unsubscribed', 'leaving'] as const
  const expected = new Set([...asked.flatMap((kind) => addressesOf(kind, world.size)), ...bounced, ...byLink])
  expect(unsubscribed.toSorted()).toEqual([...expected].toSorted())
  expect((await world.get('/contacts?subscribed=false&limit=1')).total).toBe(expected.size)
  expect([...contacts.keys()].filter((email) => ['removed', 'gone'].includes(kindOf(email)))).toEqual([])
}

function rate(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(100, Math.round((part / whole) * 10_000) / 100)
}
