import type { EntitySchema, MikroORM } from '@mikro-orm/sql'
import type { AuditEntry } from '../../../../core/ports/store/audit.ts'
import type { BegunKind, WorkPiece } from '../../../../core/ports/store/begun-work.ts'
import type { CampaignCounters } from '../../../../core/ports/store/campaign-mails.ts'
import type { Campaign } from '../../../../core/ports/store/campaigns.ts'
import type { ContactJob } from '../../../../core/ports/store/contact-jobs.ts'
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import type { ContentAttachment, MailContent } from '../../../../core/ports/store/contents.ts'
import type {
  DomainReport,
  FailureCount,
  ReceiverFigure,
  ReportSource,
} from '../../../../core/ports/store/domain-reports.ts'
import type { DomainTest } from '../../../../core/ports/store/domain-tests.ts'
import type { SenderDomain } from '../../../../core/ports/store/domains.ts'
import type { InboxDraft } from '../../../../core/ports/store/drafts.ts'
import type { ContactEvent, EventRecord } from '../../../../core/ports/store/events.ts'
import type { ReportKey } from '../../../../core/ports/store/feedback.ts'
import type { Form, FormSubmission } from '../../../../core/ports/store/forms.ts'
import type { WaitingMessage } from '../../../../core/ports/store/inbound.ts'
import type { InboxEvent } from '../../../../core/ports/store/inbox-events.ts'
import type { Inbox } from '../../../../core/ports/store/inboxes.ts'
import type { InstallationSetting } from '../../../../core/ports/store/installation.ts'
import type { Layout } from '../../../../core/ports/store/layouts.ts'
import type { LeftOut } from '../../../../core/ports/store/left-out.ts'
import type { MailWords } from '../../../../core/ports/store/mail-words.ts'
import type { Member } from '../../../../core/ports/store/members.ts'
import type { Notice } from '../../../../core/ports/store/notices.ts'
import type { OpenTab } from '../../../../core/ports/store/presence.ts'
import type { ProjectServers } from '../../../../core/ports/store/project-servers.ts'
import type { ApiKey, Project } from '../../../../core/ports/store/projects.ts'
import type { Erasure } from '../../../../core/ports/store/retention.ts'
import type { SeedMailbox, SeedTest } from '../../../../core/ports/store/seeds.ts'
import type { Segment } from '../../../../core/ports/store/segments.ts'
import type { SendRequestRecord } from '../../../../core/ports/store/send-requests.ts'
import type { SeenItem, Series } from '../../../../core/ports/store/series.ts'
import type { Snippet } from '../../../../core/ports/store/snippets.ts'
import type { StepRun } from '../../../../core/ports/store/step-runs.ts'
import type { Suppression } from '../../../../core/ports/store/suppressions.ts'
import type { TemplateDraft, TemplateVersion } from '../../../../core/ports/store/template-versions.ts'
import type { Template } from '../../../../core/ports/store/templates.ts'
import type { Thread, ThreadMail, ThreadNote, ThreadRead } from '../../../../core/ports/store/threads.ts'
import type { Topic, TopicChoice } from '../../../../core/ports/store/topics.ts'
import type { Upload } from '../../../../core/ports/store/uploads.ts'
import type { UserSession } from '../../../../core/ports/store/user-sessions.ts'
import type { UserToken } from '../../../../core/ports/store/user-tokens.ts'
import type { User, UserIdentity } from '../../../../core/ports/store/users.ts'
import type { WebhookDelivery } from '../../../../core/ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint, WebhookSecrets } from '../../../../core/ports/store/webhook-endpoints.ts'
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../../../core/ports/store/workflows.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { ActivityCountRow } from '../entities/activity-counts.ts'
import { AnonymousCountRow } from '../entities/anonymous-counts.ts'
import { ApiKeyRow } from '../entities/api-keys.ts'
import { AttemptRow } from '../entities/attempts.ts'
import { AuditEntryRow } from '../entities/audit-entries.ts'
import { BegunWorkRow } from '../entities/begun-work.ts'
import { CampaignAttachmentRow } from '../entities/campaign-attachments.ts'
import { CampaignLeftOutRow } from '../entities/campaign-left-out.ts'
import { CampaignSeriesRow, SeenItemRow } from '../entities/campaign-series.ts'
import { CampaignRow } from '../entities/campaigns.ts'
import { ContactJobFileRow, ContactJobRefusalRow } from '../entities/contact-job-files.ts'
import { ContactJobRow } from '../entities/contact-jobs.ts'
import { ContactRow } from '../entities/contacts.ts'
import { CounterRow } from '../entities/counters.ts'
import { DeliveryCountRow } from '../entities/delivery-counts.ts'
import { DeliveryRefusalRow } from '../entities/delivery-refusals.ts'
import { DomainReportRow, FailureCountRow, ReceiverFigureRow, ReportSourceRow } from '../entities/domain-reports.ts'
import { DomainTestRow } from '../entities/domain-tests.ts'
import { DomainRow } from '../entities/domains.ts'
import { EmailRow } from '../entities/emails.ts'
import { EngineSecretRow } from '../entities/engine-secrets.ts'
import { ErasureRow } from '../entities/erasures.ts'
import { EventRow } from '../entities/events.ts'
import { FeedbackReportRow } from '../entities/feedback-reports.ts'
import { FormRow, FormSubmissionRow } from '../entities/forms.ts'
import { IdempotencyAnswerRow } from '../entities/idempotency-answers.ts'
import { InboundMessageRow } from '../entities/inbound-messages.ts'
import {
  DraftAttachmentRow,
  InboxDraftRow,
  InboxEventRow,
  InboxRow,
  MailWordsRow,
  ThreadMailRow,
  ThreadNoteRow,
  ThreadReadRow,
  ThreadRow,
} from '../entities/inboxes.ts'
import { InstallationSettingRow } from '../entities/installation-settings.ts'
import { LayoutRow } from '../entities/layouts.ts'
import { LinkClickRow, LinkRow } from '../entities/links.ts'
import { MailAttachmentRow } from '../entities/mail-attachments.ts'
import { MailContentRow } from '../entities/mail-contents.ts'
import { MergedContactRow } from '../entities/merged-contacts.ts'
import { NoticeRow } from '../entities/notices.ts'
import { OpenTabRow } from '../entities/open-tabs.ts'
import { OutboxEventRow } from '../entities/outbox-events.ts'
import { ProjectMailServerRow } from '../entities/project-mail-servers.ts'
import { ProjectMemberRow } from '../entities/project-members.ts'
import { ProjectRow } from '../entities/projects.ts'
import { PublicDataKeyRow } from '../entities/public-data-keys.ts'
import { RetentionPositionRow } from '../entities/retention-positions.ts'
import { SeedMailboxRow, SeedTestRow } from '../entities/seeds.ts'
import { SegmentMembershipRow } from '../entities/segment-memberships.ts'
import { SegmentRow } from '../entities/segments.ts'
import { SendRequestRow } from '../entities/send-requests.ts'
import { SnippetRow } from '../entities/snippets.ts'
import { SuppressionRow } from '../entities/suppressions.ts'
import { TemplateDraftRow, TemplateVersionRow } from '../entities/template-versions.ts'
import { TemplateRow } from '../entities/templates.ts'
import { TopicChoiceRow, TopicRow } from '../entities/topics.ts'
import { UploadRow } from '../entities/uploads.ts'
import { UserSessionRow } from '../entities/user-sessions.ts'
import { UserTokenRow } from '../entities/user-tokens.ts'
import { RecoveryCodeRow, UserIdentityRow, UserRow } from '../entities/users.ts'
import { WebhookDeliveryRow } from '../entities/webhook-deliveries.ts'
import { WebhookEndpointRow } from '../entities/webhook-endpoints.ts'
import { WebhookSecretRow } from '../entities/webhook-secrets.ts'
import { WorkflowExecutionRow } from '../entities/workflow-executions.ts'
import { WorkflowStepRunRow } from '../entities/workflow-step-runs.ts'
import { WorkflowStepRow } from '../entities/workflow-steps.ts'
import { WorkflowTransitionRow } from '../entities/workflow-transitions.ts'
import { WorkflowRow } from '../entities/workflows.ts'
import { CLAIM, type Claimed } from './claim.ts'
import { ContactTable } from './contact-table.ts'
import { CountTable, type StoredCount, type StoredRefusal } from './count-table.ts'
import type { Dialect } from './dialect.ts'
import { EmailTable, type StoredEmail } from './email-table.ts'
import { ExecutionTable, type StoredExecution } from './execution-table.ts'
import { EventTable } from './stored-events.ts'
import { type EntityOf, type RowOf, Table } from './table.ts'

