import { expect, it } from 'vitest'
import { OPERATORS, type Takes } from '../../core/filters/operators.ts'
import type { Subject } from '../../core/filters/subject.ts'
import { FIELDS_OF_CONTACT, fieldOfContact } from '../../core/values/fields-of-contact.ts'
import { PROJECT, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { SettableClock } from '../support/store.ts'

const LETTER = { name: 'Letter', subject: 'Hi', body: '<p>Hi</p>', from: 'hello@example.com', audienceType: 'FILTERED' }

/** A value of each kind, which some contacts below come to have, and cease to. */
const VALUES: Readonly<Record<Takes, object>> = {
  nothing: {},
  text: { value: 'moves@example.moves' },
  texts: { value: ['moves@example.moves'] },
  part: { value: 'moves' },
  boolean: { value: true },
  choice: { value: 'full' },
  date: { value: '2026-06-01' },
  number: { value: 7 },
  value: { value: 'moves' },
  values: { value: ['moves'] },
  comparable: { value: 'm' },
  span: { value: 40, unit: 'minutes' },
  days: { value: 0 },
  link: { value: 'https://example.com/' },
}
/** The fates of mail need people, and are asked as `received` is; and no contact is made earlier than now. */
const UNMOVED =
  /^campaign[^ ]+ (not)?(opened|clicked|humanOpened|humanClicked|clickedLink|bounced|failed)$|^createdAt less/i

// what decides that a segment need not be compared did not know that topics change without their contacts
it('of every condition there is, members, their number and their events are those of the list', async () => {
  const clock = new SettableClock('2026-05-31T22:30:00Z')
  const { engine, ask } = await testApp(QUICK, {}, { clock, publicUrl: 'https://mail.example.net' })
  await engine.start()
  const project = (await engine.projects.list()).find(({ id }) => id === PROJECT)!
  const made = async (path: string, json: object) => {
    const answer = await ask('POST', path, { json })
    expect(answer.status, answer.text).toBeLessThan(300)
    return answer.body.data?.id ? answer.body.data : answer.body
  }
  const did = async (method: string, path: string, json?: object) => {
    const answer = await ask(method, path, json === undefined ? {} : { json })
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  const people = [
    'still',
    'data',
    'address',
    'leaves',
    'tracked',
    'event',
    'topic',
    'listed',
    'mailed',
    'dated',
  ] as const
  const ids = new Map<string, string>()
  for (const name of people) ids.set(name, (await made('/contacts', { email: `${name}@example.org` })).id)
  const contact = (name: (typeof people)[number]) => `/contacts/${ids.get(name)}`
  const [stands, asked] = [
    await made('/topics', { name: 'Stands', standing: 'in' }),
    await made('/topics', { name: 'Asked', standing: 'out' }),
  ]
  const list = await made('/segments', { name: 'List', type: 'STATIC' })
  const isNamed = (value: string) => ({
    operator: 'AND',
    conditions: [{ field: 'email', operator: 'startsWith', value }],
  })
  const inner = await made('/segments', { name: 'Inner', filters: isNamed('still') })
  const campaign = await made('/campaigns', { ...LETTER, audienceFilter: isNamed('mailed') })

  const fields: { readonly [Kind in Subject['kind']]: (takes: Takes) => readonly string[] } = {
    text: own('text'),
    flag: own('flag'),
    choice: own('choice'),
    moment: own('moment'),
    date: own('date'),
    number: own('number'),
    data: (takes) => [takes === 'span' || takes === 'days' ? 'data.at' : 'data.word'],
    event: () => ['event.paid'],
    topic: () => ['topic.stands', 'topic.asked'],
    segment: () => [`segment.${list.id}`, `segment.${inner.id}`],
    campaign: () => [`campaign.${campaign.id}`],
  }
  const segments: {
    readonly id: string
    readonly slug: string
    readonly about: string
    first: number
    moved: number
  }[] = []
  for (const [kind, operators] of Object.entries(OPERATORS)) {
    for (const [operator, takes] of Object.entries(operators)) {
      for (const field of fields[kind as Subject['kind']](takes)) {
        const filters = { operator: 'AND', conditions: [{ field, operator, ...VALUES[takes] }] }
        const { id, slug } = await made('/segments', { name: `S ${segments.length}`, filters, trackMembership: true })
        segments.push({ id, slug, about: `${field} ${operator}`, first: 0, moved: 0 })
      }
    }
  }

  const compare = async (when: string) => {
    const listed = new Map<string, number>()
    for (const { id } of segments) {
      await engine.segments.compute(project, id)
      listed.set(id, (await engine.segments.contacts(project, id, { limit: 1 })).total)
    }
    const members = new Map((await engine.segments.list(project)).map(({ id, memberCount }) => [id, memberCount]))
    const stats = new Map((await engine.events.stats(project)).map(({ name, count }) => [name, count]))
    for (const segment of segments) {
      const { id, slug, about } = segment
      const [entered = 0, left = 0] = [stats.get(`segment.${slug}.entry`), stats.get(`segment.${slug}.exit`)]
      if (when === 'at first') segment.first = entered
      segment.moved = entered + left - segment.first
      const total = listed.get(id)
      expect({ members: members.get(id), told: entered - left }, `${about} ${when}`).toEqual({
        members: total,
        told: total,
      })
    }
  }
  await compare('at first')
  // so much later that what has not changed is not looked at for its own sake
  const minutes = (count: number) => clock.advance(count * 60)

  minutes(30)
  const long = { everyDays: 30, pausedUntil: '2026-05-31T20:00:00Z' }
  await did('PATCH', contact('data'), { data: { word: 'moves', at: clock.now().toISOString() }, ...long })
  const short = { everyDays: 1, pausedUntil: '2026-05-31T22:50:00Z' }
  await did('PATCH', contact('address'), { email: 'moves@example.moves', ...short })
  await did('PATCH', contact('dated'), { data: { at: '2026-05-31T22:50:00Z' }, pausedUntil: '2026-05-31T23:20:00Z' })
  await did('PATCH', contact('leaves'), { subscribed: false, pausedUntil: '2026-07-01T00:00:00Z' })
  await did('PATCH', contact('tracked'), { tracking: 'none', everyDays: 7, pausedUntil: '2026-06-01T12:00:00Z' })
  await did('POST', '/v1/track', { email: 'event@example.org', event: 'paid' })
  const choices = [stands, asked].map(({ id }, i) => ({ topic: id, subscribed: i === 1 }))
  await did('PUT', `${contact('topic')}/topics`, { topics: choices })
  await did('POST', `/segments/${list.id}/members`, { contactIds: [ids.get('listed')] })
  await did('POST', `/campaigns/${campaign.id}/send`)
  await engine.idle()
  await compare('after one change of each kind')

  minutes(30)
  const any = { everyDays: null, pausedUntil: null }
  await did('PATCH', contact('data'), { data: { word: 'a', at: '2026-06-02T00:40:00Z' }, ...any })
  await did('PATCH', contact('address'), { email: 'address@example.org', ...any })
  await did('PATCH', contact('dated'), any)
  await did('PATCH', contact('leaves'), { subscribed: true, ...any })
  await did('PATCH', contact('tracked'), { tracking: 'full', ...any })
  await did('PUT', `${contact('topic')}/topics`, { topics: choices.map((each) => ({ ...each, subscribed: null })) })
  await did('DELETE', `/segments/${list.id}/members`, { contactIds: [ids.get('listed')] })
  await compare('after they were taken back')

  minutes(30)
  await did('PATCH', `/topics/${stands.id}`, { standing: 'out' })
  await did('PATCH', `/topics/${asked.id}`, { standing: 'in', slug: 'wanted', rename: true })
  await did('PATCH', `/segments/${inner.id}`, { filters: isNamed('data') })
  await did('PATCH', contact('tracked'), { data: { n: 1 } })
  await made('/contacts', { email: 'new@example.org' })
  await compare('after others have changed')

  minutes(1450)
  await did('PATCH', contact('leaves'), { data: { n: 1 } })
  await made('/contacts', { email: 'last@example.org' })
  await compare('after a day')
  const unmoved = segments.filter(({ moved, about }) => moved === 0 && !UNMOVED.test(about))
  expect(unmoved.map(({ about }) => about)).toEqual([])
})

function own(kind: Subject['kind']) {
  return () => FIELDS_OF_CONTACT.filter((name) => fieldOfContact(name).kind === kind)
}
