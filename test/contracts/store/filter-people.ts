import { isIn } from '../../../core/filters/data-tests.ts'
import { Filters } from '../../../core/filters/filters.ts'
import type { AudienceSubject } from '../../../core/filters/matches.ts'
import type { CampaignTest } from '../../../core/ports/store/audiences.ts'
import type { Campaign } from '../../../core/ports/store/campaigns.ts'
import type { Contact } from '../../../core/ports/store/contacts.ts'
import type { Email } from '../../../core/ports/store/emails.ts'
import type { EventRecord } from '../../../core/ports/store/events.ts'
import type { Filter } from '../../../core/ports/store/filters.ts'
import type { Segment } from '../../../core/ports/store/segments.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { Topic, TopicChoice } from '../../../core/ports/store/topics.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { campaign, contact, email, event, newId } from './records.ts'

/** The moment the filters of the cases are asked at. */
export const NOW = new Date('2025-06-01T12:00:00.000Z')

export interface People {
  readonly contacts: Readonly<Record<string, Contact>>
  readonly events: readonly EventRecord[]
  readonly segments: Readonly<Record<'vips' | 'pros' | 'keen', Segment>>
  readonly campaign: Campaign
  /** The mails of the campaign. */
  readonly mails: readonly Email[]
  /** The links that people followed in them, by name. */
  readonly followed: Readonly<Record<string, readonly string[]>>
  /** `in` goes to contacts who did not leave it, `out` to those who chose it. */
  readonly topics: Readonly<Record<'in' | 'out', Topic>>
  readonly choices: readonly TopicChoice[]
  /** Names of the members of `vips`. */
  readonly vips: readonly string[]
  /** Names of those who were members of `vips`. */
  readonly formerVips: readonly string[]
}

/** Who the filters of the cases are asked about. */
export function people(projectId: ProjectId): People {
  const contacts = Object.fromEntries(
    PEOPLE.map(({ name, data, ...fields }) => [name, contact(projectId, { updatedAt: NOW, ...fields, data })]),
  )
  const pros = segment(projectId, 'pros', and({ field: 'data.plan', operator: 'equals', value: 'pro' }))
  const keen = segment(projectId, 'keen', {
    operator: 'OR',
    conditions: [
      { field: `segment.${pros.id}`, operator: 'memberOfSegment' },
      { field: 'email.click', operator: 'triggered' },
    ],
  })
  const news = campaign(projectId)
  const made = { projectId, public: true, createdAt: NOW, updatedAt: NOW }
  const topics = {
    in: { ...made, id: newId(), slug: 'in', name: 'In', standing: 'in' as const },
    out: { ...made, id: newId(), slug: 'größe', name: 'Out', standing: 'out' as const },
  }
  return {
    contacts,
    events: EVENTS.map(([name, by, at]) => event(projectId, contacts[by]?.id ?? '', { name, createdAt: new Date(at) })),
    segments: { vips: segment(projectId, 'vips'), pros, keen },
    campaign: news,
    mails: Object.entries(MAILS).map(([name, fields]) =>
      email(projectId, { ...fields, contactId: contacts[name]?.id ?? '', campaignId: news.id }),
    ),
    followed: { dee: [SALE] },
    topics,
    choices: CHOICES.map(([topic, name, subscribed]) => ({
      ...{ projectId, topicId: topics[topic].id, contactId: contacts[name]?.id ?? '' },
      ...{ subscribed, at: NOW, source: 'api' as const },
    })),
    vips: ['ada', 'eve'],
    formerVips: ['fay'],
  }
}

/** The room over this store, at the moment of the cases. */
export function filtersOver(store: Store): Filters {
  return new Filters(store, { now: () => NOW })
}

/** One of the people in memory, as the filter sees it. */
export function subjectOf(all: People, name: string): AudienceSubject {
  const contact = all.contacts[name]
  if (contact === undefined) throw new Error(`nobody is called ${name}`)
  return {
    contact,
    eventsIn: (event, span) =>
      all.events.filter((each) => each.contactId === contact.id && each.name === event && isIn(span, each.createdAt))
        .length,
    didInCampaign: (test) =>
      all.mails.some(
        (mail) =>
          mail.campaignId === test.campaignId &&
          mail.contactId === contact.id &&
          becameOf(mail, all.followed[name] ?? [], test),
      ),
    choiceOf: (topicId) =>
      all.choices.find((each) => each.topicId === topicId && each.contactId === contact.id)?.subscribed,
    memberOf: (segmentId) => segmentId === all.segments.vips.id && all.vips.includes(name),
  }
}

