import { Client } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { filled } from '../contracts/store/campaign-mails.ts'
import { at, event, NOON, newProjectId, putEmail, result } from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'

let url: string

beforeAll(async () => {
  url = await freshDatabase()
})

describe('two stores that send one campaign from one PostgreSQL database', () => {
  it('claim different mails, each once, while they write results, and keep the tallies', async () => {
    const stores = await open()
    const projectId = newProjectId()
    const [{ id }, mails] = await filled(stores[0], projectId, 300)
    const claimed: string[] = []
    const work = async (store: Store, worker: string) => {
      const lease = { token: worker, until: at(60) }
      for (;;) {
        const got = await store.emails.claimDue({ campaignId: id, limit: 20 }, NOON, lease)
        if (got.length === 0) return
        claimed.push(...got.map((mail) => mail.id))
        const ends = got.map((mail, i) => result(mail, worker, { status: i % 3 ? 'SENT' : 'FAILED' }))
        await store.emails.record(ends)
        await store.emails.recordActivity(
          got.map((mail) => ({ projectId, emailId: mail.id, kind: 'open', at: at(5), machine: false })),
        )
      }
    }
    await Promise.all(stores.flatMap((store, which) => ['a', 'b'].map((worker) => work(store, `${which}${worker}`))))
    expect(claimed.toSorted()).toEqual(mails.map((mail) => mail.id))
    const rows = await stores[1].emails.page(projectId, { campaignId: id }, { limit: 300 })
    const failed = rows.filter(({ status }) => status === 'FAILED').length
    const counters = await stores[1].campaignMails.counters(projectId, id)
    expect(counters).toMatchObject({ recipients: 300, failed, sent: 300 - failed, opened: 300, humanOpened: 300 })
  })

  it('let a pause wait for the claim under way, and claims wait for the pause', async () => {
    const [one, other] = await open()
    const projectId = newProjectId()
    const [campaign] = await filled(one, projectId, 3)
    let claim: Promise<readonly unknown[]> | undefined
    await one.transaction(async (tx) => {
      await tx.campaigns.lock(projectId, campaign.id)
      claim = other.emails.claimDue({ campaignId: campaign.id, limit: 9 }, NOON, { token: 't', until: at(60) })
      await expect.poll(waiting).toBe(1)
      await tx.campaigns.update({ ...campaign, status: 'PAUSED' })
    })
    expect(await claim).toEqual([])

    await one.campaigns.update(campaign)
    let pause: Promise<unknown> | undefined
    await other.transaction(async (tx) => {
      expect(
        await tx.emails.claimDue({ campaignId: campaign.id, limit: 1 }, NOON, { token: 't', until: at(60) }),
      ).toHaveLength(1)
      pause = one.transaction((tx) => tx.campaigns.lock(projectId, campaign.id))
      await expect.poll(waiting).toBe(1)
    })
    expect(await pause).toEqual(campaign)
  })

  it('claim while the fan-out is being moved on', async () => {
    const [one, other] = await open()
    const projectId = newProjectId()
    const [campaign, [mail]] = await filled(one, projectId, 1)
    const words = { frozenAt: NOON.toISOString(), upTo: mail!.contactId!, done: false, recipients: 0, skipped: {} }
    const fanOut = { ...words, cursor: '' }
    await one.campaigns.update({ ...campaign, fanOut })
    await one.transaction(async (tx) => {
      const next = { ...fanOut, cursor: words.upTo }
      expect(await tx.campaigns.advance(projectId, campaign.id, fanOut, next, NOON)).toBe(true)
      const lease = { token: 't', until: at(60) }
      expect(await other.emails.claimDue({ campaignId: campaign.id, limit: 9 }, NOON, lease)).toHaveLength(1)
    })
  })

  it('find one first opening among many, with one event', async () => {
    const stores = await open()
    const projectId = newProjectId()
    const mail = await putEmail(stores[0], projectId, { status: 'SENT' })
    const calls = Array.from({ length: 20 }, (_, i) =>
      stores[i % 2]!.emails.recordActivity([
        {
          ...{ projectId, emailId: mail.id, kind: 'open', at: at(i), machine: false },
          event: event(projectId, mail.contactId!, { emailId: mail.id }),
        },
      ]),
    )
    const outcomes = (await Promise.all(calls)).flat()
    expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1)
    expect(await stores[0].events.page(projectId, { emailId: mail.id }, { limit: 9 })).toHaveLength(1)
    expect(await stores[1].emails.find(projectId, mail.id)).toMatchObject({ status: 'OPENED', opens: 20 })
  })
})

async function open(): Promise<[Store, Store]> {
  const opened = await Promise.all([0, 1].map(() => postgres({ url }).open({ log: silentLog, clock: systemClock })))
  onTestFinished(async () => {
    for (const { close } of opened) await close?.()
  })
  const [one, other] = opened.map(({ store }) => store)
  return [one!, other!]
}

/** How many statements wait for a lock. */
async function waiting(): Promise<number> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as "count" from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]!.count
  } finally {
    await client.end()
  }
}
