import type { MikroORM } from '@mikro-orm/sql'
import type { Attempts } from '../../../../core/ports/store/attempts.ts'
import type { AuditEntry } from '../../../../core/ports/store/audit.ts'
import type { CampaignCounters } from '../../../../core/ports/store/campaign-mails.ts'
import type { Campaign } from '../../../../core/ports/store/campaigns.ts'
import type { ContactJob } from '../../../../core/ports/store/contact-jobs.ts'
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import type { ContentAttachment, MailContent } from '../../../../core/ports/store/contents.ts'
import type { DomainTest } from '../../../../core/ports/store/domain-tests.ts'
import type { SenderDomain } from '../../../../core/ports/store/domains.ts'
import type { EventRecord } from '../../../../core/ports/store/events.ts'
import type { ReportKey } from '../../../../core/ports/store/feedback.ts'
import type { WaitingMessage } from '../../../../core/ports/store/inbound.ts'
import type { Layout } from '../../../../core/ports/store/layouts.ts'
import type { Member } from '../../../../core/ports/store/members.ts'
import type { ApiKey, Project } from '../../../../core/ports/store/projects.ts'
import type { Erasure } from '../../../../core/ports/store/retention.ts'
import type { Segment } from '../../../../core/ports/store/segments.ts'
import type { Snippet } from '../../../../core/ports/store/snippets.ts'
import type { StepRun } from '../../../../core/ports/store/step-runs.ts'
import type { Suppression } from '../../../../core/ports/store/suppressions.ts'
import type { TemplateDraft, TemplateVersion } from '../../../../core/ports/store/template-versions.ts'
import type { Template } from '../../../../core/ports/store/templates.ts'
import type { Upload } from '../../../../core/ports/store/uploads.ts'
import type { UserToken } from '../../../../core/ports/store/user-tokens.ts'
import type { User, UserIdentity } from '../../../../core/ports/store/users.ts'
import type { WebhookDelivery } from '../../../../core/ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint, WebhookSecrets } from '../../../../core/ports/store/webhook-endpoints.ts'
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../../../core/ports/store/workflows.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { AnonymousCountRow } from '../entities/anonymous-counts.ts'
import { ApiKeyRow } from '../entities/api-keys.ts'
import { AttemptRow } from '../entities/attempts.ts'
import { AuditEntryRow } from '../entities/audit-entries.ts'
import { CampaignAttachmentRow } from '../entities/campaign-attachments.ts'
import { CampaignRow } from '../entities/campaigns.ts'
import { ContactJobFileRow, ContactJobRefusalRow } from '../entities/contact-job-files.ts'
import { ContactJobRow } from '../entities/contact-jobs.ts'
import { ContactRow } from '../entities/contacts.ts'
import { DeliveryRefusalRow } from '../entities/delivery-refusals.ts'
import { DomainTestRow } from '../entities/domain-tests.ts'
import { DomainRow } from '../entities/domains.ts'
import { EngineSecretRow } from '../entities/engine-secrets.ts'
import { ErasureRow } from '../entities/erasures.ts'
import { FeedbackReportRow } from '../entities/feedback-reports.ts'
import { IdempotencyAnswerRow } from '../entities/idempotency-answers.ts'
import { InboundMessageRow } from '../entities/inbound-messages.ts'
import { LayoutRow } from '../entities/layouts.ts'
import { LinkClickRow, LinkRow } from '../entities/links.ts'
import { MailAttachmentRow } from '../entities/mail-attachments.ts'
import { MailContentRow } from '../entities/mail-contents.ts'
import { NoticeRow } from '../entities/notices.ts'
import { OutboxEventRow } from '../entities/outbox-events.ts'
import { ProjectMemberRow } from '../entities/project-members.ts'
import { ProjectRow } from '../entities/projects.ts'
import { PublicDataKeyRow } from '../entities/public-data-keys.ts'
import { RetentionPositionRow } from '../entities/retention-positions.ts'
import { SegmentMembershipRow } from '../entities/segment-memberships.ts'
import { SegmentRow } from '../entities/segments.ts'
import { SnippetRow } from '../entities/snippets.ts'
import { SuppressionRow } from '../entities/suppressions.ts'
import { TemplateDraftRow, TemplateVersionRow } from '../entities/template-versions.ts'
import { TemplateRow } from '../entities/templates.ts'
import { UploadRow } from '../entities/uploads.ts'
import { UserTokenRow } from '../entities/user-tokens.ts'
import { RecoveryCodeRow, UserIdentityRow, UserRow } from '../entities/users.ts'
import { WebhookDeliveryRow } from '../entities/webhook-deliveries.ts'
import { WebhookEndpointRow } from '../entities/webhook-endpoints.ts'
import { WebhookSecretRow } from '../entities/webhook-secrets.ts'
import { WorkflowStepRunRow } from '../entities/workflow-step-runs.ts'
import { WorkflowStepRow } from '../entities/workflow-steps.ts'
import { WorkflowTransitionRow } from '../entities/workflow-transitions.ts'
import { WorkflowRow } from '../entities/workflows.ts'
import { CountTable, type StoredRefusal } from './count-table.ts'
import type { Dialect } from './dialect.ts'
import { EmailTable, type StoredEmail } from './email-table.ts'
import { ExecutionTable } from './execution-table.ts'
import { EventTable } from './stored-events.ts'
import { type EntityOf, Table } from './table.ts'

