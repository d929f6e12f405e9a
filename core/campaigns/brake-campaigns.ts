import { isOwnBounce, withSubscription } from '../contacts/left-contacts.ts'
import { subscriptionEvent } from '../contacts/subscription-event.ts'
import type { CampaignWatch } from '../delivery/campaign-watch.ts'
import type { Kit } from '../kit.ts'
import { lifetimeEnd } from '../mail/plan-hours.ts'
import { isSimulated } from '../mail/simulator-address.ts'
import type { CampaignCounters, RefusedMail } from '../ports/store/campaign-mails.ts'
import type { BounceHold, Brake, Campaign } from '../ports/store/campaigns.ts'
import { DELETED_RECIPIENT } from '../ports/store/emails.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { domainOf } from '../values/email-address.ts'
import { isId } from '../values/id.ts'
import type { ProjectId } from '../values/project-id.ts'
import { type Doorbell, TOPICS } from '../work/doorbell.ts'
import { answeredOf } from './campaign-numbers.ts'
import { isTemporary, wordsOf } from './same-words.ts'
import { restarted } from './variants/test-progress.ts'

/**
 * How many answers count as the first: with fewer a small share is no sign, and after them the damage would be done.
 */
const FIRST_ANSWERS = 1_000
/** A campaign is braked when at least so many answers, and more than this share of all, are the same refusal. */
const LEAST = 20
const SHARE = 0.05
/** A campaign whose answers come this slowly is not watched for longer: its bounces must suppress some day. */
const WATCHED_MS = 3_600_000
/** How often it is looked whether the last answers are in. */
const LOOK_AGAIN_MS = 50
/** How many mails change in one transaction. */
const BATCH = 500

/**
 * Watches the first answers to each campaign. Until they are in, bounces do not suppress or unsubscribe their
 * recipients: the campaign `hold`s them. When too many are the same refusal, which is no trait of so many addresses,
 * the campaign is paused, and a person decides. Otherwise the bounces held so far are judged as any others. The hold is
 * a field of the campaign that is read in each transaction that writes a bounce, so it needs no memory and survives any
 * crash; what was begun under it is finished by the next tick.
 */
export class BrakeCampaigns {
  constructor(
    private readonly store: Store,
    private readonly watch: CampaignWatch,
    private readonly doorbell: Doorbell,
    private readonly kit: Kit,
  ) {}

  /** The hold of a campaign that starts now: nothing when there is no brake. */
  get begun(): { readonly hold?: BounceHold } {
    return this.kit.settings.campaigns.brake ? { hold: 'watching' } : {}
  }

  /** Every second: brakes, and ends holds. */
  async tick(signal: AbortSignal): Promise<void> {
    for (const campaign of await this.store.campaigns.held()) {
      if (signal.aborted) return
      try {
        if (campaign.hold === 'watching') await this.#look(campaign)
        else await this.finish(campaign)
      } catch (error) {
        this.kit.log.warn('could not process the bounces of a campaign', { campaign: campaign.id, error })
      }
    }
  }

  /**
   * Does what was decided about the bounces held so far, and lets a braked campaign go on. The decision holds for mails
   * that were on their way as well: sending again waits for their answers for up to `patienceMs`, and is otherwise left
   * to the next tick. Doing it twice, or at the same time as another process, changes nothing.
   */
  async finish(decided: Campaign, patienceMs = 0): Promise<void> {
    const { projectId, id, hold, brake } = decided
    if (hold === 'retry' && brake) {
      if (!(await this.#hasAllAnswers(id, patienceMs))) return
      await this.#requeue(decided, brake, this.kit.now())
    } else await this.#judge(decided)
    const goesOn = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (!campaign || campaign.hold !== hold) return false
      const { hold: _hold, brake: wasBraked, ...rest } = campaign
      // what is sent again is watched again
      const next = hold === 'retry' ? { hold: 'watching' as const } : {}
      if (!wasBraked || campaign.status !== 'PAUSED') return void (await tx.campaigns.update({ ...rest, ...next }))
      const { statusReason, fanOut, ...going } = rest
      const now = this.kit.now()
      const goesOn = fanOut ? { fanOut: restarted(fanOut, now) } : {}
      return tx.campaigns.update({ ...going, ...goesOn, ...next, status: 'SENDING', updatedAt: now })
    })
    if (!goesOn) return
    this.watch.forget(id)
    this.doorbell.ring(TOPICS.fanOut, { lane: 'campaign' })
    this.doorbell.ring(TOPICS.mail, { lane: 'campaign' })
  }

  async #hasAllAnswers(id: string, patienceMs: number): Promise<boolean> {
    for (let waited = 0; await this.store.campaignMails.isSending(id); waited += LOOK_AGAIN_MS) {
      if (waited >= patienceMs) return false
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
    return true
  }

  async #look(campaign: Campaign): Promise<void> {
    const { projectId, id } = campaign
    const counters = await this.store.campaignMails.counters(projectId, id)
    const brake = await this.#brakeOf(campaign, counters)
    if (brake) await this.#pause(campaign, brake)
    else if (await this.#isOver(campaign, counters)) await this.#end(campaign)
  }