/** Whether this became of a campaign's mail, of which a person followed these links. */
export function becameOf(
  { status, sentAt, bouncedAt, openedAt, clickedAt, humanOpenedAt, humanClickedAt }: Became,
  followed: readonly string[],
  test: CampaignTest,
): boolean {
  const isReceived = sentAt !== undefined && bouncedAt === undefined
  switch (test.did) {
    case 'receive':
      return isReceived
    case 'open':
      return isReceived && (openedAt ?? clickedAt) !== undefined
    case 'click':
      return isReceived && clickedAt !== undefined
    case 'humanOpen':
      return isReceived && (humanOpenedAt ?? humanClickedAt) !== undefined
    case 'humanClick':
      return isReceived && humanClickedAt !== undefined
    case 'follow':
      return isReceived && followed.includes(test.link)
    case 'bounce':
      return bouncedAt !== undefined
    case 'fail':
      return status === 'FAILED'
    case 'mail':
      return status !== 'SKIPPED'
  }
}

/** The fate of a mail in memory. */
export type Became = Partial<
  Pick<Email, 'status' | 'sentAt' | 'bouncedAt' | 'openedAt' | 'clickedAt' | 'humanOpenedAt' | 'humanClickedAt'>
>

export function segment(projectId: ProjectId, slug: string, filter?: Filter): Segment {
  return {
    id: newId(),
    projectId,
    name: slug,
    slug,
    type: filter ? 'DYNAMIC' : 'STATIC',
    ...(filter && { filter }),
    trackMembership: false,
    version: 1,
    memberCount: 0,
    createdAt: NOW,
    updatedAt: NOW,
  }
}

export function and(...conditions: Filter['conditions']): Filter {
  return { operator: 'AND', conditions }
}

/** The choices of topics that some made. */
const CHOICES: readonly (readonly ['in' | 'out', name: string, subscribed: boolean])[] = [
  ['in', 'ada', true],
  ['in', 'bob', false],
  ['out', 'ada', true],
  ['out', 'bob', true],
  ['out', 'cyd', false],
]

interface Person extends Pick<Contact, 'pausedUntil' | 'everyDays'> {
  readonly name: string
  readonly email: string
  readonly subscribed: boolean
  readonly tracking?: Contact['tracking']
  readonly createdAt: Date
  readonly updatedAt?: Date
  readonly data: JsonObject
}

