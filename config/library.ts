import { createEngine as createCoreEngine, type Engine } from '../core/engine.ts'
import { configInvalid, settingsProblems } from '../core/settings.ts'
import { unknownSettings } from './unknown-keys.ts'
import { type GivenSettings, withDefaults } from './with-defaults.ts'

export type { CampaignStats } from '../core/campaigns/campaign-numbers.ts'
export type {
  CampaignStatsInput,
  ChangeCampaignInput,
  ListCampaignsInput,
  ListRecipientsInput,
  SendCampaignInput,
  TestCampaignInput,
  WriteCampaignInput,
} from '../core/campaigns/campaign-request.ts'
export type { CountedCampaign } from '../core/campaigns/campaigns.ts'
export type { BulkContactsInput, BulkResult } from '../core/contacts/bulk-contacts.ts'
export type { ChangeContactInput, UpsertContactInput } from '../core/contacts/contact.ts'
export type { FieldInfo, FieldUsage, FieldValues, ListFieldValuesInput } from '../core/contacts/contact-fields.ts'
export type { AcceptedJob, ImportContactsInput, JobOptions } from '../core/contacts/contact-jobs.ts'
export type {
  ExportContactsInput,
  ListContactsInput,
  LookedUp,
  LookUpContactsInput,
} from '../core/contacts/contacts.ts'
export type { DomainDetail, DomainRecord } from '../core/domains/domain-record.ts'
export type { TestDomainInput } from '../core/domains/domain-tests.ts'
export type { AddDomainInput, ChangeDomainInput } from '../core/domains/domains.ts'
export type { DomainTestResult } from '../core/domains/test-checks.ts'
export type { Engine, Health } from '../core/engine.ts'
export {
  EngineError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorKind,
  type FieldCode,
  type FieldProblem,
} from '../core/errors.ts'
export type { EngineListener } from '../core/events/event-listeners.ts'
export type { EventStatsInput, EventUsage, ListEventsInput } from '../core/events/events.ts'
export type { TrackByIdInput, Tracked, TrackInput, TrackOptions } from '../core/events/track-event.ts'
export type { FeedbackEnvelope } from '../core/feedback/feedback.ts'
export type { HookReceipt } from '../core/feedback/hooks.ts'
export type { FeedbackReading } from '../core/feedback/reading.ts'
export type { FeedbackOutcome } from '../core/feedback/report.ts'
export type { Once } from '../core/intake/idempotency.ts'
export {
  definePlugin,
  type Opened,
  type PlainPluginDefinition,
  type Plugin,
  type PluginDefinition,
  type PluginFace,
  type PluginKit,
  type PortName,
  type Ports,
} from '../core/plugin.ts'
export type { BlobStore } from '../core/ports/blob-store.ts'
export { type Clock, systemClock } from '../core/ports/clock.ts'
export type { DnsResolver, MailExchanger } from '../core/ports/dns-resolver.ts'
export type { FeedbackReport, ReportedMail } from '../core/ports/feedback-report.ts'
export type { HookAnswer, HookRefused, HookRequest, HookTaken, HttpHook } from '../core/ports/http-hook.ts'
export type { Acceptance, InboundDesk, InboundMail, ReceivedMessage } from '../core/ports/inbound-mail.ts'
export { type Log, type LogFields, silentLog } from '../core/ports/log.ts'
export type {
  Accepted,
  Envelope,
  Mailbox,
  MailTransport,
  NamedTransport,
  OutgoingAttachment,
  OutgoingMail,
  Refusal,
  Refused,
  SendResult,
} from '../core/ports/mail-transport.ts'
export type { Job, Lane, Queue, Worker } from '../core/ports/queue.ts'
export type { ScheduledTask, Scheduler } from '../core/ports/scheduler.ts'
export type {
  DnsRecord,
  Finding,
  IdentityProof,
  IdentityRecord,
  PublicProof,
  SenderIdentity,
} from '../core/ports/sender-identity.ts'
export type { Campaign, CampaignRepository, CampaignStatus, CampaignTally } from '../core/ports/store/campaigns.ts'
export type { BulkOperation, ContactJob } from '../core/ports/store/contact-jobs.ts'
export type { Contact, ContactRepository } from '../core/ports/store/contacts.ts'
export type { DomainKey, DomainRepository, DomainStatus, SenderDomain } from '../core/ports/store/domains.ts'
export type { Email, EmailRepository, EmailStatus } from '../core/ports/store/emails.ts'
export type { EventRecord, EventRepository, EventStat, EventWithContact } from '../core/ports/store/events.ts'
export type {
  ConditionsInput,
  Filter,
  FilterCondition,
  FilterInput,
  FilterValue,
  GroupsInput,
} from '../core/ports/store/filters.ts'
export type { InboundRepository, WaitingMessage } from '../core/ports/store/inbound.ts'
export type { Intake, IntakeOutcome, IntakeRequest, IntakeWrites, KnownContacts } from '../core/ports/store/intake.ts'
export type { ApiKey, KeyKind, Project, ProjectRepository, Tracking } from '../core/ports/store/projects.ts'
export type { Segment, SegmentType } from '../core/ports/store/segments.ts'
export type { Repositories, Store } from '../core/ports/store/store.ts'
export type { Suppression, SuppressionReason, SuppressionRepository } from '../core/ports/store/suppressions.ts'
export type { Template, TemplateRepository } from '../core/ports/store/templates.ts'
export type {
  DeliveryStatus,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookMethod,
  WebhookRepository,
  WebhookSecrets,
} from '../core/ports/store/webhooks.ts'
export type { Leadership } from '../core/ports/store/workers.ts'
export type {
  Branch,
  Execution,
  ExecutionStatus,
  StepRun,
  StepRunStatus,
  StepType,
  TriggerType,
  Workflow,
  WorkflowGraph,
  WorkflowRepository,
  WorkflowStep,
  WorkflowTransition,
} from '../core/ports/store/workflows.ts'
export type {
  Login,
  SubmissionAnswer,
  SubmissionDesk,
  SubmissionLater,
  SubmissionMail,
  SubmissionRefused,
  Submitted,
  SubmittedMail,
  Submitter,
} from '../core/ports/submission.ts'
export type { WebhookAnswer, WebhookRequest, WebhookSender } from '../core/ports/webhook-sender.ts'
export type { ProjectSettings } from '../core/projects/project.ts'
export type { DeliverabilityInput } from '../core/reputation/reputation.ts'
export type { Role } from '../core/role.ts'
export type { Added } from '../core/segments/change-members.ts'
export type {
  AddMembersInput,
  ChangeSegmentInput,
  CreateSegmentInput,
  ListMembersInput,
  RemoveMembersInput,
} from '../core/segments/segment.ts'
export type { MemberPage } from '../core/segments/segments.ts'
export type { SendAnswer } from '../core/sending/accept.ts'
export type { Words } from '../core/sending/mail-question.ts'
export type { AttachmentInput, SendInput } from '../core/sending/send-request.ts'
export type { EmailDetail, ListEmailsInput, SendOptions } from '../core/sending/sending.ts'
export type { PartHealth } from '../core/sending/transport-checks.ts'
export type { EngineSettings, HookSettings, TransportSettings } from '../core/settings.ts'
export type { AddSuppressionInput } from '../core/suppressions/suppression.ts'
export type { ImportSuppressionsInput, SuppressionImport } from '../core/suppressions/suppressions.ts'
export type { ChangeTemplateInput, CreateTemplateInput, RenderTemplateInput } from '../core/templates/template.ts'
export type { ListTemplatesInput, TemplateUsage } from '../core/templates/templates.ts'
export { type UntrustedInput, untrusted } from '../core/values/input.ts'
export type { Json, JsonObject, Untrusted } from '../core/values/json.ts'
export { readJsonText } from '../core/values/json-text.ts'
export type { MailboxInput } from '../core/values/mailbox.ts'
export type { CursorInput, NumberedPage, Page, PageInput } from '../core/values/page.ts'
export { warningsOf } from '../core/values/parse.ts'
export { asProjectId, type ProjectId } from '../core/values/project-id.ts'
export type { StandardIssue, StandardResult, StandardSchema } from '../core/values/standard-schema.ts'
export type { Warning } from '../core/values/unknown-keys.ts'
export type { EmailVerification } from '../core/verification/judge.ts'
export type { VerifyInput } from '../core/verification/verification.ts'
export type { DeliveryDetail, ListDeliveriesInput } from '../core/webhooks/delivery-log.ts'
export type { ChangeWebhookInput, CreateWebhookInput } from '../core/webhooks/read-endpoint.ts'
export type { ExecutionDetail, ListExecutionsInput, StartExecutionInput } from '../core/workflows/executions.ts'
export type { StepConfigInput } from '../core/workflows/step-config.ts'
export type { WorkflowField } from '../core/workflows/workflow-fields.ts'
export type {
  AddStepInput,
  AddTransitionInput,
  ChangeStepInput,
  ChangeWorkflowInput,
  CreateWorkflowInput,
  RemoveStepInput,
  WorkflowFieldsInput,
} from '../core/workflows/workflow-request.ts'
export type { WorkflowStats } from '../core/workflows/workflow-stats.ts'
export type { GivenSettings } from './with-defaults.ts'

/**
 * Makes an engine of the given sockets and values; every socket left out gets its embedded default: SQLite in
 * `./data/mailwright.db`, mail written to `./data/outbox`, a queue and cron in this process, files in `./data/uploads`,
 * the system's resolver, web-hooks by HTTP. Without `log` warnings and errors go to the standard error output; `silentLog`
 * is silent. Mail is accepted at once and delivered after `start`. Throws EngineError `CONFIG_INVALID` with every problem
 * before anything is opened, unknown keys included; `STORE_LOCKED` when another process has the database.
 */
export async function createEngine(settings: GivenSettings = {}): Promise<Engine> {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw configInvalid([{ field: 'settings', code: 'invalid_type', message: 'must be an object' }])
  }
  const complete = await withDefaults(settings)
  const problems = [...unknownSettings(settings), ...(await settingsProblems(complete))]
  if (problems.length > 0) throw configInvalid(problems)
  return createCoreEngine(complete)
}