/** A row of the projects; which of its domains are verified is said by the rows of those. */
type StoredProject = Omit<Project, 'verifiedDomains' | 'isForTests'>

/** Columns of a mail that no record shows. */
export const HIDDEN_OF_MAIL: readonly (keyof StoredEmail)[] = ['ledgerEvents', 'tries', ...CLAIM]

/** A row of the contents. Attachments are rows of their own. */
type StoredContent = Omit<MailContent, 'attachments'>

export interface StoredAttachment extends ContentAttachment {
  readonly mailContentId: string
  readonly position: number
}

/** A job and its lease, if any. */
type StoredContactJob = ContactJob & Claimed

/** The counters of a campaign for anonymous openings and clicks, which the ledger does not hold. */
export type AnonymousKind = keyof CampaignCounters & `anonymous${string}`

/** How often something of a kind happened to a campaign's mails. */
export interface StoredAnonymousCount {
  readonly campaignId: string
  readonly kind: AnonymousKind
  readonly projectId: ProjectId
  readonly count: number
}

/** A delivery and its lease, if any. */
type StoredDelivery = WebhookDelivery & Claimed

/** A received message that waits to be read, and its lease, if any. */
type StoredMessage = WaitingMessage & Claimed

/** A request and its lease, if any. */
type StoredRequest = SendRequestRecord & Claimed

