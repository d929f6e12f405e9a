import { expect, it } from 'vitest'
import { matches } from '../../../core/filters/matches.ts'
import type { Project } from '../../../core/ports/store/projects.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { cases } from './filter-cases.ts'
import { filtersOver, NOW, type People, people, subjectOf } from './filter-people.ts'
import { newId, project, put, putContact } from './records.ts'

/** The promises of a store about audiences: it answers whom the filter means, as it is answered in memory. */
export function storeFiltersContract(fresh: () => Promise<Store>) {
  it('finds whom each filter means, in memory and by every question', async () => {
    const store = await fresh()
    const acme = project()
    const all = await settle(store, acme)
    const names = Object.keys(all.contacts)
    const every = names.map((name) => all.contacts[name]?.id ?? '')
    const named = (ids: readonly string[]) => names.filter((name) => ids.includes(all.contacts[name]?.id ?? ''))
    const asked: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const each of cases(all)) {
      const filter = await filtersOver(store).read(acme, each.filter, 'filters')
      const audience = await filtersOver(store).audience(acme, filter)
      const page = await store.contacts.page(acme.id, { audience }, BY_TIME, { limit: 100 })
      asked[each.name] = {
        memory: names.filter((name) => matches(audience, subjectOf(all, name))),
        page: named(page.map(({ id }) => id)),
        ids: named(await store.contacts.ids(acme.id, { audience }, 100)),
        among: named([...(await store.contacts.among(acme.id, every, audience))]),
        count: await store.contacts.count(acme.id, { audience }),
        // the opposite is everybody else: no test is neither true nor false
        others: await store.contacts.count(acme.id, { audience: { kind: 'not', of: audience } }),
      }
      const found = each.matches
      const others = names.length - found.length
      expected[each.name] = { memory: found, page: found, ids: found, among: found, count: found.length, others }
    }
    expect(asked).toEqual(expected)
    expect(Object.keys(asked).length).toBeGreaterThanOrEqual(150)
  })

  it('asks an audience together with other conditions, and of one project only', async () => {
    const store = await fresh()
    const [acme, other] = [project(), project()]
    const all = await settle(store, acme)
    await putContact(store, other.id, { data: { plan: 'pro' } })
    const audience = { kind: 'data', path: ['plan'], test: { is: 'present' } } as const
    expect(await store.contacts.count(acme.id, { audience, subscribed: true })).toBe(3)
    expect(await store.contacts.count(acme.id, { audience, search: 'example.com' })).toBe(3)
    expect(await store.contacts.count(other.id, { audience })).toBe(1)
    const [ada = ''] = await store.contacts.ids(acme.id, { audience }, 1)
    expect(await store.contacts.among(acme.id, [ada, newId()], audience)).toEqual(new Set([ada]))
    expect(await store.contacts.among(other.id, [ada], audience)).toEqual(new Set())
    const members = { kind: 'member', segmentId: all.segments.vips.id } as const
    expect(await store.contacts.count(other.id, { audience: members })).toBe(0)
  })

  it('takes the largest filter there can be', async () => {
    const store = await fresh()
    const acme = project()
    await putContact(store, acme.id, { data: { n499: '2025-06-01' } })
    const deep = Array.from({ length: 63 }, (_, i) => `deeper${i}`)
    const of = Array.from({ length: 500 }, (_, i) => {
      const test = { is: 'moment', from: NOW } as const
      return { kind: 'data', path: [`n${i}`, ...deep], test } as const
    })
    const last = { kind: 'data', path: ['n499'], test: { is: 'text', how: 'contains', text: '2025' } } as const
    expect(await store.contacts.count(acme.id, { audience: { kind: 'any', of: [...of, last] } })).toBe(1)
    expect(await store.contacts.count(acme.id, { audience: { kind: 'all', of: [last, ...of] } })).toBe(0)
    expect(await store.contacts.count(acme.id, { audience: { kind: 'all', of: [] } })).toBe(1)
    expect(await store.contacts.count(acme.id, { audience: { kind: 'any', of: [] } })).toBe(0)
  })
}

const BY_TIME = { sort: 'createdAt', dir: 'asc' } as const

/** Stores the people of the cases with what happened to them. */
async function settle(store: Store, acme: Project): Promise<People> {
  const all = people(acme.id)
  await put(store, acme.id, { contacts: Object.values(all.contacts), emails: all.mails })
  await store.campaigns.insert(all.campaign)
  for (const topic of Object.values(all.topics)) await store.topics.insert(topic)
  await store.topics.choose(all.choices)
  await store.events.record(all.events)
  for (const segment of Object.values(all.segments)) await store.segments.insert(segment)
  const { vips } = all.segments
  const idsOf = (names: readonly string[]) => names.map((name) => all.contacts[name]?.id ?? '')
  const stays = idsOf([...all.vips, ...all.formerVips]).map((contactId) => {
    return { id: newId(), projectId: acme.id, segmentId: vips.id, contactId, enteredAt: NOW }
  })
  const followed = Object.entries(all.followed).flatMap(([name, links]) => {
    const mail = all.mails.find(({ contactId }) => contactId === all.contacts[name]?.id)
    return links.map((link) => {
      const by = { projectId: acme.id, emailId: mail?.id ?? '', at: NOW, machine: false }
      return { ...by, kind: 'click', link, personal: false } as const
    })
  })
  await store.emails.recordActivity(followed)
  await store.memberships.enter(stays)
  await store.memberships.leave(acme.id, vips.id, idsOf(all.formerVips), NOW)
  return all
}
