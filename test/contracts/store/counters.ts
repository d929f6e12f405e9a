import { expect, it } from 'vitest'
import type { CampaignCounters } from '../../../core/ports/store/campaign-mails.ts'
import type { Campaign } from '../../../core/ports/store/campaigns.ts'
import type { Activity, DeliveryResult, Email } from '../../../core/ports/store/emails.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { ledgerEventId } from '../../../core/values/event-names.ts'
import { NIL_ID } from '../../../core/values/id.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import { filled, mailsOf } from './campaign-mails.ts'
import { at, contact, email, endpoint, event, newId, newProjectId, put, removeWholly, result } from './records.ts'

/** The promises of a store about the counters of campaigns and events: that counting the rows gives the same. */
export function storeCountersContract(fresh: () => Promise<Store>) {
  it('counts what becomes of campaigns and events, whatever happens to their mails', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const random = seeded(20250601)
    const made = [
      await filled(store, projectId, 40, (i) => ({ variant: PARTS[i % PARTS.length]! })),
      await filled(store, projectId, 25),
    ]
    for (let step = 1; step <= 100; step++) {
      // from here on events are rows that mails stood for before
      if (step === 60) await store.webhookEndpoints.insert(endpoint(projectId))
      const one = made[random(2)]!
      one[1] = [...one[1], ...(await anything(store, one[0], one[1], random, step))]
      if (step % 20 !== 0) continue
      for (const [{ id }] of made) {
        const rows = await store.emails.page(projectId, { campaignId: id }, { limit: 999 })
        expect(await store.campaignMails.counters(projectId, id)).toEqual(counted(rows))
        const parts = await store.campaignMails.testCounters(projectId, id)
        for (const part of PARTS) {
          const ofPart = rows.filter(({ variant }) => variant === part)
          expect(parts.get(part)).toEqual(ofPart.length === 0 ? undefined : { ...ofTest(ofPart), happened: 0 })
        }
      }
      const names = await store.events.names(projectId)
      expect(new Map(names.map(({ name, count }) => [name, count]))).toEqual(await countedEvents(store, projectId))
      expect(await store.analytics.recount(projectId, false)).toEqual([])
    }
    const events = await countedEvents(store, projectId)
    expect([...events.keys()].sort()).toEqual(['email.delivery', 'email.open', 'email.sent'])
    expect(await store.campaignMails.counters(newProjectId(), made[0]![0].id)).toEqual(counted([]))
  })

  it('counts the people of each part of a test whom an event happened to since', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const parts = ['A', 'A', 'B', 'held-out'] as const
    const [news, mails] = await filled(store, projectId, 5, (i) => (parts[i] ? { variant: parts[i] } : {}))
    const bought = (i: number, seconds: number, name = 'bought') =>
      event(projectId, mails[i]!.contactId!, { name, createdAt: at(seconds) })
    await store.events.record([
      ...[bought(0, 5), bought(0, 6), bought(1, 4), bought(2, 9, 'sold'), bought(3, 5), bought(4, 5)],
    ])
    const happened = async (from: number) => {
      const counts = await store.campaignMails.testCounters(projectId, news.id, { name: 'bought', from: at(from) })
      return Object.fromEntries([...counts].map(([part, each]) => [part, each.happened]))
    }
    expect(await happened(5)).toEqual({ A: 1, B: 0, 'held-out': 1 })
    expect(await happened(0)).toEqual({ A: 2, B: 0, 'held-out': 1 })
    expect((await store.campaignMails.testCounters(newProjectId(), news.id)).size).toBe(0)
  })

  it('counts mails as they are when they are inserted, each row once', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [news, [first]] = await filled(store, projectId, 1)
    const [other] = await filled(store, projectId, 0)
    const contacts = Array.from({ length: 4 }, () => contact(projectId))
    await put(store, projectId, { contacts })
    const states: readonly Partial<Email>[] = [
      {
        status: 'CLICKED',
        sentAt: at(1),
        deliveredAt: at(1),
        openedAt: at(2),
        clickedAt: at(3),
        unsubscribedAt: at(4),
        repliedAt: at(5),
      },
      { status: 'SKIPPED', skipReason: 'unsubscribed' },
      { status: 'FAILED' },
      { status: 'COMPLAINED', sentAt: at(1), bouncedAt: at(2), complainedAt: at(3), humanOpenedAt: at(4) },
    ]
    const mails = mailsOf(news, contacts).map((mail, i) => ({ ...mail, ...states[i] }))
    const again = mails.map((mail) => ({ ...mail, id: newId() }))
    const elsewhere = mailsOf(other, contacts.slice(0, 2))
    const alone = email(projectId, { status: 'FAILED', sentAt: at(1) })
    expect(await store.campaignMails.add([...mails, first!, ...again, ...elsewhere, ...mails])).toBe(6)
    await store.emails.add([alone], [])
    const rolledBack = store.transaction(async (tx) => {
      await tx.campaignMails.add(mailsOf(other, contacts))
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    expect(await store.campaignMails.counters(projectId, news.id)).toEqual(counted([first!, ...mails]))
    expect(await store.campaignMails.counters(projectId, other.id)).toEqual(counted(elsewhere))
  })
}

const PARTS = ['A', 'B', 'rest'] as const

function ofTest(rows: readonly Email[]) {
  const { anonymousOpened, anonymousHumanOpened, anonymousClicked, anonymousHumanClicked, ...kept } = counted(rows)
  const { replied, ...rest } = kept
  return rest
}