const PEOPLE: readonly Person[] = [
  {
    name: 'ada',
    email: 'ada@example.com',
    subscribed: true,
    createdAt: new Date('2025-06-01T11:30:00.000Z'),
    data: {
      plan: 'pro',
      age: 36,
      score: 1.5,
      active: true,
      address: { city: 'London', geo: { lat: 51.5 } },
      signup: '2025-05-31',
      tags: ['a', 'b'],
      name: 'Ada "Countess" Lovelace',
      code: '007',
      labels: ['vip', 'eu'],
      orders: [
        { sku: 'A1', n: 2 },
        { sku: 'B2', n: 5 },
      ],
      seen: 1748775600,
      due: '2025-07-01',
      born: '1990-06-01',
      note: '',
    },
  },
  {
    name: 'bob',
    pausedUntil: new Date('2025-06-02T12:00:00.000Z'),
    everyDays: 7,
    email: 'bob@example.org',
    subscribed: false,
    tracking: 'none',
    createdAt: new Date('2025-05-31T00:00:00.000Z'),
    data: {
      plan: 'free',
      age: '36',
      score: null,
      active: 'true',
      address: 'London',
      signup: '2025-05-31T23:59:59.999Z',
      name: 'Bob 100%',
      code: 7,
      labels: 'vip',
      orders: { sku: 'A1', tags: ['new', 'gift'] },
      seen: 1748606400000,
      due: '2025-06-03T12:00:00Z',
      born: '1988-02-29',
      note: [],
    },
  },
  {
    name: 'cyd',
    pausedUntil: new Date('2025-05-31T12:00:00.000Z'),
    everyDays: 30,
    email: 'cyd+news@sub.example.com',
    subscribed: true,
    tracking: 'anonymous',
    createdAt: new Date('2025-05-30T23:59:59.999Z'),
    data: {
      plan: 'Pro',
      age: 7,
      score: -2,
      active: false,
      address: { city: 'Paris' },
      signup: '2025-06-01 01:00:00+02:00',
      tags: [],
      name: 'Cyd_under\\score',
      labels: [],
      orders: [],
      seen: '1748775600',
      due: '2025-06-01T11:00:00Z',
      born: '2000-06-02T00:30:00+02:00',
      note: null,
    },
  },
  {
    name: 'dee',
    email: 'dee@münchen.de',
    subscribed: true,
    createdAt: new Date('2025-05-31T23:59:59.999Z'),
    data: {},
  },
  {
    name: 'eve',
    everyDays: 1,
    email: 'eve@example.com',
    subscribed: false,
    tracking: 'none',
    createdAt: new Date('2025-06-01T00:00:00.000Z'),
    data: {
      plan: null,
      age: 1e21,
      score: 0.1,
      address: { city: null },
      signup: '2025-02-30',
      name: '🙂 emoji',
      code: '7',
      labels: ['EU', 3, true, null, ['vip'], { vip: 'vip' }],
      orders: [[{ sku: 'A1' }], 'A1', { n: 7 }],
      seen: 999,
      due: 1749384000,
      born: 1748779200,
    },
  },
  {
    name: 'fay',
    email: 'fay_1@example.net',
    subscribed: true,
    createdAt: new Date('2024-12-31T12:00:00.000Z'),
    updatedAt: new Date('2025-01-01T00:00:00.000Z'),
    data: JSON.parse(`{
      "plan": [["pro"]],
      "age": true,
      "address": [{ "city": "London" }],
      "signup": 20250531,
      "tags": "a",
      "name": "x' or 1=1 --",
      "__proto__": "p",
      "constructor": "c",
      "a.b": "dotted",
      "quo\\"te": "q",
      "back\\\\slash": "b",
      "$": "dollar",
      "🙂": "smile",
      "0": "zero",
      "labels": [null],
      "orders": [{ "sku": ["A1", "C3"], "n": 1 }, { "sku": null, "n": 1748775600 }],
      "seen": ["2025-06-01", 20],
      "due": ["2020-01-01", "2025-06-02"],
      "born": ["1999-12-31", "x", ""],
      "note": " "
    }`),
  },
  {
    name: 'gus',
    email: 'gus@example.com',
    subscribed: false,
    createdAt: new Date('2025-05-31T12:00:00.000Z'),
    data: {
      plan: 'pro ',
      age: 35.999,
      score: 1.5,
      active: true,
      address: { city: 'london', '0': 'nought' },
      signup: '2025-06-01T12:00:00Z',
      name: '\uFF5E tilde',
      code: 'seven',
      labels: { '0': 'vip' },
      orders: null,
      'First Name': 'Gus',
      'e-mail': 'x@y.example',
      'Sr.': 'yes',
      'a..b': 1,
      a: { b: 'nested', 'c.d': 'deep' },
      'a.c': 'key',
      born: '1990-13-01',
      note: [['']],
    },
  },
]

const EVENTS: readonly (readonly [name: string, by: string, at: string])[] = [
  ['purchase', 'ada', '2025-06-01T11:00:00Z'],
  ['purchase', 'ada', '2025-05-25T00:00:00Z'],
  ['purchase', 'ada', '2025-01-01T00:00:00Z'],
  ['purchase', 'bob', '2025-05-20T12:00:00Z'],
  ['purchase', 'eve', '2025-05-25T12:00:00Z'],
  ['email.open', 'ada', '2025-06-01T11:59:00Z'],
  ['email.open', 'bob', '2025-05-30T12:00:00Z'],
  ['email.open', 'bob', '2025-05-31T12:00:00Z'],
  ['email.click', 'cyd', '2025-06-01T11:59:59.999Z'],
  ['odd \' % _ "name"', 'cyd', '2025-05-01T00:00:00Z'],
]

/** A link in the campaign's mails. */
export const SALE = 'https://example.com/sale'

/**
 * The fates of the campaign's mails. Bob is not tracked, cyd without a name, a program opened ada's, and gus's was
 * never handed over.
 */
const MAILS: Readonly<Record<string, Partial<Email>>> = {
  ada: { sentAt: NOW, openedAt: NOW },
  bob: { sentAt: NOW },
  cyd: { sentAt: NOW },
  dee: { sentAt: NOW, clickedAt: NOW, humanClickedAt: NOW },
  eve: { sentAt: NOW, bouncedAt: NOW },
  fay: { sentAt: NOW },
  gus: { status: 'FAILED' },
}
