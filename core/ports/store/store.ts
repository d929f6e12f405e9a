import type { ActivityRepository } from './activity.ts'
import type { AnalyticsRepository } from './analytics.ts'
import type { AnswerRepository } from './answers.ts'
import type { AttemptRepository } from './attempts.ts'
import type { AuditRepository } from './audit.ts'
import type { BegunWorkRepository } from './begun-work.ts'
import type { CampaignAttachmentRepository } from './campaign-attachments.ts'
import type { CampaignMailRepository } from './campaign-mails.ts'
import type { CampaignRepository } from './campaigns.ts'
import type { ContactFieldRepository } from './contact-fields.ts'
import type { ContactJobRepository } from './contact-jobs.ts'
import type { ContactRepository } from './contacts.ts'
import type { DatedWorkflowRepository } from './dated-workflows.ts'
import type { DomainReportRepository } from './domain-reports.ts'
import type { DomainTestRepository } from './domain-tests.ts'
import type { DomainRepository } from './domains.ts'
import type { DraftAttachmentRepository } from './draft-attachments.ts'
import type { InboxDraftRepository } from './drafts.ts'
import type { EmailRepository } from './emails.ts'
import type { EventRecord, EventRepository } from './events.ts'
import type { ExecutionRepository } from './executions.ts'
import type { FeedbackRepository } from './feedback.ts'
import type { FormRepository } from './forms.ts'
import type { GoalRepository } from './goals.ts'
import type { InboundRepository } from './inbound.ts'
import type { InboxEventRepository } from './inbox-events.ts'
import type { InboxRepository } from './inboxes.ts'
import type { InstallationRepository } from './installation.ts'
import type { LayoutRepository } from './layouts.ts'
import type { LeftOutRepository } from './left-out.ts'
import type { MailWordsRepository } from './mail-words.ts'
import type { MailRepository } from './mails.ts'
import type { MemberRepository } from './members.ts'
import type { MembershipRepository } from './memberships.ts'
import type { MergeRepository } from './merges.ts'
import type { NoticeRepository } from './notices.ts'
import type { OperationsRepository } from './operations.ts'
import type { OutboxRepository } from './outbox.ts'
import type { PresenceRepository } from './presence.ts'
import type { ProjectServersRepository } from './project-servers.ts'
import type { ProjectRepository } from './projects.ts'
import type { ReputationRepository } from './reputation.ts'
import type { RetentionRepository } from './retention.ts'
import type { SecretRepository } from './secrets.ts'
import type { SeedRepository } from './seeds.ts'
import type { SegmentRepository } from './segments.ts'
import type { SendRequestRepository } from './send-requests.ts'
import type { SeriesRepository } from './series.ts'
import type { SnippetRepository } from './snippets.ts'
import type { StepRunRepository } from './step-runs.ts'
import type { SuppressionRepository } from './suppressions.ts'
import type { TemplateDraftRepository, TemplateVersionRepository } from './template-versions.ts'
import type { TemplateRepository } from './templates.ts'
import type { ThreadMailRepository, ThreadNoteRepository, ThreadRepository } from './threads.ts'
import type { TopicRepository } from './topics.ts'
import type { UploadRepository } from './uploads.ts'
import type { UserSessionRepository } from './user-sessions.ts'
import type { UserTokenRepository } from './user-tokens.ts'
import type { UserRepository } from './users.ts'
import type { WebhookDeliveryRepository } from './webhook-deliveries.ts'
import type { WebhookEndpointRepository } from './webhook-endpoints.ts'
import type { Workers } from './workers.ts'
import type { WorkflowRepository } from './workflows.ts'
import type { WriteBatch } from './write-batch.ts'

/**
 * Stores everything. It is the engine's other half rather than a socket for outsiders: SQLite and PostgreSQL are what
 * there is. The port and `storeContract` are exported as unstable: any release may change them. The kit that both stores are made of is
 * not exported (docs/plugins.md). This folder has every record and every repository that a store implements, one file per noun.
 *
 * Every method that concerns a project takes its ProjectId and never sees the rows of another project. Records are
 * plain and readonly. Every write is durable when its promise resolves. A method throws EngineError
 * `SERVICE_UNAVAILABLE` when the database cannot be reached.
 */