/** A row of the projects; which of its domains are verified is said by the rows of those. */
type StoredProject = Omit<Project, 'verifiedDomains'>

/** The columns of a claim, which no record shows. */
export const LEASE = ['leaseToken', 'leaseUntil'] as const

/** Columns of a mail that no record shows. */
export const HIDDEN_OF_MAIL: readonly (keyof StoredEmail)[] = ['ledgerEvents', 'tries', ...LEASE]

/** A row of the contents. Attachments are rows of their own. */
type StoredContent = Omit<MailContent, 'attachments'>

export interface StoredAttachment extends ContentAttachment {
  readonly mailContentId: string
  readonly position: number
}

export interface StoredAnswer {
  readonly projectId: ProjectId
  readonly key: string
  readonly fingerprint: string
  /** JSON as text. */
  readonly answer: string
  readonly createdAt: Date
}

/** A data key that a public API key added to a project, the `number`th of them. */
export interface StoredPublicDataKey {
  readonly projectId: ProjectId
  readonly key: string
  readonly number: number
}

/** A job and its lease, if any. */
type StoredContactJob = ContactJob & { readonly leaseToken?: string; readonly leaseUntil?: Date }

interface StoredContactJobFile {
  readonly contactJobId: string
  readonly bytes: Uint8Array
}

interface StoredContactJobRefusal {
  readonly contactJobId: string
  readonly row: number
  readonly bytes: Uint8Array
}

/** The counters of a campaign for anonymous openings and clicks, which the ledger does not hold. */
export type AnonymousKind = keyof CampaignCounters & `anonymous${string}`

/** How often something of a kind happened to a campaign's mails. */
export interface StoredAnonymousCount {
  readonly campaignId: string
  readonly kind: AnonymousKind
  readonly projectId: ProjectId
  readonly count: number
}

/** An address that was followed. */
export interface StoredLink {
  readonly projectId: ProjectId
  readonly id: string
  readonly url: string
  readonly personal: boolean
}

/** How often a link was followed in a mail. */
export interface StoredLinkClick {
  readonly emailId: string
  readonly linkId: string
  readonly projectId: ProjectId
  readonly campaignId?: string
  readonly clicks: number
  readonly humanClicks: number
  readonly seenAt?: Date
}

/** A secret the engine made for itself. */
interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly createdAt: Date
}

