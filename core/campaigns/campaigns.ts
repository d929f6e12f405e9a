import { CampaignWatch } from '../delivery/campaign-watch.ts'
import { inject, injectable } from '../di.ts'
import { Reputation } from '../feedback/reputation.ts'
import { Filters } from '../filters/filters.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { Formats } from '../mail/formats/formats.ts'
import type { AttachmentInput } from '../mails/attachment-input.ts'
import { Mails } from '../mails/mails.ts'
import type { ScheduledTask } from '../ports/scheduler.ts'
import type { CampaignLink } from '../ports/store/campaign-mails.ts'
import type { Campaign, VariantName } from '../ports/store/campaigns.ts'
import type { Email } from '../ports/store/emails.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { IdempotentRequest } from '../projects/idempotency.ts'
import { NameableTransports } from '../projects/nameable-transports.ts'
import { requireEnabled } from '../projects/project.ts'
import { References } from '../references/references.ts'
import type { CopyInput } from '../values/copy-name.ts'
import { definedOnly } from '../values/defined-only.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { onlyKey } from '../values/options.ts'
import { type NumberedPage, numberedPage, type Page } from '../values/page.ts'
import { noteWarning, noteWarnings, parse } from '../values/parse.ts'
import { Doorbell } from '../work/doorbell.ts'
import { Leases } from '../work/leases.ts'
import { CampaignArchive } from './archive.ts'
import { BrakeCampaigns } from './brake-campaigns.ts'
import { attachFile, detachFile } from './campaign-attachments.ts'
import {
  type CampaignSeriesInput,
  CampaignSeriesQuery,
  type CourseFigures,
  courseFigures,
  courseSpan,
} from './campaign-course.ts'
import { type CampaignStats, type CountedCampaign, campaignStats } from './campaign-numbers.ts'
import {
  type CampaignStatsInput,
  CampaignStatsQuery,
  type ChangeCampaignInput,
  ListCampaigns,
  type ListCampaignsInput,
  ListLeftOut,
  type ListLeftOutInput,
  ListRecipients,
  type ListRecipientsInput,
  ResumeCampaign,
  type ResumeCampaignInput,
  readSendCampaign,
  type SendAgainInput,
  SendCampaign,
  type SendCampaignInput,
  TestCampaign,
  type TestCampaignInput,
  type WriteCampaignInput,
} from './campaign-request.ts'
import { missingCampaign, requireStatus } from './campaign-status.ts'
import { withFields } from './changed-campaign.ts'
import { CompleteCampaigns } from './complete-campaigns.ts'
import { ControlCampaigns } from './control-campaigns.ts'
import { CopyCampaigns, holdNeeds, insertDraft, type NewDraft } from './copy-campaigns.ts'
import { FanOutCampaigns } from './fan-out.ts'
import { FileCampaigns } from './file-campaigns.ts'
import { type LeftOutEntry, leftOutPage } from './list-left-out.ts'
import { type CampaignPreview, PreviewCampaigns, type TestMail } from './preview-campaigns.ts'
import { ReadCampaign } from './read-campaign.ts'
import { recipientsPage } from './recipients.ts'
import { IssueSeries } from './series/issue-series.ts'
import { AllSeries } from './series/series.ts'
import { SkipMails } from './skip-mails.ts'
import { StartCampaigns } from './start-campaigns.ts'
import { asVariant } from './variants/as-variant.ts'
import { CampaignVariants } from './variants/campaign-variants.ts'
import { type PreviewCampaignInput, PreviewQuery } from './variants/variant-request.ts'
import { waitingOf } from './waiting.ts'

export interface SendCampaignOptions {
  /** 1 to 255 printable ASCII characters: the same key and input within 24 hours is done once. */
  readonly idempotencyKey?: string | undefined
}

/** Options of changing a campaign. */
export interface ChangeCampaignOptions {
  /** True: what the input leaves out stays, even when it has all that a campaign needs. */
  readonly onlyNamed?: boolean
}

/** When a tick of every second ends, whatever is left: regular ticks show that it is not stuck. */
const TICK_MS = 5_000
/** How many links are listed. */
const LINKS = 1000

