import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isIn } from '../../core/filters/data-tests.ts'
import { matches } from '../../core/filters/matches.ts'
import type { Opened } from '../../core/plugin/types.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Audience } from '../../core/ports/store/audiences.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { instantOf } from '../../core/values/iso-date.ts'
import type { JsonObject } from '../../core/values/json.ts'
import type { TrackingConsent } from '../../core/values/tracking-consent.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { type Became, becameOf } from '../contracts/store/filter-people.ts'
import { contact, email, event, NOON, newId, newProjectId, put } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { audience, CAMPAIGNS, consent, data, dateText, moment } from './random.ts'

const KIT = { log: silentLog, clock: systemClock }

describe.each([
  ['SQLite', async () => freshSqlite().open(KIT)],
  ['PostgreSQL', async () => postgres({ url: await freshDatabase() }).open(KIT)],
])('%s', (_name, open) => {
  let opened: Opened<'store'>

  beforeAll(async () => {
    opened = await open()
  })

  afterAll(() => opened.close?.())

  it('answers any audience as memory does', async () => {
    const someone = fc.record({
      data,
      subscribed: fc.boolean(),
      tracking: consent,
      createdAt: moment(),
      events: events(),
      mails: mails(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(someone, { minLength: 1, maxLength: 12 }),
        fc.array(audience, { minLength: 1, maxLength: 12 }),
        (people, audiences) => compare(opened.store, people, audiences),
      ),
      { numRuns: 40 },
    )
  })

  it('reads the same dates as memory does, and none in what is almost one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(dateText, { minLength: 60, maxLength: 60 }), (texts) => {
        const people = texts.map((at) => ({
          data: { at },
          subscribed: true,
          tracking: 'full' as const,
          createdAt: NOON,
          events: [],
          mails: [],
        }))
        const instants = texts.flatMap((text) => instantOf(text) ?? []).slice(0, 6)
        return compare(opened.store, people, [
          { kind: 'data', path: ['at'], test: { is: 'moment' } },
          { kind: 'data', path: ['at'], test: { is: 'yearly', first: '02-28', last: '03-01' } },
          { kind: 'data', path: ['at'], test: { is: 'yearly', first: '11-30', last: '02-28' } },
          ...instants.flatMap((from): readonly Audience[] => [
            { kind: 'data', path: ['at'], test: { is: 'moment', from } },
            { kind: 'data', path: ['at'], test: { is: 'moment', before: from } },
          ]),
        ])
      }),
      { numRuns: 12 },
    )
  })
})

interface Someone {
  readonly data: JsonObject
  readonly subscribed: boolean
  readonly tracking: TrackingConsent
  readonly createdAt: Date
  readonly events: readonly { readonly name: string; readonly createdAt: Date }[]
  /** Its mails of campaigns, at most one of each. */
  readonly mails: readonly CampaignMail[]
}

interface CampaignMail extends Became {
  readonly campaign: string
}

function events() {
  return fc.array(fc.record({ name: fc.constantFrom('x', 'y'), createdAt: moment() }), { maxLength: 3 })
}

function mails(): fc.Arbitrary<readonly CampaignMail[]> {
  const at = fc.option(fc.constant(NOON), { nil: undefined })
  const mail = fc.record({
    campaign: fc.constantFrom(...CAMPAIGNS),
    status: fc.constantFrom('SENT', 'FAILED', 'SKIPPED'),
    ...{ sentAt: at, bouncedAt: at, openedAt: at, clickedAt: at, humanOpenedAt: at, humanClickedAt: at },
  })
  return fc.uniqueArray(mail, { maxLength: 2, selector: ({ campaign }) => campaign }) as fc.Arbitrary<
    readonly CampaignMail[]
  >
}

async function compare(store: Store, people: readonly Someone[], audiences: readonly Audience[]): Promise<void> {
  const projectId = newProjectId()
  const contacts = people.map(({ events: _, mails: __, ...fields }) => contact(projectId, fields))
  const happened = people.map((person, i) => person.events.map((each) => event(projectId, contacts[i]!.id, each)))
  // ids of campaigns are of one project alone
  const campaigns = new Map<string, string>(CAMPAIGNS.map((name) => [name, newId()]))
  const emails = people.flatMap((person, i) =>
    person.mails.map(({ campaign, ...fields }) =>
      email(projectId, { ...fields, contactId: contacts[i]!.id, campaignId: campaigns.get(campaign)! }),
    ),
  )
  await put(store, projectId, { contacts, emails })
  await store.events.record(happened.flat())
  for (const asked of audiences) {
    const found = await store.contacts.page(projectId, { audience: withIds(asked, campaigns) }, BY_TIME, { limit: 100 })
    const expected = contacts.filter((each, i) =>
      matches(asked, {
        contact: each,
        eventsIn: (name, span) => happened[i]!.filter((one) => one.name === name && isIn(span, one.createdAt)).length,
        memberOf: () => false,
        choiceOf: () => undefined,
        didInCampaign: (test) =>
          people[i]!.mails.some((mail) => mail.campaign === test.campaignId && becameOf(mail, [], test)),
      }),
    )
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
  }
}

const BY_TIME = { sort: 'createdAt', dir: 'asc' } as const

/** The audience with the ids that campaigns have in this project. */
function withIds(asked: Audience, ids: ReadonlyMap<string, string>): Audience {
  switch (asked.kind) {
    case 'all':
    case 'any':
      return { ...asked, of: asked.of.map((each) => withIds(each, ids)) }
    case 'not':
      return { ...asked, of: withIds(asked.of, ids) }
    case 'campaign':
      return { ...asked, campaignId: ids.get(asked.campaignId)! }
    default:
      return asked
  }
}
