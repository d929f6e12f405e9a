import { describe, expect, it } from 'vitest'
import type { Campaign } from '../../../core/ports/store/campaigns.ts'
import type { Email } from '../../../core/ports/store/emails.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { ProjectId } from '../../../core/values/project-id.ts'
import {
  at,
  campaign,
  claimMails,
  contact,
  email,
  NOON,
  newId,
  newProjectId,
  put,
  putEmail,
  result,
  suppression,
} from './records.ts'

const LEASE = { token: 'worker-1', until: at(300) }

/** The promises of a store about the mails of campaigns. */
export function storeCampaignMailsContract(fresh: () => Promise<Store>) {
  it('writes one mail for each contact of a campaign, however often it is told', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [one, other] = [await sending(store, projectId), await sending(store, projectId)]
    const contacts = Array.from({ length: 50 }, () => contact(projectId))
    const [first, second] = [mailsOf(one, contacts.slice(0, 30)), mailsOf(one, contacts)]
    expect(await store.campaignMails.add([])).toBe(0)
    expect(await store.campaignMails.add(first)).toBe(30)
    expect(await store.campaignMails.add(second)).toBe(20)
    expect(await store.campaignMails.add([...second, ...second])).toBe(0)
    const rivals = [0, 1, 2].map(() => store.campaignMails.add(mailsOf(other, contacts)))
    expect((await Promise.all(rivals)).reduce((sum, count) => sum + count)).toBe(50)
    const rows = await store.emails.page(projectId, { campaignId: one.id }, { limit: 99 })
    expect(rows.toReversed()).toEqual([...first, ...second.slice(30)])
    const doubled = await store.campaignMails.add([...mailsOf(other, contacts.slice(0, 1)), ...mailsOf(one, [])])
    expect(doubled).toBe(0)
  })

  it('writes mails as a claim leaves them, if it can', async () => {
    const store = await fresh()
    if (!store.campaignMails.addClaimed) return
    const projectId = newProjectId()
    const made = await sending(store, projectId)
    const contacts = Array.from({ length: 4 }, () => contact(projectId))
    await put(store, projectId, { contacts })
    const mails = mailsOf(made, contacts)
    const ids = (some: readonly Email[]) => new Set(some.map(({ id }) => id))
    expect(await store.campaignMails.addClaimed([], LEASE)).toEqual(new Set())
    expect(await store.campaignMails.addClaimed(mails.slice(0, 2), LEASE)).toEqual(ids(mails.slice(0, 2)))
    // a contact that has one gets no other
    const others = mailsOf(made, contacts)
    expect(await store.campaignMails.addClaimed(others, LEASE)).toEqual(ids(others.slice(2)))
    const written = [...mails.slice(0, 2), ...others.slice(2)]
    const rows = await store.emails.page(projectId, { campaignId: made.id }, { limit: 9 })
    expect(rows.toReversed()).toEqual(written.map((mail) => ({ ...mail, status: 'SENDING', attempts: 1 })))
    expect(await store.campaignMails.counters(projectId, made.id)).toMatchObject({ recipients: 4 })
    const claim = (token: string) =>
      store.emails.claimDue({ campaignId: made.id, limit: 9 }, at(400), { token, until: at(700) })
    expect(await claim('other')).toEqual([])
    expect(await store.campaignMails.hasOpen(made.id)).toBe(true)
    // what is given back, what is sent, and what is left behind
    await store.emails.release([written[0]!.id], LEASE.token, NOON)
    expect(await store.emails.find(projectId, written[0]!.id)).toMatchObject({ status: 'QUEUED', attempts: 0 })
    expect(await store.emails.record([result(written[1]!, 'other')])).toEqual(new Set())
    expect(await store.emails.record([result(written[1]!, LEASE.token)])).toEqual(new Set([written[1]!.id]))
    expect(await store.emails.expireLeases(at(301))).toBe(2)
    const again = await claim('other')
    expect(again.map(({ id, attempts, interrupted }) => [id, attempts, interrupted]).toSorted()).toEqual(
      [
        [written[0]!.id, 1, undefined],
        [written[2]!.id, 2, 1],
        [written[3]!.id, 2, 1],
      ].toSorted(),
    )
  })

  it('counts what happened to the mails of a campaign by quarters of an hour', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, other] = [await sending(store, projectId), await sending(store, projectId)]
    const times = [
      { deliveredAt: NOON, openedAt: at(899), clickedAt: at(900), unsubscribedAt: at(901) },
      { deliveredAt: at(1), openedAt: at(3600) },
      { deliveredAt: at(-1) },
      {},
    ]
    const mails = mailsOf(
      made,
      times.map(() => contact(projectId)),
    ).map((mail, i) => ({ ...mail, ...times[i] }))
    await store.campaignMails.add([...mails, { ...mailsOf(other, [contact(projectId)])[0]!, ...times[0] }])
    const quarter = Math.floor(NOON.getTime() / 900_000) * 900_000
    const course = async (of = projectId, to = at(3600)) =>
      (await store.campaignMails.course(of, made.id, new Date(quarter), to))
        .map((each) => [each.figure, Math.round((each.at.getTime() - quarter) / 1000), each.count])
        .toSorted()
    expect(await course()).toEqual([
      ['clicked', 900, 1],
      ['delivered', 0, 2],
      ['opened', 0, 1],
      ['unsubscribed', 900, 1],
    ])
    expect(await course(projectId, at(4500))).toContainEqual(['opened', 3600, 1])
    expect(await course(newProjectId())).toEqual([])
    expect(await store.analytics.recount(projectId, false)).toEqual([])
  })

  it('lists and counts the mails of a campaign, by status too', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, mails] = await filled(store, projectId, 7)
    await put(store, projectId, { emails: [email(projectId), ...mailsOf(campaign(projectId), [contact(projectId)])] })
    await claimMails(store, [mails[1]!, mails[4]!], NOON, LEASE)
    const ids = async (status?: Email['status'], limit = 9, after?: Email) => {
      const filter = { campaignId: made.id, ...(status && { status }) }
      const page = { limit, ...(after && { after: { value: '', id: after.id } }) }
      const rows = await store.emails.page(projectId, filter, page)
      if (!after && limit === 9) expect(await store.emails.count(projectId, filter)).toBe(rows.length)
      return rows.map(({ id }) => mails.findIndex((mail) => mail.id === id))
    }
    expect(await ids()).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await ids(undefined, 2, mails[4])).toEqual([3, 2, 1])
    expect(await ids('SENDING')).toEqual([4, 1])
    expect(await ids('QUEUED')).toEqual([6, 5, 3, 2, 0])
    expect(await ids('QUEUED', 1, mails[5])).toEqual([3, 2])
    expect(await ids('FAILED')).toEqual([])
    // those being sent are in no index of the project
    const sending = await store.emails.page(projectId, { status: 'SENDING' }, { limit: 1 })
    expect(sending.map(({ id }) => id)).toEqual([mails[4]!.id, mails[1]!.id])
    expect(await store.emails.count(projectId, { status: 'SENDING' })).toBe(2)
    const elsewhere = newProjectId()
    expect(await store.emails.page(elsewhere, { status: 'SENDING' }, { limit: 9 })).toEqual([])
    expect(await store.emails.page(elsewhere, { campaignId: made.id }, { limit: 9 })).toEqual([])
    expect(await store.emails.count(elsewhere, { campaignId: made.id })).toBe(0)
    expect(await store.emails.count(elsewhere, { campaignId: made.id, status: 'QUEUED' })).toBe(0)
  })

  describe('claims the mails of a campaign', () => {
    it('that wait and are due, the longest first, with what decides whether they are sent', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      const [made, mails] = await filled(store, projectId, 4, (i) => ({ dueAt: at([3, 1, 1, 9][i]!) }))
      await store.suppressions.put(suppression(projectId, mails[2]!.to, { reason: 'COMPLAINT' }))
      const claim = (limit: number, now: Date) => store.emails.claimDue({ campaignId: made.id, limit }, now, LEASE)
      expect(await claim(9, NOON)).toEqual([])
      expect(await claim(0, at(5))).toEqual([])
      const [first] = await claim(1, at(5))
      const [one, two, three] = [mails[1]!, mails[2]!, mails[0]!].map((mail) => {
        const taken = { status: 'SENDING' as const, attempts: 1, updatedAt: at(5) }
        return { ...mail, ...taken, lease: LEASE, subscribed: true, tracking: 'full' as const }
      })
      expect(first).toEqual(one)
      expect(await claim(9, at(5))).toEqual([{ ...two, suppressed: 'COMPLAINT' }, three])
      expect(await claim(9, at(5))).toEqual([])
    })

    it('only while it is SENDING, and never with those of its lane', async () => {
      const store = await fresh()
      const projectId = newProjectId()
      const [made, mails] = await filled(store, projectId, 3)
      const plain = await putEmail(store, projectId, { lane: 'campaign' })
      const due = { lane: 'campaign', projectIds: [projectId], share: 9 } as const
      const ofLane = async () => (await store.emails.claimDue(due, NOON, LEASE)).map(({ id }) => id)
      for (const status of ['PAUSED', 'CANCELLED', 'SENT', 'DRAFT', 'SCHEDULED', 'FAILED'] as const) {
        await store.campaigns.update({ ...made, status })
        expect(await store.emails.claimDue({ campaignId: made.id, limit: 9 }, NOON, LEASE)).toEqual([])
        expect(await ofLane()).toEqual([plain.id])
        await store.emails.release([plain.id], LEASE.token, NOON)
      }
      await store.campaigns.update(made)
      expect(await store.emails.claimDue({ campaignId: made.id, limit: 1 }, NOON, LEASE)).toHaveLength(1)
      expect(await store.emails.claimDue({ campaignId: made.id, limit: 9 }, NOON, LEASE)).toHaveLength(2)
      expect(await ofLane()).toEqual([plain.id])
      await store.campaigns.remove(projectId, made.id)
      await store.emails.release(
        [...mails, plain].map(({ id }) => id),
        LEASE.token,
        NOON,
      )
      expect(await store.emails.claimDue({ campaignId: made.id, limit: 9 }, NOON, LEASE)).toEqual([])
      expect(await ofLane()).toEqual([plain.id])
    })

    it('for one of many who claim at the same time', async () => {
      const store = await fresh()
      const [made, mails] = await filled(store, newProjectId(), 90)
      const claims = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          store.emails.claimDue({ campaignId: made.id, limit: 15 }, NOON, { token: `t${i}`, until: at(60) }),
        ),
      )
      const got = claims.flatMap((claim) => claim.map(({ id }) => id))
      expect(got.sort()).toEqual(mails.map(({ id }) => id))
    })
  })

  it('keeps the mails of campaigns from those that are due by themselves', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    await filled(store, projectId, 3)
    const plain = await putEmail(store, projectId, { lane: 'campaign' })
    expect(await store.emails.waiting('campaign')).toEqual([{ projectId, dueAt: NOON }])
    const due = { lane: 'campaign', projectIds: [projectId], share: 9 } as const
    expect(await store.emails.claimDue(due, NOON, LEASE)).toMatchObject([{ id: plain.id }])
  })

  it('tells which campaigns have mail that waits, with their status, also when they are gone', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, mails] = await filled(store, projectId, 2, (i) => ({ dueAt: at(5 - i) }))
    const [gone] = await filled(store, projectId, 1)
    const [paused] = await filled(store, projectId, 1)
    await filled(store, projectId, 1, () => ({ status: 'SENT' }))
    await store.campaigns.remove(projectId, gone.id)
    await store.campaigns.update({ ...(await store.campaigns.find(projectId, paused.id))!, status: 'PAUSED' })
    const ours = async () => (await store.campaignMails.waiting()).filter((each) => each.projectId === projectId)
    const rest = [
      { projectId, id: gone.id, status: undefined, dueAt: NOON },
      { projectId, id: paused.id, status: 'PAUSED', dueAt: NOON },
    ]
    expect(await ours()).toEqual([{ projectId, id: made.id, status: 'SENDING', dueAt: at(4) }, ...rest])
    expect(await store.emails.claimDue({ campaignId: made.id, limit: mails.length }, at(9), LEASE)).toHaveLength(2)
    expect(await ours()).toEqual(rest)
  })

  it('knows whether a campaign has mail in work', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, mails] = await filled(store, projectId, 3, (i) => ({ dueAt: at(i) }))
    const [other] = await filled(store, projectId, 5)
    const { campaignMails, emails } = store
    expect(await campaignMails.hasOpen(newId())).toBe(false)
    expect(await campaignMails.hasOpen(made.id)).toBe(true)
    expect(await campaignMails.isSending(made.id)).toBe(false)
    expect(await emails.claimDue({ campaignId: made.id, limit: 9 }, at(9), LEASE)).toHaveLength(3)
    expect(await campaignMails.hasOpen(made.id)).toBe(true)
    expect([await campaignMails.isSending(made.id), await campaignMails.isSending(other.id)]).toEqual([true, false])
    await emails.record(mails.slice(0, 2).map((mail) => result(mail, LEASE.token)))
    expect(await campaignMails.hasOpen(made.id)).toBe(true)
    await emails.record([result(mails[2]!, LEASE.token, { status: 'FAILED' })])
    expect([await campaignMails.hasOpen(made.id), await campaignMails.isSending(made.id)]).toEqual([false, false])
    expect(await campaignMails.hasOpen(other.id)).toBe(true)
  })

  it('queues again what has failed, with all tries before it, but no bounce', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, mails] = await filled(store, projectId, 5)
    const [other] = await filled(store, projectId, 1)
    await store.emails.claimDue({ campaignId: made.id, limit: 9 }, NOON, LEASE)
    await store.emails.claimDue({ campaignId: other.id, limit: 9 }, NOON, LEASE)
    const ends = ['FAILED', 'BOUNCED', 'FAILED', 'SENT', 'FAILED'] as const
    const softBounced = true
    await store.emails.record(
      mails.map((mail, i) => result(mail, LEASE.token, { status: ends[i]!, error: '5xx', softBounced })),
    )
    const { campaignMails } = store
    expect(await campaignMails.counters(projectId, made.id)).toMatchObject({
      recipients: 5,
      sent: 1,
      failed: 3,
      bounced: 1,
    })
    expect(await campaignMails.retryFailed(newProjectId(), made.id, at(20), 9, at(90))).toBe(0)
    expect(await campaignMails.retryFailed(projectId, made.id, at(9), 9, at(90))).toBe(0)
    expect(await campaignMails.retryFailed(projectId, made.id, at(20), 2, at(90))).toBe(2)
    const again = { status: 'QUEUED', attempts: 0, dueAt: at(20), expiresAt: at(90), updatedAt: at(20) }
    const found = await store.emails.find(projectId, mails[0]!.id)
    // the bounce of the try before is none of the next one
    expect(found).toMatchObject({ ...again, error: '5xx' })
    expect(found).not.toHaveProperty('softBouncedAt')
    expect(await campaignMails.counters(projectId, made.id)).toMatchObject({ recipients: 5, failed: 1 })
    expect(await campaignMails.retryFailed(projectId, made.id, at(21), 9, at(90))).toBe(1)
    expect(await campaignMails.retryFailed(projectId, made.id, at(21), 9, at(90))).toBe(0)
    expect(await store.emails.claimDue({ campaignId: made.id, limit: 9 }, at(21), LEASE)).toHaveLength(3)
  })

  it('skips what of a cancelled campaign still waits', async () => {
    const store = await fresh()
    const projectId = newProjectId()
    const [made, mails] = await filled(store, projectId, 5)
    await filled(store, projectId, 1)
    await claimMails(store, [mails[0]!], NOON, LEASE)
    // one was tried before: why it failed then is not why it is skipped
    await claimMails(store, [mails[4]!], NOON, LEASE)
    await store.emails.release([mails[4]!.id], LEASE.token, NOON, { reason: 'The mail server could not be reached.' })
    const { campaigns, campaignMails } = store
    await campaigns.update({ ...made, status: 'CANCELLED' })
    expect(await campaignMails.skipQueued(newProjectId(), made.id, at(5), 9)).toBe(0)
    expect(await campaignMails.skipQueued(projectId, made.id, at(5), 3)).toBe(3)
    expect(await campaignMails.skipQueued(projectId, made.id, at(5), 3)).toBe(1)
    expect(await campaignMails.skipQueued(projectId, made.id, at(5), 3)).toBe(0)
    const skipped = { status: 'SKIPPED', skipReason: 'campaign-cancelled', updatedAt: at(5) }
    expect(await store.emails.find(projectId, mails[4]!.id)).toEqual({ ...mails[4], ...skipped })
    expect(await store.emails.find(projectId, mails[0]!.id)).toMatchObject({ status: 'SENDING' })
    const counters = await campaignMails.counters(projectId, made.id)
    expect(counters).toMatchObject({ recipients: 5, skipped: { 'campaign-cancelled': 4 } })
  })
}

/** A campaign that is SENDING. */
async function sending(store: Store, projectId: ProjectId): Promise<Campaign> {
  const made = campaign(projectId, { status: 'SENDING' })
  await store.campaigns.insert(made)
  return made
}

/** Mails of a campaign to these contacts. */
export function mailsOf(
  { projectId, id: campaignId }: Campaign,
  contacts: readonly { readonly id: string; readonly email: string }[],
): Email[] {
  const words = { campaignId, sourceType: 'CAMPAIGN', lane: 'campaign' } as const
  return contacts.map(({ id: contactId, email: to }) => email(projectId, { contactId, to, ...words }))
}

/** A campaign that is SENDING, with mails to so many contacts. */
export async function filled(
  store: Store,
  projectId: ProjectId,
  count: number,
  fields: (i: number) => Partial<Email> = () => ({}),
): Promise<[Campaign, readonly Email[]]> {
  const made = await sending(store, projectId)
  const contacts = Array.from({ length: count }, () => contact(projectId))
  await put(store, projectId, { contacts })
  const mails = mailsOf(made, contacts).map((mail, i) => ({ ...mail, ...fields(i) }))
  await store.campaignMails.add(mails)
  return [made, mails]
}
