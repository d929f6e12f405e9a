import { createHash } from 'node:crypto'
import { parseReport } from '../bounces/parse/parse-report.ts'
import type { ParsedReport } from '../bounces/parse/parsed-report.ts'
import { SoftBounces } from '../bounces/soft-bounces.ts'
import { isOwnBounce, withSubscription } from '../contacts/left-contacts.ts'
import { subscriptionEvent } from '../contacts/subscription-event.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import type { CompiledMail } from '../mail/compiled-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { emailEventData } from '../mail/email.ts'
import { WaysBack } from '../mail/links/ways-back.ts'
import { isSimulated } from '../mail/simulator-address.ts'
import type { FeedbackReport, ReportedMail } from '../ports/feedback-report.ts'
import { type HookMail, HttpHooks, type NamedHook } from '../ports/http-hook.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Contact } from '../ports/store/contacts.ts'
import { DELETED_RECIPIENT, type Email } from '../ports/store/emails.ts'
import type { EventRecord } from '../ports/store/events.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Suppression } from '../ports/store/suppressions.ts'
import { Tracking } from '../tracking/tracking.ts'
import { isSameMailbox } from '../values/email-address.ts'
import { isId, stamp } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import { removeAll } from '../work/rest.ts'
import { AcceptMail } from './accept-mail.ts'
import { type Consequence, consequence, isLateRefusal, note, wasTried } from './consequence.ts'
import { countedReport } from './counted.ts'
import { Hooks } from './hooks.ts'
import { type LateRefusal, LateRefusals } from './late-refusals.ts'
import { leaveIn } from './leave.ts'
import { hasLeft, idIn, isMeant, isOf, isTo, mailKey, type NamedRecipients, recipientsOf } from './meant.ts'
import { type FeedbackReading, reportsOf } from './reading.ts'
import { type FeedbackOutcome, storable } from './report.ts'
import { activitiesOf, actOf, type ByConsent, byConsent, SEEN } from './seen.ts'

/** How many reports share a transaction. */
const BATCH = 100
/** How often a transaction is tried when it conflicts with another. */
const MAX_TRIES = 3
/** How long reports are remembered: they are not repeated later. */
const REMEMBERED_MS = 30 * 24 * 3600 * 1000

/** How many of the Message-IDs a report quotes are looked up. */
const MAX_CANDIDATES = 3

/** The envelope of a returned message. */
export interface FeedbackEnvelope {
  /** The null sender is the empty string. */
  readonly from: string
  /** The addresses that it was sent to. */
  readonly to: readonly string[]
  /** The result of DMARC: a complaint that names nothing but a Message-ID counts only with `pass`. */
  readonly dmarc?: string
}

/**
 * How sure it is that a report is about its mail: one that names nothing but a Message-ID may come from any stranger.
 */
type Proof = 'sure' | 'message-id' | 'message-id of an authenticated sender'

/** A report with its mail. */
interface Found {
  readonly report: FeedbackReport
  readonly email: Email
  readonly mail: CompiledMail | undefined
  readonly place: number
  /** It is kept as a note on the record, and changes nothing else. */
  readonly isNote: boolean
}

/**
 * Takes reports about sent mail from any source, and stores their effects: status, events, suppression, subscription. A
 * report must name one of our mails; others change nothing.
 */