/** A membership in a segment; it lasts until it has an end. */
interface StoredMembership {
  readonly id: string
  readonly projectId: ProjectId
  readonly segmentId: string
  readonly contactId: string
  readonly enteredAt: Date
  readonly leftAt?: Date
}

/** A delivery and its lease, if any. */
type StoredDelivery = WebhookDelivery & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A received message that waits to be read, and its lease, if any. */
type StoredMessage = WaitingMessage & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A row of the outbox. The event itself is in `events`. */
type StoredOutboxEvent = Omit<EventRecord, 'emailId' | 'data'>

/** How far a retention rule has got. */
interface StoredPosition {
  readonly name: string
  readonly position: string
}

/** A removed contact, and when to look for what is left of it. */
type StoredErasure = Erasure & { readonly dueAt: Date }

/** When operators were last told about a kind of trouble. */
interface StoredNotice {
  readonly projectId: ProjectId
  readonly kind: string
  readonly at: Date
}

/** One of a user's recovery codes. */
interface StoredRecoveryCode {
  readonly userId: string
  readonly hash: string
}

interface StoredCampaignAttachment {
  readonly id: string
  readonly projectId: ProjectId
  readonly bytes: Uint8Array
}

/** The attempts at what this key names. */
interface StoredAttempts extends Attempts {
  readonly key: string
}

/** The tables of one open database, in the order they are copied: an event comes before its outbox row. */
export interface Tables {
  readonly projects: Table<StoredProject>
  readonly apiKeys: Table<ApiKey>
  readonly contacts: Table<Contact>
  readonly events: EventTable
  readonly templates: Table<Template>
  readonly snippets: Table<Snippet>
  readonly layouts: Table<Layout>
  readonly templateVersions: Table<TemplateVersion>
  readonly templateDrafts: Table<TemplateDraft>
  readonly contents: Table<StoredContent>
  readonly attachments: Table<StoredAttachment>
  readonly emails: EmailTable
  readonly suppressions: Table<Suppression>
  readonly answers: Table<StoredAnswer>
  readonly publicDataKeys: Table<StoredPublicDataKey>
  readonly segments: Table<Segment>
  readonly memberships: Table<StoredMembership>
  readonly contactJobs: Table<StoredContactJob>
  readonly contactJobFiles: Table<StoredContactJobFile>
  readonly contactJobRefusals: Table<StoredContactJobRefusal>
  readonly campaigns: Table<Campaign>
  readonly campaignAttachments: Table<StoredCampaignAttachment>
  readonly secrets: Table<StoredSecret>
  readonly workflows: Table<Workflow>
  readonly workflowSteps: Table<WorkflowStep>
  readonly workflowTransitions: Table<WorkflowTransition>
  readonly executions: ExecutionTable
  readonly stepRuns: Table<StepRun>
  readonly webhookSecrets: Table<WebhookSecrets>
  readonly webhookEndpoints: Table<WebhookEndpoint>
  readonly webhookDeliveries: Table<StoredDelivery>
  readonly outboxEvents: Table<StoredOutboxEvent>
  readonly erasures: Table<StoredErasure>
  readonly inboundMessages: Table<StoredMessage>
  readonly retentionPositions: Table<StoredPosition>
  readonly domains: Table<SenderDomain>
  readonly feedbackReports: Table<ReportKey>
  readonly anonymousCounts: Table<StoredAnonymousCount>
  readonly links: Table<StoredLink>
  readonly linkClicks: Table<StoredLinkClick>
  readonly deliveryCounts: CountTable
  readonly deliveryRefusals: Table<StoredRefusal>
  readonly notices: Table<StoredNotice>
  readonly domainTests: Table<DomainTest>
  readonly uploads: Table<Upload>
  readonly users: Table<User>
  readonly userIdentities: Table<UserIdentity>
  readonly recoveryCodes: Table<StoredRecoveryCode>
  readonly projectMembers: Table<Member>
  readonly userTokens: Table<UserToken>
  readonly attempts: Table<StoredAttempts>
  readonly auditEntries: Table<AuditEntry>
}