/** Campaigns: one mail to many contacts, sent now or later, that can be watched and stopped. */
@injectable()
export class Campaigns {
  /** Published campaigns, for readers who are no recipients. */
  readonly archive: CampaignArchive
  readonly #reading: ReadCampaign
  readonly #starting: StartCampaigns
  readonly #control: ControlCampaigns
  readonly #previews: PreviewCampaigns
  readonly #completing: CompleteCampaigns
  readonly #copying: CopyCampaigns
  /** Folders, notes, and campaigns that were put away. */
  readonly filing: FileCampaigns
  /** Campaigns that are made again and again. */
  readonly series: AllSeries
  readonly #issuing: IssueSeries
  /** Their variants: how they compare, and which of them wins. */
  readonly variants: CampaignVariants

  constructor(
    @inject(Store) private readonly store: Store,
    @inject(CompiledMails) compiled: CompiledMails,
    @inject(Formats) formats: Formats,
    @inject(CampaignWatch) watch: CampaignWatch,
    @inject(Reputation) reputation: Reputation,
    @inject(Mails) private readonly mails: Mails,
    @inject(Doorbell) doorbell: Doorbell,
    @inject(WebhookSender) sender: WebhookSender,
    @inject(Leases) leases: Leases,
    @inject(References) private readonly references: References,
    @inject(NameableTransports) nameable: NameableTransports,
    @inject(Kit) private readonly kit: Kit,
  ) {
    const filters = new Filters(store, kit)
    const brake = new BrakeCampaigns(store, watch, doorbell, kit)
    this.archive = new CampaignArchive(store, compiled, kit)
    this.#reading = new ReadCampaign(store, filters, compiled, formats, nameable)
    this.#starting = new StartCampaigns(store, doorbell, filters, watch, compiled, reputation, brake, kit)
    this.#control = new ControlCampaigns(store, doorbell, watch, kit)
    this.#previews = new PreviewCampaigns(store, doorbell, filters, compiled, nameable, kit)
    this.variants = new CampaignVariants(store, doorbell, brake, kit)
    this.#completing = new CompleteCampaigns(store, doorbell, this.#control, reputation, brake, this.variants, kit)
    this.#copying = new CopyCampaigns(store, filters, kit)
    this.series = new AllSeries(store, sender, compiled, kit)
    this.#issuing = new IssueSeries(store, sender, compiled, this.#copying, leases, kit)
    this.filing = new FileCampaigns(store, kit, {
      counted: (campaign) => this.#counted(campaign),
      remove: (project, id) => this.remove(project, id),
    })
  }

