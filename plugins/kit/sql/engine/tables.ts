import type { EntityMetadata, MikroORM } from '@mikro-orm/core'
import { LANES, type Lane } from '../../../../core/ports/queue.ts'
import type { CampaignCounters } from '../../../../core/ports/store/campaign-mails.ts'
import type { Campaign } from '../../../../core/ports/store/campaigns.ts'
import type { ContactJob } from '../../../../core/ports/store/contact-jobs.ts'
import type { Contact } from '../../../../core/ports/store/contacts.ts'
import type { ContentAttachment, MailContent } from '../../../../core/ports/store/contents.ts'
import type { DomainTest } from '../../../../core/ports/store/domain-tests.ts'
import type { SenderDomain } from '../../../../core/ports/store/domains.ts'
import type { Email } from '../../../../core/ports/store/emails.ts'
import type { EventRecord } from '../../../../core/ports/store/events.ts'
import type { Execution } from '../../../../core/ports/store/executions.ts'
import type { ReportKey } from '../../../../core/ports/store/feedback.ts'
import type { WaitingMessage } from '../../../../core/ports/store/inbound.ts'
import type { ApiKey, Project } from '../../../../core/ports/store/projects.ts'
import type { Erasure } from '../../../../core/ports/store/retention.ts'
import type { Segment } from '../../../../core/ports/store/segments.ts'
import type { StepRun } from '../../../../core/ports/store/step-runs.ts'
import type { Suppression } from '../../../../core/ports/store/suppressions.ts'
import type { Template } from '../../../../core/ports/store/templates.ts'
import type { WebhookDelivery } from '../../../../core/ports/store/webhook-deliveries.ts'
import type { WebhookEndpoint, WebhookSecrets } from '../../../../core/ports/store/webhook-endpoints.ts'
import type { Workflow, WorkflowStep, WorkflowTransition } from '../../../../core/ports/store/workflows.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { AnonymousCountRow } from '../entities/anonymous-counts.ts'
import { ApiKeyRow } from '../entities/api-keys.ts'
import { CampaignRow } from '../entities/campaigns.ts'
import { ContactJobFileRow } from '../entities/contact-job-files.ts'
import { ContactJobRow } from '../entities/contact-jobs.ts'
import { ContactRow } from '../entities/contacts.ts'
import { DeliveryCountRow } from '../entities/delivery-counts.ts'
import { DeliveryRefusalRow } from '../entities/delivery-refusals.ts'
import { DomainTestRow } from '../entities/domain-tests.ts'
import { DomainRow } from '../entities/domains.ts'
import { EmailRow } from '../entities/emails.ts'
import { EngineSecretRow } from '../entities/engine-secrets.ts'
import { ErasureRow } from '../entities/erasures.ts'
import { EventRow } from '../entities/events.ts'
import { FeedbackReportRow } from '../entities/feedback-reports.ts'
import { IdempotencyAnswerRow } from '../entities/idempotency-answers.ts'
import { InboundMessageRow } from '../entities/inbound-messages.ts'
import { MailAttachmentRow } from '../entities/mail-attachments.ts'
import { MailContentRow } from '../entities/mail-contents.ts'
import { NoticeRow } from '../entities/notices.ts'
import { OutboxEventRow } from '../entities/outbox-events.ts'
import { ProjectRow } from '../entities/projects.ts'
import { PublicDataKeyRow } from '../entities/public-data-keys.ts'
import { RetentionPositionRow } from '../entities/retention-positions.ts'
import { SegmentMembershipRow } from '../entities/segment-memberships.ts'
import { SegmentRow } from '../entities/segments.ts'
import { SuppressionRow } from '../entities/suppressions.ts'
import { TemplateRow } from '../entities/templates.ts'
import { WebhookDeliveryRow } from '../entities/webhook-deliveries.ts'
import { WebhookEndpointRow } from '../entities/webhook-endpoints.ts'
import { WebhookSecretRow } from '../entities/webhook-secrets.ts'
import { WorkflowExecutionRow } from '../entities/workflow-executions.ts'
import { WorkflowStepRunRow } from '../entities/workflow-step-runs.ts'
import { WorkflowStepRow } from '../entities/workflow-steps.ts'
import { WorkflowTransitionRow } from '../entities/workflow-transitions.ts'
import { WorkflowRow } from '../entities/workflows.ts'
import { CountTable, type StoredRefusal } from './count-table.ts'
import type { Dialect } from './dialect.ts'
import { EventTable } from './stored-events.ts'
import { type Codec, Table } from './table.ts'