/**
 * Makes the tables from the entities this ORM discovered. `slots` is how many processes may count at the same time;
 * this process writes one of them.
 */
export function tablesOf(dialect: Dialect, orm: MikroORM, slots = 1): Tables {
  const table = <Rec extends object>(entity: EntityOf<Rec>) => new Table<Rec>(dialect, orm, entity)
  return {
    projects: table<StoredProject>(ProjectRow),
    apiKeys: table<ApiKey>(ApiKeyRow),
    contacts: table<Contact>(ContactRow),
    events: new EventTable(dialect, orm),
    templates: table<Template>(TemplateRow),
    snippets: table<Snippet>(SnippetRow),
    layouts: table<Layout>(LayoutRow),
    templateVersions: table<TemplateVersion>(TemplateVersionRow),
    templateDrafts: table<TemplateDraft>(TemplateDraftRow),
    contents: table<StoredContent>(MailContentRow),
    attachments: table<StoredAttachment>(MailAttachmentRow),
    emails: new EmailTable(dialect, orm),
    suppressions: table<Suppression>(SuppressionRow),
    answers: table<StoredAnswer>(IdempotencyAnswerRow),
    publicDataKeys: table<StoredPublicDataKey>(PublicDataKeyRow),
    segments: table<Segment>(SegmentRow),
    memberships: table<StoredMembership>(SegmentMembershipRow),
    contactJobs: table<StoredContactJob>(ContactJobRow),
    contactJobFiles: table<StoredContactJobFile>(ContactJobFileRow),
    contactJobRefusals: table<StoredContactJobRefusal>(ContactJobRefusalRow),
    campaigns: table<Campaign>(CampaignRow),
    campaignAttachments: table<StoredCampaignAttachment>(CampaignAttachmentRow),
    secrets: table<StoredSecret>(EngineSecretRow),
    workflows: table<Workflow>(WorkflowRow),
    workflowSteps: table<WorkflowStep>(WorkflowStepRow),
    workflowTransitions: table<WorkflowTransition>(WorkflowTransitionRow),
    executions: new ExecutionTable(dialect, orm),
    stepRuns: table<StepRun>(WorkflowStepRunRow),
    webhookSecrets: table<WebhookSecrets>(WebhookSecretRow),
    webhookEndpoints: table<WebhookEndpoint>(WebhookEndpointRow),
    webhookDeliveries: table<StoredDelivery>(WebhookDeliveryRow),
    outboxEvents: table<StoredOutboxEvent>(OutboxEventRow),
    inboundMessages: table<StoredMessage>(InboundMessageRow),
    erasures: table<StoredErasure>(ErasureRow),
    retentionPositions: table<StoredPosition>(RetentionPositionRow),
    domains: table<SenderDomain>(DomainRow),
    feedbackReports: table<ReportKey>(FeedbackReportRow),
    anonymousCounts: table<StoredAnonymousCount>(AnonymousCountRow),
    links: table<StoredLink>(LinkRow),
    linkClicks: table<StoredLinkClick>(LinkClickRow),
    deliveryCounts: new CountTable(dialect, orm, slots),
    deliveryRefusals: table<StoredRefusal>(DeliveryRefusalRow),
    notices: table<StoredNotice>(NoticeRow),
    domainTests: table<DomainTest>(DomainTestRow),
    uploads: table<Upload>(UploadRow),
    users: table<User>(UserRow),
    userIdentities: table<UserIdentity>(UserIdentityRow),
    recoveryCodes: table<StoredRecoveryCode>(RecoveryCodeRow),
    projectMembers: table<Member>(ProjectMemberRow),
    userTokens: table<UserToken>(UserTokenRow),
    attempts: table<StoredAttempts>(AttemptRow),
    auditEntries: table<AuditEntry>(AuditEntryRow),
  }
}