/** A row of the outbox. The event itself is in `events`. */
type StoredOutboxEvent = Omit<ContactEvent, 'emailId' | 'data'> & Claimed

/** Work under way, and such work that was given up. */
interface StoredBegunWork extends WorkPiece, Claimed {
  readonly id: string
  readonly kind: BegunKind
  readonly reason?: string
  readonly givenUpAt?: Date
}

/** A removed contact, and when to look for what is left of it. */
type StoredErasure = Erasure & { readonly dueAt: Date }
/** A contact that was merged into another one, and the address that it had. */
interface MergedContact {
  readonly contactId: string
  readonly projectId: ProjectId
  readonly intoId: string
  readonly email?: string
}

export type StoredAnswer = RowOf<typeof IdempotencyAnswerRow>
export type StoredPublicDataKey = RowOf<typeof PublicDataKeyRow>
export type StoredLink = RowOf<typeof LinkRow>
export type StoredLinkClick = RowOf<typeof LinkClickRow>

/** The entity of each table, in the order they are copied: an event comes before its outbox row. */
const ENTITIES = {
  projects: of<StoredProject>(ProjectRow),
  apiKeys: of<ApiKey>(ApiKeyRow),
  contacts: of<Contact>(ContactRow),
  events: of<EventRecord>(EventRow),
  templates: of<Template>(TemplateRow),
  seedMailboxes: of<SeedMailbox>(SeedMailboxRow),
  seedTests: of<SeedTest>(SeedTestRow),
  snippets: of<Snippet>(SnippetRow),
  layouts: of<Layout>(LayoutRow),
  templateVersions: of<TemplateVersion>(TemplateVersionRow),
  templateDrafts: of<TemplateDraft>(TemplateDraftRow),
  contents: of<StoredContent>(MailContentRow),
  attachments: of<StoredAttachment>(MailAttachmentRow),
  emails: of<StoredEmail>(EmailRow),
  suppressions: of<Suppression>(SuppressionRow),
  answers: of<StoredAnswer>(IdempotencyAnswerRow),
  publicDataKeys: of<StoredPublicDataKey>(PublicDataKeyRow),
  segments: of<Segment>(SegmentRow),
  forms: of<Form>(FormRow),
  formSubmissions: of<FormSubmission>(FormSubmissionRow),
  memberships: of<RowOf<typeof SegmentMembershipRow>>(SegmentMembershipRow),
  topics: of<Topic>(TopicRow),
  topicChoices: of<TopicChoice>(TopicChoiceRow),
  contactJobs: of<StoredContactJob>(ContactJobRow),
  contactJobFiles: of<RowOf<typeof ContactJobFileRow>>(ContactJobFileRow),
  contactJobRefusals: of<RowOf<typeof ContactJobRefusalRow>>(ContactJobRefusalRow),
  campaigns: of<Campaign>(CampaignRow),
  campaignAttachments: of<RowOf<typeof CampaignAttachmentRow>>(CampaignAttachmentRow),
  leftOut: of<LeftOut>(CampaignLeftOutRow),
  campaignSeries: of<Series>(CampaignSeriesRow),
  seenItems: of<SeenItem>(SeenItemRow),
  secrets: of<RowOf<typeof EngineSecretRow>>(EngineSecretRow),
  installation: of<InstallationSetting>(InstallationSettingRow),
  projectServers: of<ProjectServers>(ProjectMailServerRow),
  workflows: of<Workflow>(WorkflowRow),
  workflowSteps: of<WorkflowStep>(WorkflowStepRow),
  workflowTransitions: of<WorkflowTransition>(WorkflowTransitionRow),
  executions: of<StoredExecution>(WorkflowExecutionRow),
  stepRuns: of<StepRun>(WorkflowStepRunRow),
  webhookSecrets: of<WebhookSecrets>(WebhookSecretRow),
  webhookEndpoints: of<WebhookEndpoint>(WebhookEndpointRow),
  webhookDeliveries: of<StoredDelivery>(WebhookDeliveryRow),
  outboxEvents: of<StoredOutboxEvent>(OutboxEventRow),
  begunWork: of<StoredBegunWork>(BegunWorkRow),
  erasures: of<StoredErasure>(ErasureRow),
  mergedContacts: of<MergedContact>(MergedContactRow),
  inboundMessages: of<StoredMessage>(InboundMessageRow),
  sendRequests: of<StoredRequest>(SendRequestRow),
  inboxes: of<Inbox>(InboxRow),
  threads: of<Thread>(ThreadRow),
  threadMails: of<ThreadMail>(ThreadMailRow),
  threadNotes: of<ThreadNote>(ThreadNoteRow),
  threadReads: of<ThreadRead>(ThreadReadRow),
  inboxDrafts: of<InboxDraft>(InboxDraftRow),
  draftAttachments: of<RowOf<typeof DraftAttachmentRow>>(DraftAttachmentRow),
  inboxEvents: of<InboxEvent>(InboxEventRow),
  mailWords: of<MailWords>(MailWordsRow),
  retentionPositions: of<RowOf<typeof RetentionPositionRow>>(RetentionPositionRow),
  domains: of<SenderDomain>(DomainRow),
  feedbackReports: of<ReportKey>(FeedbackReportRow),
  anonymousCounts: of<StoredAnonymousCount>(AnonymousCountRow),
  links: of<StoredLink>(LinkRow),
  linkClicks: of<StoredLinkClick>(LinkClickRow),
  deliveryCounts: of<StoredCount>(DeliveryCountRow),
  deliveryRefusals: of<StoredRefusal>(DeliveryRefusalRow),
  notices: of<Notice>(NoticeRow),
  domainTests: of<DomainTest>(DomainTestRow),
  domainReports: of<DomainReport>(DomainReportRow),
  reportSources: of<ReportSource>(ReportSourceRow),
  failureCounts: of<FailureCount>(FailureCountRow),
  receiverFigures: of<ReceiverFigure>(ReceiverFigureRow),
  uploads: of<Upload>(UploadRow),
  users: of<User>(UserRow),
  userIdentities: of<UserIdentity>(UserIdentityRow),
  recoveryCodes: of<RowOf<typeof RecoveryCodeRow>>(RecoveryCodeRow),
  projectMembers: of<Member>(ProjectMemberRow),
  userTokens: of<UserToken>(UserTokenRow),
  userSessions: of<UserSession>(UserSessionRow),
  openTabs: of<OpenTab>(OpenTabRow),
  attempts: of<RowOf<typeof AttemptRow>>(AttemptRow),
  auditEntries: of<AuditEntry>(AuditEntryRow),
}

