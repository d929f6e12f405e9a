import { CampaignWatch } from '../delivery/campaign-watch.ts'
import { OfferedMail, type Taking } from '../delivery/offered-mail.ts'
import { inject, injectable } from '../di.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { newEmail } from '../mail/email.ts'
import { roomUnderCaps } from '../mails/frequency-cap.ts'
import type { Begun } from '../ports/store/begun-work.ts'
import type { AudienceMember } from '../ports/store/campaign-mails.ts'
import type { Campaign, FanOut, TestPart } from '../ports/store/campaigns.ts'
import type { ClaimedEmail, Email } from '../ports/store/emails.ts'
import type { LeftOut } from '../ports/store/left-out.ts'
import type { FrequencyCap } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import { Conflict } from '../values/conflict.ts'
import type { JsonObject } from '../values/json.ts'
import type { ProjectId } from '../values/project-id.ts'
import { Doorbell, TOPICS } from '../work/doorbell.ts'
import { BEGUN_LEASE_MS, seeThrough } from '../work/interrupted.ts'
import { rest } from '../work/rest.ts'
import type { Claimed, ClaimRequest, Work } from '../work/work.ts'
import { thawedAudience } from './campaign-audience.ts'
import { ExpectedMails } from './expected-mails.ts'
import { leftOut, underTopic } from './left-out.ts'
import { dataForPlan, type PlannedTime, planPage } from './send-plan.ts'
import { type Shares, testPart } from './variants/test-part.ts'
import { asWhole, atEnd, namesOf } from './variants/test-progress.ts'
import { SURELY_ENOUGH } from './variants/test-size.ts'
import { type CampaignMail, type TestedMails, testedMails } from './variants/variant-mails.ts'

/** Contacts of a page: enough to share the cost of a commit, few enough that others hardly wait for it. */
const PAGE = 200
/** Contacts of a campaign's first page, which grows from page to page: so its first mails go out soon. */
const FIRST_PAGE = 25
/** After so many milliseconds the fan-out of a campaign is begun anew, from where it is, long before its lease ends. */
const RUN_MS = BEGUN_LEASE_MS / 3
/** How many campaigns are fanned out at once in this process. */
const AT_ONCE = 16
const NOTHING: readonly string[] = []

/**
 * Writes the frozen audience of campaigns into the ledger, page by page. The progress is stored in the same transaction
 * as the page; of two processes at the same page the second stops.
 */