const STATUSES = ['QUEUED', 'SENT', 'DELIVERED', 'BOUNCED', 'FAILED', 'SKIPPED'] as const
const REASONS = ['unsubscribed', 'contact-removed', 'suppressed:BOUNCE'] as const

/** One of the things that happen to mails of a campaign, to some of its mails. Answers mails that it added. */
async function anything(
  store: Store,
  campaign: Campaign,
  mails: readonly Email[],
  random: (below: number) => number,
  step: number,
): Promise<readonly Email[]> {
  const { projectId, id } = campaign
  const some = mails.filter(() => random(4) === 0)
  const one = mails[random(mails.length)]!
  const ids = some.map((mail) => mail.id)
  const now = at(step * 10)
  const lease = { token: 'worker-1', until: at(step * 10 + 30) }
  switch (random(16)) {
    case 0:
    case 1:
    case 2:
      await store.emails.claimDue({ campaignId: id, limit: 20 }, now, lease)
      return []
    case 3:
    case 4:
    case 5:
      await store.emails.record(some.map((mail) => anyResult(mail, now, lease.token, random)))
      return []
    case 6: {
      const acts = some.map((mail) => anyActivity(mail, now, random))
      await store.emails.recordActivity(acts)
      return []
    }
    case 7:
      await store.emails.unsubscribedBy(projectId, one.id, now)
      return []
    case 8:
      await store.campaignMails.retryFailed(projectId, id, now, 3, now)
      await store.emails.expireLeases(now)
      return []
    case 9: {
      const news = { projectId, at: now, bouncedAt: now, status: 'BOUNCED' } as const
      await store.feedback.write(some.map((mail) => ({ ...news, emailId: mail.id })))
      return []
    }
    case 10: {
      const news = { projectId, at: now, deliveredAt: now, complainedAt: now, status: 'COMPLAINED' } as const
      await store.feedback.write([{ ...news, emailId: one.id }])
      return []
    }
    case 11:
      await store.emails.release(ids, lease.token, now)
      await store.moveUp(at(0), now, 9)
      return []
    case 12: {
      const contacts = [contact(projectId), contact(projectId)]
      await put(store, projectId, { contacts })
      const added = mailsOf(campaign, contacts)
      await store.campaignMails.add([...added, ...added.map((mail) => ({ ...mail, id: newId() }))])
      return added
    }
    case 13:
      await store.retention.removeLedgerEvents([one.id], now)
      await store.retention.removeEvents({ after: NIL_ID, before: newId(), limit: 2 })
      return []
    case 14:
      await store.retention.removeVariables(ids, now)
      await store.events.removeNamed(projectId, 'email.open', 1)
      return []
    default:
      await store.campaignMails.skipQueued(projectId, id, now, 1)
      await removeWholly(store, projectId, one.contactId!)
      return []
  }
}

function anyResult(mail: Email, moment: Date, token: string, random: (below: number) => number): DeliveryResult {
  const status = STATUSES[random(STATUSES.length)]!
  const of = (name: 'email.sent' | 'email.delivery') =>
    event(mail.projectId, mail.contactId!, {
      ...{ id: ledgerEventId(name, mail.id, moment), name, emailId: mail.id, createdAt: moment },
    })
  const isDelivered = status === 'DELIVERED'
  return result(mail, token, {
    ...{ status, at: moment, ...(isDelivered && random(3) === 0 && { toFolder: true }) },
    ...(status === 'SKIPPED' && { skipReason: REASONS[random(REASONS.length)]! }),
    ...((status === 'SENT' || isDelivered) && {
      ledgerEvents: isDelivered ? [of('email.sent'), of('email.delivery')] : [of('email.sent')],
    }),
  })
}

function anyActivity(mail: Email, moment: Date, random: (below: number) => number): Activity {
  const { projectId, id: emailId } = mail
  const opened = event(projectId, mail.contactId!, { name: 'email.open', emailId })
  const kind = random(2) ? 'open' : 'click'
  return { projectId, emailId, kind, at: moment, machine: random(2) === 0, ...(kind === 'open' && { event: opened }) }
}

function counted(rows: readonly Email[]): CampaignCounters {
  const having = (property: keyof Email) => rows.filter((row) => row[property] !== undefined).length
  const skipped: Record<string, number> = {}
  for (const { status, skipReason } of rows) {
    if (status === 'SKIPPED' && skipReason) skipped[skipReason] = (skipped[skipReason] ?? 0) + 1
  }
  return {
    recipients: rows.length,
    sent: having('sentAt'),
    delivered: rows.filter((row) => row.deliveredAt && !row.bouncedAt && row.status !== 'FAILED').length,
    ...{ opened: having('openedAt'), humanOpened: having('humanOpenedAt') },
    ...{ clicked: having('clickedAt'), humanClicked: having('humanClickedAt') },
    ...{ anonymousOpened: 0, anonymousHumanOpened: 0, anonymousClicked: 0, anonymousHumanClicked: 0 },
    ...{ bounced: having('bouncedAt'), complained: having('complainedAt'), unsubscribed: having('unsubscribedAt') },
    replied: having('repliedAt'),
    toFolder: having('toFolder'),
    bouncedLater: rows.filter(({ sentAt, bouncedAt }) => sentAt && bouncedAt).length,
    failed: rows.filter(({ status }) => status === 'FAILED').length,
    failedLater: rows.filter(({ status, sentAt }) => status === 'FAILED' && sentAt).length,
    skipped,
  }
}

/** How many events there are of each name, read one by one. */
async function countedEvents(store: Store, projectId: ProjectId): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  const found = await store.events.page(projectId, {}, { limit: 9999 })
  for (const { name } of found) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}

/** Numbers that look like chance and are the same every time. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