/** Every table of the store, for the ORM of either database; the last two are counted in by statements alone. */
export const entities = [...Object.values<object>(ENTITIES), CounterRow, ActivityCountRow] as EntitySchema[]

/** An entity, and the record its rows stand for. */
interface Of<Rec> extends EntityOf<Rec> {
  readonly record?: Rec
}

function of<Rec>(entity: EntityOf<Rec>): Of<Rec> {
  return entity
}

/** Tables that do more with their rows than keep them. */
interface OwnTables {
  readonly contacts: ContactTable
  readonly events: EventTable
  readonly emails: EmailTable
  readonly executions: ExecutionTable
  readonly deliveryCounts: CountTable
}

type PlainTables = {
  readonly [Name in Exclude<keyof typeof ENTITIES, keyof OwnTables>]: TableOf<(typeof ENTITIES)[Name]>
}
type TableOf<Entity> = Entity extends Of<infer Rec extends object> ? Table<Rec> : never

/** The tables of one open database. */
export type Tables = PlainTables & OwnTables

/**
 * Makes the tables from the entities this ORM discovered. `slots` is how many processes may count at the same time;
 * this process writes one of them.
 */
export function tablesOf(dialect: Dialect, orm: MikroORM, slots = 1): Tables {
  const plain = Object.entries(ENTITIES).map(([name, entity]) => [name, new Table<object>(dialect, orm, entity)])
  return {
    ...Object.fromEntries(plain),
    contacts: new ContactTable(dialect, orm),
    events: new EventTable(dialect, orm),
    emails: new EmailTable(dialect, orm),
    executions: new ExecutionTable(dialect, orm),
    deliveryCounts: new CountTable(dialect, orm, slots),
  }
}

/** The tables that triggers keep, which no entity describes: the index of mails in inboxes. */
export const UNMAPPED_TABLES: readonly RegExp[] = [/^mail_search(_\w+)?$/, /^searched_mails$/]