@injectable()
export class FanOutCampaigns implements Work {
  readonly topic = TOPICS.fanOut
  readonly lane = 'campaign'
  readonly atOnce = AT_ONCE
  readonly leaseMs = BEGUN_LEASE_MS
  readonly #running = new Set<string>()

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Doorbell) private readonly doorbell: Doorbell,
    @inject(CampaignWatch) private readonly watch: CampaignWatch,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(OfferedMail) private readonly offered: OfferedMail,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** Continues with campaigns that are SENDING, each until its audience is written; stops between pages. */
  async claim({ now, lease, room, ends }: ClaimRequest): Promise<Claimed> {
    const sending = await this.store.campaigns.sending()
    const open = sending.filter(
      ({ id, fanOut }) => fanOut && !fanOut.done && fanOut.phase !== 'waiting' && !this.#running.has(id),
    )
    const pieces = open.slice(0, room).map(({ id, projectId }) => ({ key: id, projectId }))
    const begun = pieces.length === 0 ? [] : await this.store.begunWork.begin('campaign', pieces, now, lease)
    const byId = new Map(open.map((campaign) => [campaign.id, campaign]))
    const running = begun.flatMap((piece) => {
      const campaign = byId.get(piece.key)
      return campaign ? [this.#run(campaign, piece, ends.stopping)] : []
    })
    return { isMore: false, running }
  }

  async #run(named: Campaign, begun: Begun, signal: AbortSignal): Promise<void> {
    this.#running.add(named.id)
    try {
      await seeThrough(
        this.store,
        begun,
        () => this.#fanOut(named, begun, signal),
        (reason) => this.#pause(named, reason),
      )
    } finally {
      this.#running.delete(named.id)
    }
  }

  /** Nothing more of it goes out until a person resumes it, from where it is. */
  async #pause({ projectId, id }: Campaign, statusReason: string): Promise<void> {
    this.kit.log.error('a campaign is paused: its audience cannot be written', {
      campaign: id,
      project: projectId,
      reason: statusReason,
    })
    await this.store.transaction(async (tx) => {
      const campaign = await tx.campaigns.lock(projectId, id)
      if (campaign?.status !== 'SENDING') return
      await tx.campaigns.update({ ...campaign, status: 'PAUSED', statusReason, updatedAt: this.kit.now() })
    })
    await this.watch.changed(id)
  }

  async #fanOut(named: Campaign, begun: Begun, signal: AbortSignal): Promise<void> {
    const { projectId, id } = named
    const campaign = await this.store.campaigns.find(projectId, id)
    if (campaign?.status !== 'SENDING' || !campaign.fanOut || !campaign.contentId) return
    const audience = thawedAudience(campaign.fanOut)
    const printed = await (await this.compiled.find(campaign.contentId))?.keys()
    const needed = campaign.plan ? dataForPlan(campaign.plan) : NOTHING
    const mail = { contentId: campaign.contentId, keys: printed && new Set([...printed, ...needed]) }
    const test = campaign.test && (await testedMails(this.compiled, campaign, needed))
    // a plan or a quota puts most mails off
    const mayBeOffered = !campaign.plan && !campaign.fanOut.quotas && this.store.campaignMails.addClaimed !== undefined
    const until = performance.now() + RUN_MS
    const expected = new ExpectedMails(this.store, campaign, audience, this.kit)
    // how many pages are written for all, since no claim took the last ones that were offered
    let [forAll, missed] = [0, 0]
    let [limit, most] = [FIRST_PAGE, PAGE]
    for (
      let at = campaign.fanOut;
      !at.done && at.phase !== 'waiting' && !signal.aborted && performance.now() < until;
      limit = Math.min(PAGE, 2 * limit)
    ) {
      const from = limit === PAGE ? expected.in(at) : at
      const size = Math.min(limit, most)
      let startedAt = performance.now()
      const asked = { after: from.cursor, upTo: from.upTo, limit: size, now: this.kit.now(), ...underTopic(campaign) }
      // before it is offered: no claim waits while many contacts are searched
      const members = await this.store.campaignMails.audiencePage(projectId, audience, asked)
      const readMs = performance.now() - startedAt
      const write = (taking?: Taking) => {
        startedAt = performance.now() - readMs
        most = taking?.most ?? PAGE
        const page = members.slice(0, most)
        const done = members.length < size && page.length === members.length
        return this.#write(campaign, mail, test, from, page, done, taking)
      }
      const isOffered = mayBeOffered && forAll-- <= 0
      const writing = isOffered ? this.offered.write(campaign, write) : write()
      if (isOffered) this.doorbell.ring(TOPICS.mail, { lane: 'campaign' })
      const { next, claimed } = await writing
      if (!next) break
      if (isOffered) [forAll, missed] = claimed ? [0, 0] : [2 ** missed, missed + 1]
      if (begun.interrupted !== undefined) await this.store.begunWork.goOn(begun)
      const added = next.recipients - from.recipients
      if (added > 0) this.kit.metrics.accepted('campaign', added)
      if (added > (claimed?.length ?? 0)) this.doorbell.ring(TOPICS.mail, { lane: 'campaign' })
      at = next
      // a claim comes only when there is room
      if (!at.done && !claimed) await rest(startedAt)
    }
    await expected.ended()
  }

  /** Writes a page, of which a claim takes what can go now. */
  #write(
    campaign: Campaign,
    mail: CampaignMail,
    test: TestedMails | undefined,
    from: FanOut,
    members: readonly AudienceMember[],
    done: boolean,
    taking?: Taking,
  ): Promise<WrittenPage> {
    const now = this.kit.now()
    const wanted: AudienceMember[] = []
    const parts = new Map<string, TestPart>()
    const heldOut: Email[] = []
    const left: LeftOut[] = []
    const skipped: Record<string, number> = { ...from.skipped }
    let isLimited = from.cap !== undefined
    for (const member of members) {
      const ofTest = test && testPart(test.shares, campaign.id, member.id)
      if (test && (ofTest === 'rest') !== (from.phase === 'rest')) continue
      const isWhole = test && ofTest === 'rest' && from.test?.whole
      const part = isWhole ? testPart({ ...test.shares, share: 100 }, campaign.id, member.id) : ofTest
      const reason = leftOut(member)
      if (reason === undefined && part === 'held-out')
        heldOut.push(this.#email(campaign, mail, member, now, undefined, part))
      else if (reason === undefined) {
        wanted.push(member)
        isLimited ||= member.everyDays !== undefined
        if (part) parts.set(member.id, part)
      } else {
        skipped[reason] = (skipped[reason] ?? 0) + 1
        const { projectId, id: campaignId } = campaign
        left.push({ id: this.kit.newId(), projectId, campaignId, contactId: member.id, reason })
      }
    }
    const cursor = members.at(-1)?.id ?? from.cursor
    return this.store
      .transaction(async (tx) => {
        const capped = isLimited ? await cappedAmong(tx, campaign.projectId, from.cap, wanted, now) : undefined
        const getting = capped ? wanted.filter(({ id }) => !capped.has(id)) : wanted
        const planned = campaign.plan && this.#planned(campaign, from, getting)
        const emails: Email[] = []
        const claimed: ClaimedEmail[] = []
        for (const [i, member] of getting.entries()) {
          const part = parts.get(member.id)
          const own = (part && test?.mails.get(part)) ?? mail
          const email = this.#email(campaign, own, member, now, planned?.times[i], part)
          if (taking) claimed.push(asClaimed(email, member, taking))
          else emails.push(email)
        }
        // they have a row, so that they can be listed
        for (const member of wanted) {
          if (!capped?.has(member.id)) continue
          const row = this.#email(campaign, mail, member, now, undefined, parts.get(member.id))
          emails.push({ ...row, ...CAPPED })
        }
        const taken = taking && (await tx.campaignMails.addClaimed?.(claimed, taking.lease))
        const recipients = from.recipients + (taken?.size ?? 0) + (await tx.campaignMails.add(emails))
        if (heldOut.length > 0) await tx.campaignMails.add(heldOut)
        if (left.length > 0) await tx.leftOut.add(left)
        const reached = { ...from, cursor, done, recipients, skipped, ...(planned ? { plan: planned.plan } : {}) }
        const to = done && test ? await this.#atEnd(tx, campaign, reached, test.shares) : reached
        if (await tx.campaigns.advance(campaign.projectId, campaign.id, from, to, now))
          return { next: to, claimed: taken && claimed.filter(({ id }) => taken.has(id)) }
        throw new Conflict('gone')
      })
      .catch((error: unknown) => {
        if (Conflict.is(error, 'gone')) return { next: undefined, claimed: undefined }
        throw error
      })
  }

  /** Of a test: the comparison begins once the last of its mails is due. */
  async #atEnd(tx: Repositories, campaign: Campaign, to: FanOut, shares: Shares): Promise<FanOut> {
    const now = this.kit.now()
    const last = campaign.plan && (await tx.campaignMails.queue(campaign.id))?.lastDueAt
    const at = atEnd(to, shares, last && last > now ? last : now)
    if (at.phase !== 'waiting' || at.recipients > SURELY_ENOUGH) return at
    const counters = await tx.campaignMails.testCounters(campaign.projectId, campaign.id)
    const isLacking = namesOf(campaign).some((variant) => (counters.get(variant)?.recipients ?? 0) === 0)
    return isLacking ? asWhole(at) : at
  }

  #planned(campaign: Campaign, from: FanOut, wanted: readonly AudienceMember[]) {
    const recipients = wanted.map(({ data }) => data)
    return planPage(campaign, from, recipients, this.kit.settings.delivery.expireAfter * 1000)
  }

  #email(
    { projectId, id: campaignId, templateId }: Campaign,
    { contentId, keys }: CampaignMail,
    member: AudienceMember,
    now: Date,
    planned?: PlannedTime,
    part?: TestPart,
  ): Email {
    return newEmail(now, {
      id: this.kit.newId(),
      projectId,
      contactId: member.id,
      contentId,
      to: member.email,
      sourceType: 'CAMPAIGN',
      lane: 'campaign',
      campaignId,
      ...(templateId === undefined ? {} : { templateId }),
      ...(part === undefined ? {} : { variant: part }),
      ...(part === 'held-out' ? { status: 'SKIPPED', skipReason: 'held-out' } : {}),
      variables: { ...(keys ? picked(member.data, keys) : member.data), subscribed: member.subscribed },
      ...planned,
    })
  }
}