@injectable()
export class Feedback {
  /** Reports that other providers send over HTTP. */
  readonly hooks: Hooks

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) private readonly compiled: CompiledMails,
    @inject(Tracking) private readonly tracking: Tracking,
    @inject(SoftBounces) private readonly softBounces: SoftBounces,
    @inject(WaysBack) private readonly waysBack: WaysBack,
    @inject(HttpHooks) hooks: readonly NamedHook[],
    @inject(AcceptMail) private readonly sending: AcceptMail,
    @inject(LateRefusals) private readonly late: () => LateRefusals,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const take = (reports: readonly FeedbackReport[]) => this.take(reports)
    this.hooks = new Hooks(hooks, { take, accept: (mail) => this.#accept(mail) }, kit)
  }

  /**
   * Stores these reports, of any projects. Each counts once, also when it comes again or to another process at the same
   * time. Several share a transaction; when one cannot be written it throws `SERVICE_UNAVAILABLE`, and the same call
   * repeated does the rest. Answers what each changed, in order.
   */
  take(given: readonly FeedbackReport[]): Promise<readonly FeedbackOutcome[]> {
    return this.#takeWith(given, 'sure')
  }

  async #accept({ project: named, mail, key: idempotencyKey }: HookMail): Promise<void> {
    const all = await this.store.projects.list()
    const [project, another] = all.filter(({ id, name }) => named === undefined || id === named || name === named)
    if (project !== undefined && another === undefined) {
      await this.sending.send(project, mail, { idempotencyKey })
      return
    }
    const reason = named === undefined ? 'the hook names no project' : `there is not one project ${named}`
    throw new EngineError(
      'SERVICE_UNAVAILABLE',
      `The mail cannot be sent: ${reason}. The configuration of the hook names it.`,
    )
  }

  async #takeWith(given: readonly FeedbackReport[], proof: Proof): Promise<readonly FeedbackOutcome[]> {
    const outcomes: FeedbackOutcome[] = []
    const reports = given.map(storable)
    const recipients = recipientsOf(reports)
    for (let start = 0; start < reports.length; start += BATCH) {
      outcomes.push(...(await this.#take(reports.slice(start, start + BATCH), recipients, proof)))
    }
    return outcomes
  }

  /**
   * Reads a message that came back to us, from the SMTP server or a mailbox, and stores what it reports as `take` does.
   * Its mail is found by our return path it was sent to or quotes, else by the Message-ID it returns. A message that
   * names no mail, or an automatic reply, changes nothing. A Message-ID stands in every answer, so it proves little: a
   * bounce that names nothing else is only noted where the mail had a return path of ours. Any input takes bounded time. Throws as `take` does.
   */
  async read(raw: Uint8Array, envelope: FeedbackEnvelope): Promise<FeedbackReading> {
    const parsed = parseReport(raw, envelope)
    const { kind } = parsed
    const { mails, proof } = this.#evidence(parsed, envelope)
    for (const mail of kind === 'bounce' || kind === 'complaint' ? mails : []) {
      if (kind === 'bounce' && (await this.#isOfRecipient(parsed, mail))) break
      const reports = reportsOf(parsed, mail, raw, this.kit.now())
      const outcomes = await this.#takeWith(reports, proof)
      if (outcomes.some((outcome) => outcome !== 'no-mail')) return { kind, reports, outcomes }
    }
    return { kind, reports: [], outcomes: [] }
  }

  /** Whether the mail's own recipient wrote it: people's programs answer, and quote anything. */
  async #isOfRecipient({ author }: ParsedReport, mail: ReportedMail): Promise<boolean> {
    const id = idIn(mail)
    if (author === undefined || id === undefined) return false
    return (await this.store.feedback.mails([id])).some(({ to }) => isSameMailbox(to, author))
  }

  /** The mails it may be about, the surest first: a signed return path cannot be forged, a Message-ID can. */
  #evidence(
    { messageIds, returnPaths }: ParsedReport,
    { to, dmarc }: FeedbackEnvelope,
  ): { readonly mails: readonly ReportedMail[]; readonly proof: Proof } {
    const signed = [...to, ...returnPaths].flatMap((path) => this.waysBack.returnPaths.read(path) ?? [])
    const [emailId] = signed
    if (emailId !== undefined) return { mails: [{ emailId }], proof: 'sure' }
    const named = messageIds.map((messageId) => ({ messageId })).filter((mail) => idIn(mail) !== undefined)
    const proof = dmarc === 'pass' ? 'message-id of an authenticated sender' : 'message-id'
    return { mails: named.slice(0, MAX_CANDIDATES), proof }
  }

  /** Whether a report is only noted: it proves too little for what it says. */
  async #isNote(
    { kind }: FeedbackReport,
    email: Email,
    mail: CompiledMail | undefined,
    proof: Proof,
  ): Promise<boolean> {
    if (proof === 'sure') return false
    if (kind === 'complained') return proof === 'message-id'
    if (kind !== 'bounced') return false
    return mail === undefined || (await this.waysBack.of(email, mail.content)).returnPath !== undefined
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    return [
      {
        name: 'forget feedback reports',
        cron: '29 * * * *',
        run: (signal) => removeAll((most) => this.forget(most), signal),
      },
    ]
  }

  /** Deletes reports too old to be repeated; up to `limit`, answers how many. */
  forget(limit: number): Promise<number> {
    return this.store.feedback.forget(new Date(this.kit.now().getTime() - REMEMBERED_MS), limit)
  }

  async #take(
    reports: readonly FeedbackReport[],
    recipients: NamedRecipients,
    proof: Proof,
  ): Promise<readonly FeedbackOutcome[]> {
    const outcomes = reports.map((): FeedbackOutcome => 'no-mail')
    const found = await this.#find(reports, recipients, proof)
    for (const { report, place } of found) outcomes[place] = report.kind === 'delayed' ? 'noted' : 'known'
    const seen = await byConsent(
      this.store,
      found.filter(({ report }) => SEEN.has(report.kind)),
    )
    for (const { place } of seen.none) outcomes[place] = 'noted'
    const ends = found.filter(({ report }) => ENDS.has(report.kind))
    const left = found.filter(({ report, email }) => hasLeft(report) && isTo(report, email))
    if (seen.full.length + seen.anonymous.length + ends.length + left.length === 0) return outcomes
    // before the transaction, which waits for no DNS
    const ramped = await this.#rampedIn(ends)
    const changed = await this.#write(async (tx) => [
      ...(await this.#countIn(tx, seen)),
      ...(await this.#writeIn(tx, ends, ramped)),
      ...(await this.#leaveIn(tx, left)),
    ])
    if (ramped.size > 0) await this.late().judge([...ramped.values()])
    for (const { report, email } of seen.anonymous) this.tracking.counted(email, actOf(report, this.kit.newId))
    for (const place of changed) outcomes[place] = 'changed'
    for (const { place, isNote } of ends) if (isNote) outcomes[place] = 'noted'
    for (const { report, place } of ends)
      if (outcomes[place] === 'changed') this.kit.metrics.reported(report.kind, report.bounce?.class)
    return outcomes
  }

  /** Those of mails that went through the transport of a ramp. */
  async #rampedIn(ends: readonly Found[]): Promise<ReadonlyMap<Found, LateRefusal>> {
    const ramped = new Map<Found, LateRefusal>()
    for (const each of ends) {
      if (each.isNote || (each.report.kind !== 'bounced' && each.report.kind !== 'rejected')) continue
      const refusal = await this.late().of(each.email, each.mail?.content)
      if (refusal) ramped.set(each, refusal)
    }
    return ramped
  }

  /** The reports about a sent mail of ours and one of its recipients. */
  async #find(
    reports: readonly FeedbackReport[],
    recipients: NamedRecipients,
    proof: Proof,
  ): Promise<readonly Found[]> {
    const named = reports.flatMap(({ mail }) => idIn(mail) ?? [])
    const called = reports.flatMap(({ mail }) => ('providerId' in mail ? mail.providerId : []))
    const emails = new Map((await this.store.feedback.mails(named)).map((email) => [email.id, email]))
    const byProvider = new Map<string, Email>()
    for (const email of await this.store.feedback.mailsOfProvider([...new Set(called)])) {
      if (email.providerId !== undefined) byProvider.set(email.providerId, email)
    }
    const found: Found[] = []
    for (const [place, report] of reports.entries()) {
      const email =
        'providerId' in report.mail ? byProvider.get(report.mail.providerId) : emails.get(idIn(report.mail) ?? '')
      if (email === undefined || !wasTried(email)) continue
      const mail = await this.compiled.find(email.contentId)
      if (!isOf(report.mail, email, mail)) continue
      const isOnly = (recipients.get(mailKey(report.mail))?.size ?? 0) < 2
      if (!isMeant(report, email, mail, isOnly)) continue
      found.push({ report, email, mail, place, isNote: await this.#isNote(report, email, mail, proof) })
    }
    return found
  }

  /**
   * Records openings and clicks that are new; of two in one call the first counts. For contacts with anonymous tracking
   * the report itself is not remembered.
   */
  async #countIn(tx: Repositories, { full, anonymous }: ByConsent<Found>): Promise<readonly number[]> {
    if (full.length + anonymous.length === 0) return []
    const at = this.kit.now()
    const keyed = full.map((each) => ({ each, emailId: each.email.id, key: reportKey(each.report), at }))
    const first =
      full.length > 0 ? await tx.feedback.firstTime(keyed.map(({ emailId, key }) => ({ emailId, key, at }))) : []
    const left = new Set(first.map(({ emailId, key }) => `${emailId} ${key}`))
    const fresh = keyed.filter(({ emailId, key }) => left.delete(`${emailId} ${key}`)).map(({ each }) => each)
    const activities = activitiesOf([...fresh, ...anonymous], this.tracking, this.kit.newId)
    await tx.emails.recordActivity(activities.map(({ activity }) => activity))
    return activities.map(({ place }) => place)
  }

  async #leaveIn(tx: Repositories, left: readonly Found[]): Promise<readonly number[]> {
    const mails = left.map(({ email }) => email)
    const changed = await leaveIn(tx, mails, this.kit.newId, this.kit.now())
    return left.flatMap(({ email, place }) => (changed.has(email) ? place : []))
  }

  /** Runs one transaction, again when it conflicts with another. */
  async #write<T>(work: (tx: Repositories) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.store.transaction(work)
      } catch (error) {
        if (tries === MAX_TRIES || !EngineError.is(error) || error.code !== 'SERVICE_UNAVAILABLE') throw error
      }
    }
  }

  /** Locks the rows first, so that of two processes with the same report the second sees what the first wrote. */
  async #writeIn(
    tx: Repositories,
    found: readonly Found[],
    ramped: ReadonlyMap<Found, LateRefusal>,
  ): Promise<readonly number[]> {
    if (found.length === 0) return []
    const now = this.kit.now()
    const rows = new Map((await tx.feedback.lock(found.map(({ email }) => email.id))).map((row) => [row.id, row]))
    const changes: { readonly found: Found; readonly change: Consequence }[] = []
    const refused: LateRefusal[] = []
    for (const each of found) {
      const row = rows.get(each.email.id)
      const change = row && (each.isNote ? note : consequence)(row, each.report, now)
      if (row === undefined || change === undefined) continue
      const refusal = isLateRefusal(row, change) ? ramped.get(each) : undefined
      if (refusal) refused.push(refusal)
      rows.set(row.id, change.email)
      changes.push({ found: each, change })
    }
    const news = new Map<string, Consequence['news']>()
    for (const { change } of changes) {
      const { emailId } = change.news
      news.set(emailId, { ...news.get(emailId), ...change.news })
    }
    await tx.feedback.write([...news.values()])
    const held = await this.#held(tx, changes)
    await this.#signOff(
      tx,
      changes.filter((each) => !held.has(each)).map(({ change }) => change),
      now,
    )
    await tx.events.record(changes.flatMap(({ found: { mail }, change }) => this.#event(change, mail, now)))
    for (const { change } of changes) {
      const {
        email,
        isSoftBounce,
        news: { error },
      } = change
      if (isSoftBounce) await this.softBounces.checkIn(tx, { ...email, reason: error })
    }
    const { settings } = this.kit
    const counted = changes.filter(
      (each) => !held.has(each) && !each.found.isNote && !isSimulated(each.found.email.to, settings),
    )
    if (refused.length > 0) await this.late().count(tx, refused)
    await tx.reputation.add(counted.flatMap(({ found, change }) => countedReport(found, change, now)))
    return changes.map(({ found: { place } }) => place)
  }

  /** The bounces that a campaign holds back: the end of the hold does what is left out of them here. */
  async #held<Change extends { readonly change: Consequence }>(tx: Repositories, changes: readonly Change[]) {
    const bounces = changes.filter(({ change }) => change.signOff?.reason === 'BOUNCE')
    const holding = await tx.campaigns.holding(bounces.flatMap(({ change }) => change.email.campaignId ?? []))
    return new Set(bounces.filter(({ change }) => holding.has(change.email.campaignId ?? '')))
  }

  /** No event without a contact: the contact was removed, and its history with it. */
  #event({ email, event }: Consequence, mail: CompiledMail | undefined, createdAt: Date): readonly EventRecord[] {
    const { contactId, projectId, id: emailId } = email
    if (event === undefined || contactId === undefined) return []
    const data = { ...baseData(email, mail, createdAt), ...event.data }
    return [{ ...stamp(this.kit.newId), projectId, name: event.name, contactId, emailId, data }]
  }

  async #signOff(tx: Repositories, changes: readonly Consequence[], now: Date): Promise<void> {
    // when both are reported the complaint counts
    const ended = changes.filter(({ signOff }) => signOff).toSorted((a, b) => weightOf(a) - weightOf(b))
    const entries = new Map<string, Suppression>()
    for (const change of ended) {
      const { email, signOff } = change
      if (signOff === undefined) continue
      const { projectId, to } = email
      if (to === DELETED_RECIPIENT) continue
      entries.set(`${projectId} ${to}`, { id: this.kit.newId(), projectId, email: to, ...signOff, createdAt: now })
    }
    for (const [projectId, listed] of Map.groupBy(entries.values(), (entry) => entry.projectId)) {
      await tx.suppressions.putAll(projectId, listed)
    }
    const byProject = Map.groupBy(ended, ({ email }) => email.projectId)
    for (const [projectId, left] of byProject) await this.#unsubscribe(tx, projectId, left, now)
  }

  async #unsubscribe(tx: Repositories, projectId: Email['projectId'], left: readonly Consequence[], now: Date) {
    const byContact = Map.groupBy(left, ({ email }) => email.contactId ?? '')
    const ids = [...byContact.keys()].filter(isId).toSorted()
    const gone = (await tx.contacts.lockById(projectId, ids)).flatMap((contact): Contact[] => {
      const why = byContact.get(contact.id) ?? []
      const complained = why.some(({ signOff }) => signOff?.reason === 'COMPLAINT')
      if (!contact.subscribed || !(complained || why.some(({ email }) => isOwnBounce(contact, email)))) return []
      return [{ ...withSubscription(contact, false, complained ? 'complaint' : 'bounce'), updatedAt: now }]
    })
    if (gone.length === 0) return
    await tx.contacts.save(gone)
    await tx.events.record(
      gone.map((contact) => subscriptionEvent(this.kit.newId, contact, contact.leftBy ?? 'bounce')),
    )
  }
}

const ENDS: ReadonlySet<FeedbackReport['kind']> = new Set(['delivered', 'bounced', 'complained', 'rejected'])

function weightOf({ signOff }: Consequence): number {
  return signOff?.reason === 'COMPLAINT' ? 1 : 0
}

/** The data of every e-mail event; for a mail that can no longer be rendered, from its record. */
function baseData(email: Email, mail: CompiledMail | undefined, at: Date): JsonObject {
  try {
    if (mail) return emailEventData(email, mail.facts(email, at))
  } catch (error) {
    if (!EngineError.is(error)) throw error
  }
  const { id: emailId, templateId = null, campaignId = null, sourceType } = email
  return { subject: '', from: '', fromName: '', messageId: '', emailId, templateId, campaignId, sourceType }
}

/** The report's key as stored: a short hash, whatever its length. */
function reportKey({ kind, key }: FeedbackReport): string {
  return createHash('sha256').update(`${kind} ${key}`).digest('base64url').slice(0, 22)
}