/** A row of the ledger: the record and the lease it may be under. */
type StoredEmail = Email & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A row of the contents; its attachments are rows of their own. */
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

/** A data key that public API keys have brought into a project, the `number`th of them. */
export interface StoredPublicDataKey {
  readonly projectId: ProjectId
  readonly key: string
  readonly number: number
}

/** A job with the lease it may be under. */
type StoredContactJob = ContactJob & { readonly leaseToken?: string; readonly leaseUntil?: Date }

interface StoredContactJobFile {
  readonly contactJobId: string
  readonly bytes: Uint8Array
}

/** The counters of a campaign that nothing in the ledger says anything of. */
export type AnonymousKind = keyof CampaignCounters & `anonymous${string}`

/** How often something of a kind happened to a campaign's mails. */
export interface StoredAnonymousCount {
  readonly campaignId: string
  readonly kind: AnonymousKind
  readonly projectId: ProjectId
  readonly count: number
}

/** A secret of the engine's own. */
interface StoredSecret {
  readonly name: string
  readonly value: string
  readonly createdAt: Date
}

/** A membership in a segment; one without an end lasts still. */
interface StoredMembership {
  readonly id: string
  readonly projectId: ProjectId
  readonly segmentId: string
  readonly contactId: string
  readonly enteredAt: Date
  readonly leftAt?: Date
}

/** An execution with the lease it may be under. */
type StoredExecution = Execution & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A delivery with the lease it may be under. */
type StoredDelivery = WebhookDelivery & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A message that waits to be read, with the lease it may be under. */
type StoredMessage = WaitingMessage & { readonly leaseToken?: string; readonly leaseUntil?: Date }

/** A row of the outbox; the event itself is in `events`. */
type StoredOutboxEvent = Omit<EventRecord, 'emailId' | 'data'>

/** How far a rule of retention has come. */
interface StoredPosition {
  readonly name: string
  readonly position: string
}

/** A removed contact, and when to look for what is left of it. */
type StoredErasure = Erasure & { readonly dueAt: Date }

/** When operators were last told of a kind of trouble. */
interface StoredNotice {
  readonly projectId: ProjectId
  readonly kind: string
  readonly at: Date
}

/** The tables of one open database, in the order they are copied: nobody may wait for an event before it is there. */
export interface Tables {
  readonly projects: Table<Project>
  readonly apiKeys: Table<ApiKey>
  readonly contacts: Table<Contact>
  readonly events: EventTable
  readonly templates: Table<Template>
  readonly contents: Table<StoredContent>
  readonly attachments: Table<StoredAttachment>
  readonly emails: Table<StoredEmail>
  readonly suppressions: Table<Suppression>
  readonly answers: Table<StoredAnswer>
  readonly publicDataKeys: Table<StoredPublicDataKey>
  readonly segments: Table<Segment>
  readonly memberships: Table<StoredMembership>
  readonly contactJobs: Table<StoredContactJob>
  readonly contactJobFiles: Table<StoredContactJobFile>
  readonly campaigns: Table<Campaign>
  readonly secrets: Table<StoredSecret>
  readonly workflows: Table<Workflow>
  readonly workflowSteps: Table<WorkflowStep>
  readonly workflowTransitions: Table<WorkflowTransition>
  readonly executions: Table<StoredExecution>
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
  readonly deliveryCounts: CountTable
  readonly deliveryRefusals: Table<StoredRefusal>
  readonly notices: Table<StoredNotice>
  readonly domainTests: Table<DomainTest>
}