/** How far the fan-out is after a page, undefined when it was stopped or another process does it; and the mails, if a claim took them. */
interface WrittenPage {
  readonly next: FanOut | undefined
  readonly claimed: readonly ClaimedEmail[] | undefined
}

/** As a claim answers it, which reads the same of its contact and its project. */
function asClaimed(email: Email, { subscribed, tracking, mode }: AudienceMember, { lease }: Taking): ClaimedEmail {
  return {
    ...email,
    status: 'SENDING',
    attempts: 1,
    lease,
    subscribed,
    ...(tracking === undefined ? {} : { tracking }),
    ...(mode === undefined ? {} : { mode }),
  }
}

const CAPPED = { status: 'SKIPPED', skipReason: 'capped' } as const

/** Those who have had as many marketing mails as they may get. Those with a limit are locked until the transaction ends. */
async function cappedAmong(
  tx: Repositories,
  projectId: ProjectId,
  cap: FrequencyCap | undefined,
  members: readonly AudienceMember[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const limited = cap ? members : members.filter(({ everyDays }) => everyDays !== undefined)
  const ids = limited.map(({ id }) => id)
  await tx.contacts.lockById(projectId, ids)
  const room = await roomUnderCaps(tx, projectId, cap, limited, now)
  return new Set(ids.filter((id) => (room.get(id) ?? 1) <= 0))
}

function picked(data: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([key]) => keys.has(key)))
}
