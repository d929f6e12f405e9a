import { ActivityCountRow } from './activity-counts.ts'
import { AnonymousCountRow } from './anonymous-counts.ts'
import { ApiKeyRow } from './api-keys.ts'
import { AttemptRow } from './attempts.ts'
import { AuditEntryRow } from './audit-entries.ts'
import { CampaignAttachmentRow } from './campaign-attachments.ts'
import { CampaignRow } from './campaigns.ts'
import { ContactJobFileRow, ContactJobRefusalRow } from './contact-job-files.ts'
import { ContactJobRow } from './contact-jobs.ts'
import { ContactRow } from './contacts.ts'
import { CounterRow } from './counters.ts'
import { DeliveryCountRow } from './delivery-counts.ts'
import { DeliveryRefusalRow } from './delivery-refusals.ts'
import { DomainTestRow } from './domain-tests.ts'
import { DomainRow } from './domains.ts'
import { EmailRow } from './emails.ts'
import { EngineSecretRow } from './engine-secrets.ts'
import { ErasureRow } from './erasures.ts'
import { EventRow } from './events.ts'
import { FeedbackReportRow } from './feedback-reports.ts'
import { IdempotencyAnswerRow } from './idempotency-answers.ts'
import { InboundMessageRow } from './inbound-messages.ts'
import { LayoutRow } from './layouts.ts'
import { LinkClickRow, LinkRow } from './links.ts'
import { MailAttachmentRow } from './mail-attachments.ts'
import { MailContentRow } from './mail-contents.ts'
import { NoticeRow } from './notices.ts'
import { OutboxEventRow } from './outbox-events.ts'
import { ProjectMemberRow } from './project-members.ts'
import { ProjectRow } from './projects.ts'
import { PublicDataKeyRow } from './public-data-keys.ts'
import { RetentionPositionRow } from './retention-positions.ts'
import { SegmentMembershipRow } from './segment-memberships.ts'
import { SegmentRow } from './segments.ts'
import { SnippetRow } from './snippets.ts'
import { SuppressionRow } from './suppressions.ts'
import { TemplateDraftRow, TemplateVersionRow } from './template-versions.ts'
import { TemplateRow } from './templates.ts'
import { UploadRow } from './uploads.ts'
import { UserTokenRow } from './user-tokens.ts'
import { RecoveryCodeRow, UserIdentityRow, UserRow } from './users.ts'
import { WebhookDeliveryRow } from './webhook-deliveries.ts'
import { WebhookEndpointRow } from './webhook-endpoints.ts'
import { WebhookSecretRow } from './webhook-secrets.ts'
import { WorkflowExecutionRow } from './workflow-executions.ts'
import { WorkflowStepRunRow } from './workflow-step-runs.ts'
import { WorkflowStepRow } from './workflow-steps.ts'
import { WorkflowTransitionRow } from './workflow-transitions.ts'
import { WorkflowRow } from './workflows.ts'

/** Every table of the store, for the ORM of either database. */
export const entities = [
  ProjectRow,
  ApiKeyRow,
  ContactRow,
  EventRow,
  TemplateRow,
  SnippetRow,
  LayoutRow,
  TemplateVersionRow,
  TemplateDraftRow,
  MailContentRow,
  MailAttachmentRow,
  EmailRow,
  SuppressionRow,
  IdempotencyAnswerRow,
  SegmentRow,
  SegmentMembershipRow,
  ContactJobRow,
  ContactJobFileRow,
  ContactJobRefusalRow,
  CounterRow,
  ActivityCountRow,
  PublicDataKeyRow,
  CampaignRow,
  CampaignAttachmentRow,
  AnonymousCountRow,
  LinkRow,
  LinkClickRow,
  EngineSecretRow,
  WorkflowRow,
  WorkflowStepRow,
  WorkflowTransitionRow,
  WorkflowExecutionRow,
  WorkflowStepRunRow,
  WebhookSecretRow,
  WebhookEndpointRow,
  WebhookDeliveryRow,
  OutboxEventRow,
  ErasureRow,
  RetentionPositionRow,
  DomainRow,
  FeedbackReportRow,
  InboundMessageRow,
  DeliveryCountRow,
  DeliveryRefusalRow,
  NoticeRow,
  DomainTestRow,
  UploadRow,
  UserRow,
  UserIdentityRow,
  RecoveryCodeRow,
  ProjectMemberRow,
  UserTokenRow,
  AttemptRow,
  AuditEntryRow,
]