/**
 * Reads the tables from the entities this ORM discovered. Of `slots` for counts this process writes one: as many as there
 * may be processes that count at the same time.
 */
export function tablesOf(dialect: Dialect, orm: MikroORM, slots = 1): Tables {
  const meta = (entity: { readonly meta: { readonly className: string } }): EntityMetadata =>
    orm.getMetadata().getByClassName(entity.meta.className)
  return {
    projects: new Table<Project>(dialect, meta(ProjectRow)),
    apiKeys: new Table<ApiKey>(dialect, meta(ApiKeyRow)),
    contacts: new Table<Contact>(dialect, meta(ContactRow)),
    events: new EventTable(dialect, meta(EventRow)),
    templates: new Table<Template>(dialect, meta(TemplateRow)),
    contents: new Table<StoredContent>(dialect, meta(MailContentRow)),
    attachments: new Table<StoredAttachment>(dialect, meta(MailAttachmentRow)),
    emails: new Table<StoredEmail>(dialect, meta(EmailRow), { lane: laneCodec }),
    suppressions: new Table<Suppression>(dialect, meta(SuppressionRow)),
    answers: new Table<StoredAnswer>(dialect, meta(IdempotencyAnswerRow)),
    publicDataKeys: new Table<StoredPublicDataKey>(dialect, meta(PublicDataKeyRow)),
    segments: new Table<Segment>(dialect, meta(SegmentRow)),
    memberships: new Table<StoredMembership>(dialect, meta(SegmentMembershipRow)),
    contactJobs: new Table<StoredContactJob>(dialect, meta(ContactJobRow)),
    contactJobFiles: new Table<StoredContactJobFile>(dialect, meta(ContactJobFileRow)),
    campaigns: new Table<Campaign>(dialect, meta(CampaignRow)),
    secrets: new Table<StoredSecret>(dialect, meta(EngineSecretRow)),
    workflows: new Table<Workflow>(dialect, meta(WorkflowRow)),
    workflowSteps: new Table<WorkflowStep>(dialect, meta(WorkflowStepRow)),
    workflowTransitions: new Table<WorkflowTransition>(dialect, meta(WorkflowTransitionRow)),
    executions: new Table<StoredExecution>(dialect, meta(WorkflowExecutionRow)),
    stepRuns: new Table<StepRun>(dialect, meta(WorkflowStepRunRow)),
    webhookSecrets: new Table<WebhookSecrets>(dialect, meta(WebhookSecretRow)),
    webhookEndpoints: new Table<WebhookEndpoint>(dialect, meta(WebhookEndpointRow)),
    webhookDeliveries: new Table<StoredDelivery>(dialect, meta(WebhookDeliveryRow)),
    outboxEvents: new Table<StoredOutboxEvent>(dialect, meta(OutboxEventRow)),
    inboundMessages: new Table<StoredMessage>(dialect, meta(InboundMessageRow)),
    erasures: new Table<StoredErasure>(dialect, meta(ErasureRow)),
    retentionPositions: new Table<StoredPosition>(dialect, meta(RetentionPositionRow)),
    domains: new Table<SenderDomain>(dialect, meta(DomainRow)),
    feedbackReports: new Table<ReportKey>(dialect, meta(FeedbackReportRow)),
    anonymousCounts: new Table<StoredAnonymousCount>(dialect, meta(AnonymousCountRow)),
    deliveryCounts: new CountTable(dialect, meta(DeliveryCountRow), slots),
    deliveryRefusals: new Table<StoredRefusal>(dialect, meta(DeliveryRefusalRow)),
    notices: new Table<StoredNotice>(dialect, meta(NoticeRow)),
    domainTests: new Table<DomainTest>(dialect, meta(DomainTestRow)),
  }
}

/** A lane is kept as its place in LANES: rows sort in the order lanes are served. */
export const laneCodec: Codec = {
  encode: (lane) => LANES.indexOf(lane as Lane),
  decode: (place) => LANES[Number(place)],
}