  /** The scheduled tasks; only workers run them. */
  tasks(): readonly ScheduledTask[] {
    const issues = (signal: AbortSignal) => this.#issuing.tick(signal)
    const run = async (stopping: AbortSignal) => {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(TICK_MS)])
      await this.#starting.tick(signal)
      await this.#completing.tick(signal)
    }
    return [
      { name: 'campaigns', cron: '* * * * * *', run },
      { name: 'campaign-series', cron: '*/10 * * * * *', run: issues },
    ]
  }

  /** One page of campaigns, newest first; `status` and `search` (name or subject) narrow it. */
  async list(
    project: Project,
    query: ListCampaignsInput | UntrustedInput = {},
  ): Promise<NumberedPage<CountedCampaign>> {
    const { status, search, folder, originId, seriesId, shelved = false, ...asked } = parse(ListCampaigns, query)
    // what others lead to is listed in any case
    const whole = (originId ?? seriesId) === undefined ? { shelved } : {}
    const filter = { ...definedOnly({ status, search: search || undefined, folder, originId, seriesId }), ...whole }
    const { items, ...page } = await numberedPage(
      { projectId: project.id, name: 'campaigns' },
      asked,
      (request) => this.store.campaigns.page(project.id, filter, request),
      () => this.store.campaigns.count(project.id, filter),
    )
    return { items: await Promise.all(items.map((campaign) => this.#counted(campaign))), ...page }
  }

  /** The campaign. Throws EngineError `CAMPAIGN_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<CountedCampaign> {
    const campaign = await this.#find(project, id)
    const waiting = await waitingOf(this.store, campaign, this.kit.now())
    return { ...(await this.#counted(campaign)), ...(waiting && { waiting }) }
  }

  /**
   * Stores a new campaign as DRAFT. Throws EngineError `VALIDATION_ERROR` (also for placeholders that do not parse, with
   * line and column), `TEMPLATE_NOT_FOUND`, `SEGMENT_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: WriteCampaignInput | UntrustedInput): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#insert(project, this.#copying.draft(project, await this.#reading.fields(project, input)))
  }

  /**
   * Changes the given fields; null removes an optional one, a schedule stays unless `scheduledFor` is given. With name,
   * subject, body, sender and audience it replaces all fields, unless `onlyNamed`. Throws as `create` does,
   * `CONFLICT` when it is not DRAFT or SCHEDULED, and `VERSION_CONFLICT` when `version` is not the current one.
   */
  async change(
    project: Project,
    id: string,
    input: ChangeCampaignInput | UntrustedInput,
    { onlyNamed = false }: ChangeCampaignOptions = {},
  ): Promise<CountedCampaign> {
    requireEnabled(project)
    const change = await this.#reading.change(project, input, onlyNamed)
    if (!isId(id)) return missingCampaign(id)
    const changed = await this.store.transaction(async (tx) => {
      const held = (await tx.campaigns.lock(project.id, id)) ?? missingCampaign(id)
      requireStatus(held, 'be changed')
      const fields = change(held, this.kit.now())
      await holdNeeds(tx, project, fields)
      const campaign = withFields(held, fields, this.kit.now())
      await tx.campaigns.update(campaign)
      return campaign
    })
    return this.#counted(changed)
  }

  /**
   * Removes the campaign. Its mails stay in the ledger, and those that wait become SKIPPED. Throws EngineError
   * `CONFLICT` while SENDING or while a workflow starts by it, `CAMPAIGN_NOT_FOUND`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    const removed = await this.store.transaction(async (tx) => {
      const held = (await tx.campaigns.lock(project.id, knownId(id))) ?? missingCampaign(id)
      requireStatus(held, 'be deleted')
      await this.references.refuseWhileNeeded(project, { kind: 'campaign', id, name: held.name }, tx)
      await tx.campaigns.remove(project.id, id)
      const attached = held.attachments?.map((each) => each.id) ?? []
      await tx.campaignAttachments.remove(project.id, attached)
      return held
    })
    this.#control.ended(removed)
  }

  /** Stores a DRAFT with the same content and audience. Throws EngineError `CAMPAIGN_NOT_FOUND`, `VALIDATION_ERROR`. */
  async duplicate(project: Project, id: string, input: CopyInput | UntrustedInput = {}): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#insert(project, await this.#copying.duplicate(project, await this.#find(project, id), input))
  }

  /** Stores a DRAFT of the same content for some of the people of a finished campaign, see `CopyCampaigns.again`. */
  async again(project: Project, id: string, input: SendAgainInput | UntrustedInput): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#insert(project, await this.#copying.again(project, await this.#find(project, id), input))
  }

  /**
   * Sends the campaign now, or at `scheduledFor`. Answers whether this repeats an earlier call. Throws EngineError
   * `VALIDATION_ERROR`, `CONFLICT` when it is not DRAFT, SCHEDULED or PAUSED, `BAD_REQUEST` when it has no recipient,
   * `DOMAIN_NOT_VERIFIED`, `SEGMENT_NOT_FOUND`, `PROJECT_DISABLED`, `IDEMPOTENCY_KEY_REUSED`.
   */
  async send(
    project: Project,
    id: string,
    input?: SendCampaignInput | UntrustedInput,
    options: SendCampaignOptions = {},
  ): Promise<{ readonly replayed: boolean }> {
    requireEnabled(project)
    const now = this.kit.now()
    const keyed = { project, key: onlyKey(options), operation: `campaigns.send ${id}`, input: input ?? {}, now }
    const asked = IdempotentRequest.of(this.store.writeBatch, keyed)
    noteWarnings(SendCampaign, input)
    if (await asked.earlier()) return { replayed: true }
    const { scheduledFor } = readSendCampaign(input, now)
    await this.#previews.warn(project, knownId(id), input)
    const done = scheduledFor
      ? await this.#starting.schedule(project, knownId(id), scheduledFor, asked)
      : await this.#starting.start(project, knownId(id), { asked })
    return { replayed: !done }
  }

  /** Ends the campaign permanently, see `ControlCampaigns.cancel`. Throws EngineError `CONFLICT`, `CAMPAIGN_NOT_FOUND`. */
  async cancel(project: Project, id: string): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#counted(await this.#control.cancel(project, knownId(id)))
  }

  /** Pauses a SENDING campaign until it is resumed. Throws EngineError `CONFLICT`, `CAMPAIGN_NOT_FOUND`. */
  async pause(project: Project, id: string): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#counted(await this.#control.pause(project, knownId(id)))
  }

  /**
   * Continues a PAUSED campaign, or starts it. One that was paused for its bounces needs `bounces`: `VALIDATION_ERROR`
   * without. Throws as `send` does.
   */
  async resume(
    project: Project,
    id: string,
    input: ResumeCampaignInput | UntrustedInput = {},
  ): Promise<CountedCampaign> {
    requireEnabled(project)
    const { bounces } = parse(ResumeCampaign, input)
    requireStatus(await this.#find(project, id), 'be resumed')
    await this.#starting.start(project, id, { bounces: bounces ?? undefined })
    return this.get(project, id)
  }

  /** Sends the FAILED mails of a finished campaign again. Throws EngineError `CONFLICT`, `CAMPAIGN_NOT_FOUND`. */
  async retryFailed(project: Project, id: string): Promise<{ readonly retried: number }> {
    requireEnabled(project)
    return { retried: await this.#control.retryFailed(project, knownId(id)) }
  }

  /** Sends one test to an address, see `PreviewCampaigns.test`. Throws EngineError `VALIDATION_ERROR`, `CAMPAIGN_NOT_FOUND` … */
  async test(project: Project, id: string, input: TestCampaignInput | UntrustedInput): Promise<void> {
    requireEnabled(project)
    const { variant, ...mail } = parse(TestCampaign, input)
    const hasSubject = await this.sendTest(project, id, variant, mail)
    if (!hasSubject) noteWarning(input, { field: 'subject', message: 'is empty once it is filled in for this address' })
  }

  /** The same for others here, who say how the mail looks. */
  async sendTest(project: Project, id: string, variant: VariantName | null | undefined, mail: TestMail) {
    return this.#previews.test(project, asVariant(await this.#find(project, id), variant ?? undefined), mail)
  }

  /**
   * Shows who would get the campaign, and a sample of it or of one of its variants. Throws EngineError `CAMPAIGN_NOT_FOUND`, `SEGMENT_NOT_FOUND`,
   * `VALIDATION_ERROR`.
   */
  async preview(
    project: Project,
    id: string,
    query: PreviewCampaignInput | UntrustedInput = {},
  ): Promise<CampaignPreview> {
    const { variant } = parse(PreviewQuery, query)
    return this.#previews.preview(project, asVariant(await this.#find(project, id), variant))
  }

  /**
   * The campaign's figures; with `excludeMachine` openings and clicks by machines do not count. Throws EngineError
   * `CAMPAIGN_NOT_FOUND`.
   */
  async stats(project: Project, id: string, query: CampaignStatsInput | UntrustedInput = {}): Promise<CampaignStats> {
    const { excludeMachine } = parse(CampaignStatsQuery, query)
    return this.#stats(await this.#find(project, id), excludeMachine)
  }

  /**
   * The results of the campaign's mails, hour by hour for its first three days or day by day, without gaps, oldest
   * first, up to the last in which something happened; at most 366 days. Empty before it began. Those who may only be
   * counted anonymously are left out. Throws EngineError `VALIDATION_ERROR`, `CAMPAIGN_NOT_FOUND`.
   */
  async timeSeries(
    project: Project,
    id: string,
    query: CampaignSeriesInput | UntrustedInput = {},
  ): Promise<readonly CourseFigures[]> {
    const asked = parse(CampaignSeriesQuery, query)
    const { startedAt } = await this.#find(project, id)
    if (startedAt === undefined) return []
    const span = courseSpan(asked, startedAt, this.kit.now())
    const [from = startedAt, to = startedAt] = [span.starts[0], span.starts.at(-1)]
    return courseFigures(span, await this.store.campaignMails.course(project.id, id, from, to))
  }

  /**
   * The links that were clicked in the campaign's mails, most people first, at most 1,000. Throws EngineError
   * `CAMPAIGN_NOT_FOUND`.
   */
  async links(project: Project, id: string): Promise<readonly CampaignLink[]> {
    await this.#find(project, id)
    return this.store.campaignMails.links(project.id, id, LINKS)
  }

  /**
   * One page of the campaign's mails, newest first, that all filters fit: those behind a figure. Throws EngineError
   * `CAMPAIGN_NOT_FOUND`.
   */
  async recipients(
    project: Project,
    id: string,
    query: ListRecipientsInput | UntrustedInput = {},
  ): Promise<Page<Email>> {
    const asked = parse(ListRecipients, query)
    return recipientsPage(this.store, this.mails, project, await this.#find(project, id), asked)
  }

  /**
   * One page of the contacts that were left out, when the audience was written or later, the newest first: those behind
   * a figure of `skipped`, or all. Throws EngineError `CAMPAIGN_NOT_FOUND`.
   */
  async leftOut(
    project: Project,
    id: string,
    query: ListLeftOutInput | UntrustedInput = {},
  ): Promise<Page<LeftOutEntry>> {
    const asked = parse(ListLeftOut, query)
    const campaign = await this.#find(project, id)
    return leftOutPage(this.store, campaign, asked, () => this.#stats(campaign))
  }

  /**
   * Attaches a file to the mails of a campaign; 10 files and 10 MB at most. Answers the campaign. Throws EngineError
   * `VALIDATION_ERROR`, `CAMPAIGN_NOT_FOUND`, `CONFLICT` when it is not DRAFT or SCHEDULED.
   */
  async attach(project: Project, id: string, input: AttachmentInput | UntrustedInput): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#counted(await attachFile(this.store, this.kit, project.id, knownId(id), input))
  }

  /** Takes a file away again. Throws EngineError `RESOURCE_NOT_FOUND`, `CAMPAIGN_NOT_FOUND`, `CONFLICT`. */
  async detach(project: Project, id: string, attachmentId: string): Promise<CountedCampaign> {
    requireEnabled(project)
    return this.#counted(await detachFile(this.store, this.kit, project.id, knownId(id), attachmentId))
  }

  async #insert(project: Project, draft: NewDraft): Promise<CountedCampaign> {
    await this.store.transaction((tx) => insertDraft(tx, project, draft))
    return this.#counted(draft.campaign)
  }

  async #find(project: Project, id: string): Promise<Campaign> {
    return (await this.store.campaigns.find(project.id, knownId(id))) ?? missingCampaign(id)
  }

  async #counted(campaign: Campaign): Promise<CountedCampaign> {
    return { campaign, stats: await this.#stats(campaign) }
  }

  async #stats(campaign: Campaign, excludeMachine = false): Promise<CampaignStats> {
    const { id: campaignId, projectId, status } = campaign
    const stats = campaignStats(
      campaign,
      await this.store.campaignMails.counters(projectId, campaignId),
      excludeMachine,
    )
    // a mail that bounced after it was sent is taken off twice, which shows while the rest waits for a person
    if (status !== 'PAUSED' || stats.bounced + stats.failed === 0) return stats
    return { ...stats, queued: await this.store.emails.count(projectId, { campaignId, status: 'QUEUED' }) }
  }
}

function knownId(id: string): string {
  return isId(id) ? id : missingCampaign(id)
}

/** The classes of this room that the container makes besides its doors. */
export const CAMPAIGNS = {
  fanOutCampaigns: FanOutCampaigns,
  skipMails: SkipMails,
}
