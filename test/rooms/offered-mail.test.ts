import { expect, it, onTestFinished } from 'vitest'
import { SharedClaims } from '../../core/delivery/mail-claims.ts'
import { OfferedMail, type Taking } from '../../core/delivery/offered-mail.ts'
import type { ClaimedEmail } from '../../core/ports/store/emails.ts'
import { at, campaign, email, newId, newProjectId, putContact } from '../contracts/store/records.ts'
import { testStore } from '../support/store.ts'

const TAKING: Taking = { lease: { token: 'worker', until: at(60) }, most: 80 }

function world() {
  const offered = new OfferedMail()
  const campaign = { id: newId(), projectId: newProjectId() }
  const takings: (Taking | undefined)[] = []
  const mail: ClaimedEmail = { ...email(campaign.projectId), status: 'SENDING', attempts: 1, lease: TAKING.lease }
  const write = async (taking?: Taking) => {
    takings.push(taking)
    return { claimed: taking && [mail] }
  }
  return { offered, campaign, takings, mail, write }
}

it('a claim takes what is offered, and of two claims the second gets nothing', async () => {
  const { offered, campaign, takings, mail, write } = world()
  const written = offered.write(campaign, write)
  const offer = offered.all.get(campaign.id)
  expect(offer?.projectId).toBe(campaign.projectId)
  const taken = await Promise.all([offer?.take(TAKING), offer?.take(TAKING)])
  expect(taken).toEqual([[mail], []])
  expect(await written).toEqual({ claimed: [mail] })
  expect(takings).toEqual([TAKING])
  expect(offered.all.size).toBe(0)
  // a late one finds nothing either
  expect(await offer?.take(TAKING)).toEqual([])
})

it('what no claim takes soon, or what is left for others, is written for all', async () => {
  const { offered, campaign, takings, write } = world()
  const begun = performance.now()
  expect(await offered.write(campaign, write)).toEqual({ claimed: undefined })
  const waited = performance.now() - begun
  expect(waited).toBeGreaterThan(150)
  const left = offered.write(campaign, write)
  offered.all.get(campaign.id)?.leave()
  expect(await left).toEqual({ claimed: undefined })
  expect(performance.now() - begun - waited).toBeLessThan(150)
  expect(takings).toEqual([undefined, undefined])
})

it('an error of the write reaches both, and ends the offer', async () => {
  const { offered, campaign } = world()
  const written = offered.write(campaign, () => Promise.reject(new Error('the disk is full')))
  const taken = offered.all.get(campaign.id)?.take(TAKING)
  await expect(taken).rejects.toThrow('the disk is full')
  await expect(written).rejects.toThrow('the disk is full')
  expect(offered.all.size).toBe(0)
})

// catches a mail that is due again, and gets its next try only once a large audience is written
it('what waits of a campaign has its turn while more is offered', async () => {
  const { offered, campaign: offering, mail, write } = world()
  const { store, close } = await testStore()
  onTestFinished(close)
  const { projectId } = offering
  const to = await putContact(store, projectId)
  const made = campaign(projectId, { id: offering.id, status: 'SENDING' })
  await store.campaigns.insert(made)
  const waiting = email(projectId, {
    campaignId: made.id,
    contactId: to.id,
    to: to.email,
    lane: 'campaign',
    sourceType: 'CAMPAIGN',
  })
  await store.campaignMails.add([waiting])
  const transports = { ownOf: () => undefined, hasRules: false, shared: { most: () => undefined } }
  const claimed: string[] = []
  const deliver = {
    send: async ({ mails }: { mails: readonly ClaimedEmail[] }) => void claimed.push(...mails.map(({ id }) => id)),
  }
  const claims = new SharedClaims(store, transports as never, deliver as never, {} as never, offered, {} as never)
  for (let i = 0; i < 8; i++) {
    void offered.write(offering, write)
    await claims.claim('campaign', { now: at(1), lease: TAKING.lease, leaseEnd: 1e9, room: 80, ends: {} as never })
    expect(claimed).toHaveLength(i + 1)
  }
  expect(claimed).toEqual([...Array(7).fill(mail.id), waiting.id])
})