  /** The refusal that too many of the answers are. */
  async #brakeOf({ projectId, id }: Campaign, counters: CampaignCounters): Promise<Brake | undefined> {
    const answers = answeredOf(counters)
    if (!this.kit.settings.campaigns.brake || counters.bounced + counters.failed < LEAST) return undefined
    const said = new Map<string, { refused: number; readonly reply: string }>()
    for await (const mails of this.#refused(projectId, id)) {
      for (const { to, error = '' } of mails) {
        if (error === '' || isTemporary(error)) continue
        const words = wordsOf(error, to)
        const known = said.get(words)
        if (known) known.refused++
        else said.set(words, { refused: 1, reply: error })
      }
    }
    const [most] = [...said].toSorted(([, a], [, b]) => b.refused - a.refused)
    if (!most) return undefined
    const [words, { refused, reply }] = most
    return refused >= LEAST && refused > SHARE * answers ? { words, refused, answers, reply } : undefined
  }

  async #isOver({ id, status, fanOut, updatedAt }: Campaign, counters: CampaignCounters) {
    if (answeredOf(counters) >= FIRST_ANSWERS || (status !== 'SENDING' && status !== 'PAUSED')) return true
    if (this.kit.now().getTime() - updatedAt.getTime() > WATCHED_MS) return true
    return fanOut?.done === true && !(await this.store.campaignMails.hasOpen(id))
  }

  async #pause({ projectId, id }: Campaign, brake: Brake): Promise<void> {
    const statusReason = `${brake.refused} of its first ${brake.answers} answers are the same refusal: ${brake.reply}`
    const isBraked = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.hold !== 'watching' || (campaign.status !== 'SENDING' && campaign.status !== 'PAUSED')) return false
      const now = this.kit.now()
      return tx.campaigns.update({ ...campaign, status: 'PAUSED', statusReason, hold: 'braked', brake, updatedAt: now })
    })
    if (!isBraked) return
    await this.watch.changed(id)
    this.kit.log.warn('braked a campaign: a person has to decide about its bounces', {
      campaign: id,
      project: projectId,
      ...brake,
    })
  }

  /** The first answers are in: from the commit on bounces suppress at once, and those before it are judged. */
  async #end({ projectId, id }: Campaign): Promise<void> {
    const ended = await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.hold !== 'watching') return undefined
      const changed = { ...campaign, hold: 'accept' } as const
      await tx.campaigns.update(changed)
      return changed
    })
    if (ended) await this.finish(ended)
  }

  async #judge({ projectId, id }: Campaign): Promise<void> {
    for await (const mails of this.#refused(projectId, id)) {
      const bounced = mails.filter(({ bouncedAt }) => bouncedAt !== undefined)
      if (bounced.length === 0) continue
      await this.store.transaction(async (tx) => {
        // one process at a time, so that no bounce is counted twice
        const campaign = await tx.campaigns.lock(projectId, id)
        if (campaign?.hold === 'accept') await this.#signOff(tx, campaign, bounced)
      })
    }
  }

  async #signOff(tx: Repositories, { projectId, from }: Campaign, bounced: readonly RefusedMail[]): Promise<void> {
    const now = this.kit.now()
    const named = bounced.filter(({ to }) => to !== DELETED_RECIPIENT)
    const listed = await tx.suppressions.among(
      projectId,
      named.map(({ to }) => to),
      now,
    )
    const entries = named
      .filter(({ to }) => !listed.has(to))
      .map(({ to, error = 'It bounced.', bouncedAt = now }) => {
        return {
          id: this.kit.newId(),
          projectId,
          email: to,
          reason: 'BOUNCE',
          detail: error,
          createdAt: bouncedAt,
        } as const
      })
    await tx.suppressions.putAll(projectId, entries)
    const base = { projectId, at: now, sendingDomain: domainOf(from), facts: ['bounced'] } as const
    const counted = entries.filter(({ email }) => !isSimulated(email, this.kit.settings))
    await tx.reputation.add(counted.map(({ email }) => ({ ...base, recipientDomain: domainOf(email) })))
    const mails = new Map(bounced.map((mail) => [mail.contactId ?? '', mail]))
    const ids = [...mails.keys()].filter(isId).toSorted()
    const subscribed = (await tx.contacts.lockById(projectId, ids)).filter((contact) => {
      const mail = mails.get(contact.id)
      return contact.subscribed && mail !== undefined && isOwnBounce(contact, mail)
    })
    if (subscribed.length === 0) return
    const gone = subscribed.map((contact) => ({ ...withSubscription(contact, false, 'bounce'), updatedAt: now }))
    await tx.contacts.save(gone)
    await tx.events.record(gone.map((contact) => subscriptionEvent(this.kit.newId, contact, 'bounce')))
  }

  /**
   * Queues the mails again whose refusal braked the campaign, but none refused after `before`: another process may have
   * sent those again already.
   */
  async #requeue(campaign: Campaign, { words }: Brake, before: Date): Promise<void> {
    const { projectId, id } = campaign
    const expiresAt = lifetimeEnd(campaign, this.kit.now(), this.kit.settings.delivery.expireAfter * 1000)
    for await (const mails of this.#refused(projectId, id)) {
      const same = mails.filter(({ to, error = '' }) => !isTemporary(error) && wordsOf(error, to) === words)
      const ids = same.map((mail) => mail.id)
      await this.store.campaignMails.requeue(projectId, id, ids, before, expiresAt)
    }
  }

  async *#refused(projectId: ProjectId, id: string): AsyncGenerator<readonly RefusedMail[]> {
    for (let after = ''; ; ) {
      const mails = await this.store.campaignMails.refused(projectId, id, after, BATCH)
      if (mails.length > 0) yield mails
      const last = mails.at(-1)
      if (mails.length < BATCH || !last) return
      after = last.id
    }
  }
}