export interface Store extends Repositories {
  /** The hot path: the writes of `/v1/send` and `/v1/track`. It commits on its own, outside `transaction`. */
  readonly writeBatch: WriteBatch
  /**
   * Runs `work` in one transaction: either all of its writes are stored or, when it throws, none. Only `tx` may be used
   * inside. The outer store throws `STORE_NESTED`: with a single connection it would wait for itself forever. `work`
   * must not wait for anything outside the store.
   */
  transaction<T>(work: (tx: Repositories) => Promise<T>): Promise<T>
  /**
   * Runs `work` inside the transaction that the host has open on `client`, its own connection to this database. What `work`
   * does with the store it is given is stored when the host commits, and gone when the host rolls back. When `work`
   * throws, nothing of it stays, and the host's transaction goes on. Calls on one client run one after the other.
   * Throws EngineError `BAD_REQUEST` when `client` is no connection to this database or has no transaction open. What
   * the database throws is thrown as it is, so that the host can tell a lost race. Absent when a store cannot do this.
   */
  join?<T>(client: unknown, work: (host: HostTransaction) => Promise<T>): Promise<T>
  /**
   * True when no other process can use the database while this store is open: mail that is SENDING at start was left by
   * a crash.
   */
  readonly exclusive: boolean
  /**
   * Calls `listener` after each commit with the events that this store wrote in it, in order and each event once. It
   * does not see events written by other processes. `listener` must return at once and not throw. The returned function
   * removes it. Without listeners this costs nothing.
   */
  listen(listener: (events: readonly EventRecord[]) => void): () => void
  /**
   * Corrects due times after the wall clock was set back to `now` from at most `from`. It concerns what the engine
   * itself delayed (retries, workflow steps, webhooks) and wrote at a time between the two: each delay then counts from
   * `now` instead of from the time it was written. Times that a caller set stay. Handles at most `limit` of each kind;
   * answers whether there may be more.
   */
  moveUp(now: Date, from: Date, limit: number): Promise<boolean>
  /**
   * The processes that share the store; absent when it is exclusive. Without it, the claims of dead processes last
   * until their leases end.
   */
  readonly workers?: Workers
  /**
   * Writes and reads something, and rejects when that fails. Concurrent calls share one check.
   */
  check(): Promise<void>
}
export const Store = Symbol('Store')

/** A transaction of the host that the store has joined. */
export interface HostTransaction {
  /** Works on the host's connection. To be used only until `work` ends. */
  readonly store: Store
  /**
   * Resolves when the host's transaction has ended, committed or not. It never rejects, and stays open for a client that
   * does not show its transactions.
   */
  readonly ended: Promise<void>
}

export interface Repositories {
  readonly secrets: SecretRepository
  readonly installation: InstallationRepository
  readonly projectServers: ProjectServersRepository
  readonly projects: ProjectRepository
  readonly contacts: ContactRepository
  readonly contactFields: ContactFieldRepository
  readonly contactJobs: ContactJobRepository
  readonly events: EventRepository
  readonly outbox: OutboxRepository
  readonly begunWork: BegunWorkRepository
  readonly templates: TemplateRepository
  readonly seeds: SeedRepository
  readonly snippets: SnippetRepository
  readonly layouts: LayoutRepository
  readonly templateVersions: TemplateVersionRepository
  readonly templateDrafts: TemplateDraftRepository
  readonly segments: SegmentRepository
  readonly memberships: MembershipRepository
  readonly suppressions: SuppressionRepository
  readonly merges: MergeRepository
  readonly topics: TopicRepository
  readonly forms: FormRepository
  readonly emails: EmailRepository
  readonly mails: MailRepository
  readonly webhookEndpoints: WebhookEndpointRepository
  readonly webhookDeliveries: WebhookDeliveryRepository
  readonly workflows: WorkflowRepository
  readonly executions: ExecutionRepository
  readonly stepRuns: StepRunRepository
  readonly goals: GoalRepository
  readonly datedWorkflows: DatedWorkflowRepository
  readonly campaigns: CampaignRepository
  readonly series: SeriesRepository
  readonly campaignMails: CampaignMailRepository
  readonly campaignAttachments: CampaignAttachmentRepository
  readonly leftOut: LeftOutRepository
  readonly answers: AnswerRepository
  readonly retention: RetentionRepository
  readonly domains: DomainRepository
  readonly feedback: FeedbackRepository
  readonly inbound: InboundRepository
  readonly inboxes: InboxRepository
  readonly threads: ThreadRepository
  readonly threadMails: ThreadMailRepository
  readonly threadNotes: ThreadNoteRepository
  readonly inboxDrafts: InboxDraftRepository
  readonly draftAttachments: DraftAttachmentRepository
  readonly inboxEvents: InboxEventRepository
  readonly mailWords: MailWordsRepository
  readonly sendRequests: SendRequestRepository
  readonly reputation: ReputationRepository
  readonly notices: NoticeRepository
  readonly operations: OperationsRepository
  readonly domainTests: DomainTestRepository
  readonly domainReports: DomainReportRepository
  readonly uploads: UploadRepository
  readonly users: UserRepository
  readonly members: MemberRepository
  readonly userTokens: UserTokenRepository
  readonly userSessions: UserSessionRepository
  readonly presence: PresenceRepository
  readonly attempts: AttemptRepository
  readonly analytics: AnalyticsRepository
  readonly activity: ActivityRepository
  readonly audit: AuditRepository
}
