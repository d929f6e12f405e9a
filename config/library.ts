export type { Deed, DeedDone, ListAuditInput, NarrowAuditInput } from '../core/accounts/audit.ts'
export type { ActivityStats, ToldActivity } from '../core/analytics/activity.ts'
export type {
  ActivityStatsInput,
  ListActivityInput,
  RecentActivityInput,
  UpcomingInput,
} from '../core/analytics/activity-requests.ts'

import { createEngine as createCoreEngine, type Engine } from '../core/engine.ts'
import { EngineError } from '../core/errors.ts'
import { configInvalid, settingsProblems } from '../core/start/check-settings.ts'
import { nodeProblem } from './node-version.ts'
import { removedKeys, unknownSettings } from './unknown-keys.ts'
import { type GivenSettings, withDefaults } from './with-defaults.ts'

export type { ChangeUserInput } from '../core/accounts/accounts.ts'
export type { SetUpInput } from '../core/accounts/first-user.ts'
export type { ClientRefusal, ClientTokens, DecideGrantInput, RegisteredClient } from '../core/accounts/grants.ts'
export type {
  AcceptInviteInput,
  RequestResetInput,
  ResetPasswordInput,
  VerifyEmailInput,
} from '../core/accounts/mailed-links.ts'
export type {
  AddMemberInput,
  AddProjectInput,
  ChangeMemberInput,
  MemberEntry,
  OwnProject,
} from '../core/accounts/members.ts'
export type { LetInInput, ListPeopleInput, PasswordLink } from '../core/accounts/people.ts'
export type { NotePresenceInput, Present } from '../core/accounts/presence.ts'
export type { ProviderLogin, ProviderState } from '../core/accounts/provider-logins.ts'
export type {
  ConfirmInput,
  DisableInput,
  EnrolInput,
  RenewCodesInput,
  SecondStepInput,
} from '../core/accounts/second-factor.ts'
export type { Session } from '../core/accounts/sessions.ts'
export type {
  LoggedIn,
  LoginInput,
  PersonInput,
  SecondFactorNeeded,
  SignupInput,
  Visitor,
} from '../core/accounts/user.ts'
export type {
  CampaignFigures,
  CampaignsOverview,
  DayFigures,
  TopEvent,
} from '../core/analytics/analytics.ts'
export type { QuotaUse, RampUse, SendingLimits } from '../core/analytics/limits.ts'
export type {
  CampaignFiguresInput,
  TimeSeriesInput,
  TopCampaignsInput,
  TopEventsInput,
} from '../core/analytics/requests.ts'
export type { SentQuestion } from '../core/assistant/ask-model.ts'
export type { AdvisedAction, AssistantState, AssistedTexts, AssistedThread } from '../core/assistant/assistant.ts'
export type { AssistThreadInput, ChangeTextsInput } from '../core/assistant/assistant-request.ts'
export type { DailyUse } from '../core/assistant/budget.ts'
export type { ChangedTexts } from '../core/assistant/text-question.ts'
export type { DroppedAction, ProposedAction } from '../core/assistant/thread-question.ts'
export type { ArchivedCampaign, ArchivedMail, ArchivePage, ArchiveQuery } from '../core/campaigns/archive.ts'
export type { CampaignSeriesInput, CourseFigures } from '../core/campaigns/campaign-course.ts'
export type { CampaignStats, CountedCampaign } from '../core/campaigns/campaign-numbers.ts'
export type {
  CampaignStatsInput,
  ChangeCampaignInput,
  ChosenCampaignsInput,
  FileCampaignInput,
  ListCampaignsInput,
  ListLeftOutInput,
  ListRecipientsInput,
  ResumeCampaignInput,
  SendAgainInput,
  SendCampaignInput,
  ShelveCampaignsInput,
  TestCampaignInput,
  WriteCampaignInput,
} from '../core/campaigns/campaign-request.ts'
export type { CampaignLeft, ManyDone } from '../core/campaigns/file-campaigns.ts'
export type { LeftOutEntry } from '../core/campaigns/list-left-out.ts'
export type { SendPlanInput } from '../core/campaigns/send-plan.ts'
export type { FeedItem } from '../core/campaigns/series/read-feed.ts'
export type { SeriesPreview } from '../core/campaigns/series/series.ts'
export type { ChangeSeriesInput, CreateSeriesInput, ListSeriesInput } from '../core/campaigns/series/series-request.ts'
export type { PartResult, TestResults, VariantResult } from '../core/campaigns/variants/test-results.ts'
export type { ChooseWinnerInput, PreviewCampaignInput } from '../core/campaigns/variants/variant-request.ts'
export type { CampaignWaiting, WaitReason } from '../core/campaigns/waiting.ts'
export type { CheckedMail } from '../core/checks/check-mail.ts'
export type { CheckMailInput } from '../core/checks/check-request.ts'
export type { CheckFinding } from '../core/checks/check-sentences.ts'
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
export type { MergeContactsInput } from '../core/contacts/merge-contacts.ts'
export type { ContactTopic } from '../core/contacts/topic-choices.ts'
export type { RouteExplained, RouteQuestion } from '../core/delivery/routing/explain.ts'
export type { PartHealth } from '../core/delivery/transport-checks.ts'
export type { LookUpAddressesInput } from '../core/domains/blocklists.ts'
export type { DomainDetail, DomainRecord } from '../core/domains/domain-record.ts'
export type { TestDomainInput } from '../core/domains/domain-tests.ts'
export type { AddDomainInput, ChangeDomainInput } from '../core/domains/domains.ts'
export type { DomainTestResult } from '../core/domains/test-checks.ts'
export type { Engine, Health, StopOptions } from '../core/engine.ts'
export {
  EngineError,
  type ErrorCode,
  type ErrorDetails,
  type ErrorKind,
  type FieldCode,
  type FieldProblem,
} from '../core/errors.ts'
export type {
  BounceData,
  ClickData,
  ComplaintData,
  CreatedData,
  DeliveryData,
  EngineEvent,
  EngineEventData,
  EngineEventName,
  EngineListener,
  EventOf,
  FormSubmittedData,
  InboxDraftData,
  InboxMessageData,
  InboxThreadData,
  ListenPattern,
  MailEventData,
  MergedData,
  OpenData,
  ReceivedAttachment,
  ReceivedData,
  RepliedData,
  SegmentData,
  SentData,
  SubscriptionData,
  TrackedEvent,
  TrackingData,
} from '../core/events/engine-events.ts'
export type { EventStatsInput, EventUsage, ListEventsInput } from '../core/events/events.ts'
export type { TrackByIdInput, Tracked, TrackInput, TrackOptions } from '../core/events/track-event.ts'
export type { FeedbackEnvelope } from '../core/feedback/feedback.ts'
export type { HookReceipt } from '../core/feedback/hooks.ts'
export type { FeedbackReading } from '../core/feedback/reading.ts'
export type { FeedbackOutcome } from '../core/feedback/report.ts'
export type { DeliverabilityInput } from '../core/feedback/reputation.ts'
export type {
  ApproveDraftInput,
  ChangeDraftInput,
  CreateDraftInput,
  RefuseDraftInput,
  SendDraftInput,
} from '../core/inboxes/draft-request.ts'
export type { ChangeInboxInput, CreateInboxInput } from '../core/inboxes/inbox.ts'
export type { FollowedInbox, InboxEventList, ListInboxEventsInput } from '../core/inboxes/inbox-events.ts'
export type { CountedInbox } from '../core/inboxes/inboxes.ts'
export type { FoundThread, SearchThreadsInput } from '../core/inboxes/search.ts'
export type {
  AddNoteInput,
  ChangeThreadInput,
  ListThreadsInput,
  MergeThreadInput,
  SplitThreadInput,
} from '../core/inboxes/thread-request.ts'
export type { ReadThread, ThreadDetail, ThreadMessage } from '../core/inboxes/threads.ts'
export type { ChangePublicAddressInput, PublicAddressState } from '../core/installation/installation.ts'
export type {
  AddMailServerInput,
  ChangeMailServerInput,
  MailServer,
  TryMailServerInput,
} from '../core/installation/mail-server.ts'
export type { MailServerList } from '../core/installation/mail-servers.ts'
export type {
  InstallationSettings,
  MailServerLogin,
  MailServerPreset,
  Security,
} from '../core/installation/options.ts'
export type { MailWay } from '../core/installation/project-routes.ts'
export type { MailRoute, RouteWay } from '../core/installation/routes.ts'
export type { ChangeRoutesInput, RouteRuleList } from '../core/installation/routing-rules.ts'
export type { TrialResult } from '../core/installation/trial.ts'
export type { RenderedMail } from '../core/mail/thread/mail-question.ts'
export type { SendAnswer } from '../core/mails/accept.ts'
export type { AttachmentInput } from '../core/mails/attachment-input.ts'
export type { ListEmailsInput } from '../core/mails/list-emails.ts'
export type { EmailDetail, ListedEmail, RedateInput, ResendInput } from '../core/mails/mails.ts'
export type { BatchAnswer, BatchError, BatchResult, SendBatchInput } from '../core/mails/send-batch.ts'
export type { SendOptions } from '../core/mails/send-options.ts'
export type { SendInput } from '../core/mails/send-request.ts'
export type { ShownMail } from '../core/mails/shown-mail.ts'
export { definePlugin, type PlainPluginDefinition, type PluginDefinition } from '../core/plugin/plugin.ts'
export type { KitOf, Opened, Plugin, PluginFace, PluginKit, PortName, Ports } from '../core/plugin/types.ts'
export type { BlobStore } from '../core/ports/blob-store.ts'
export { type Clock, systemClock } from '../core/ports/clock.ts'
export type { DnsResolver, MailExchanger } from '../core/ports/dns-resolver.ts'
export type { FeedbackReport, ReportedMail } from '../core/ports/feedback-report.ts'
export type {
  AbsentEndpoint,
  ForeignAnswer,
  ForeignApi,
  ForeignEndpoint,
  ForeignEvent,
  ForeignEvents,
  ForeignNotice,
  ForeignPart,
  ForeignProblem,
  ForeignRequest,
  ForeignSignature,
  NamedForeignApi,
  OurApi,
  OurInput,
} from '../core/ports/foreign-api.ts'
export type { HookAnswer, HookMail, HookRefused, HookRequest, HookTaken, HttpHook } from '../core/ports/http-hook.ts'
export type {
  Acceptance,
  InboundDesk,
  InboundMail,
  ReceivedMessage,
  RefusedMessage,
} from '../core/ports/inbound-mail.ts'
export type { DailyBudget, LanguageModel, ModelAnswer, ModelQuestion } from '../core/ports/language-model.ts'
export { type Log, type LogFields, silentLog } from '../core/ports/log.ts'
export type {
  Accepted,
  Conversation,
  ConversationAnswer,
  Envelope,
  HopWarning,
  Mailbox,
  MailTransport,
  NamedTransport,
  OutgoingAttachment,
  OutgoingMail,
  ProviderAllowance,
  Refusal,
  Refused,
  SendResult,
} from '../core/ports/mail-transport.ts'
export type { FailureClass, MailOutcome, MailTurn, Metrics, TimedWrite } from '../core/ports/metrics.ts'
export type { Lane, Queue, Ring, Wake } from '../core/ports/queue.ts'
export type { ScheduledTask, Scheduler } from '../core/ports/scheduler.ts'
export type {
  DnsRecord,
  Finding,
  IdentityProof,
  IdentityRecord,
  PublicProof,
  SenderIdentity,
} from '../core/ports/sender-identity.ts'
export type {
  ActivityEntry,
  ActivityFilter,
  ActivityRepository,
  UpcomingActivity,
  WorkflowActivity,
} from '../core/ports/store/activity.ts'
export {
  type ActivityFigures,
  type AnalyticsRepository,
  type CampaignResults,
  type EventCount,
  FIGURES,
  type Figure,
  type FigureDifference,
  type Period,
} from '../core/ports/store/analytics.ts'
export type { AnswerRepository } from '../core/ports/store/answers.ts'
export type { AttemptRepository, Attempts } from '../core/ports/store/attempts.ts'
export type {
  Audience,
  CampaignDeed,
  CampaignTest,
  ChoiceTest,
  Comparison,
  DataTest,
  EventTest,
  FlagTest,
  MemberTest,
  MomentTest,
  NumberTest,
  OneOf,
  Part,
  Span,
  TextTest,
  TopicTest,
  ValueTest,
  YearlyTest,
} from '../core/ports/store/audiences.ts'
export {
  AUDIT_ACTORS,
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditFilter,
  type AuditRepository,
} from '../core/ports/store/audit.ts'
export {
  BEGUN_KINDS,
  type Begun,
  type BegunKind,
  type BegunWorkRepository,
  type GivenUp,
  type WorkPiece,
} from '../core/ports/store/begun-work.ts'
export type {
  CampaignAttachment,
  CampaignAttachmentRepository,
} from '../core/ports/store/campaign-attachments.ts'
export type {
  AudienceAbout,
  AudienceCounts,
  AudienceMember,
  AudiencePage,
  CampaignCounters,
  CampaignLink,
  CampaignMailRepository,
  CampaignMoments,
  CampaignQueue,
  RefusedMail,
  TestCounters,
  WaitingCampaign,
} from '../core/ports/store/campaign-mails.ts'
export {
  AUDIENCE_TYPES,
  type AudienceType,
  type BounceHold,
  type Brake,
  CAMPAIGN_STATUSES,
  type Campaign,
  type CampaignFilter,
  type CampaignFolder,
  type CampaignNeeds,
  type CampaignRepository,
  type CampaignStatus,
  type CampaignVariant,
  type FanOut,
  type PlanProgress,
  type PublishedCampaign,
  type PublishedPage,
  type SendPlan,
  TEST_METRICS,
  TEST_PARTS,
  type TestPart,
  type TestProgress,
  VARIANTS,
  type VariantName,
  type VariantTest,
} from '../core/ports/store/campaigns.ts'
export {
  type ContactFieldRepository,
  type ContactFields,
  type FieldRemoval,
  type KindCounts,
  LISTED_VALUE,
  VALUE_KINDS,
  type ValueKind,
} from '../core/ports/store/contact-fields.ts'
export {
  BULK_OPERATIONS,
  type BulkOperation,
  type ContactJob,
  type ContactJobRepository,
  type ContactJobState,
  type ContactJobType,
} from '../core/ports/store/contact-jobs.ts'
export type {
  Contact,
  ContactFilter,
  ContactOrder,
  ContactPageRequest,
  ContactRepository,
} from '../core/ports/store/contacts.ts'
export type {
  ContentAttachment,
  ContentSender,
  MailContent,
  NamedCopy,
  SubmittedMessage,
} from '../core/ports/store/contents.ts'
export type { DatedWorkflowRepository } from '../core/ports/store/dated-workflows.ts'
export {
  DMARC_POLICIES,
  type DmarcPolicy,
  DomainReport,
  type DomainReportRepository,
  type FailureCount,
  FIGURE_RECEIVERS,
  type FigureReceiver,
  RECEIVER_FIGURES,
  REPORT_KINDS,
  ReceiverFigure,
  type ReportDay,
  type ReportSource,
  type SourceFigures,
  TlsFailure,
} from '../core/ports/store/domain-reports.ts'
export type { Arrival, DomainTest, DomainTestRepository } from '../core/ports/store/domain-tests.ts'
export {
  DOMAIN_STATUSES,
  type DomainKey,
  type DomainLink,
  type DomainRepository,
  type DomainStatus,
  type SenderDomain,
  STS_MODES,
  type StoredFinding,
  type StsMode,
  type StsPolicy,
} from '../core/ports/store/domains.ts'
export type { DraftAttachment, DraftAttachmentRepository, DraftFile } from '../core/ports/store/draft-attachments.ts'
export {
  type AskedDraft,
  DRAFT_KINDS,
  DRAFT_STATUSES,
  type InboxDraft,
  type InboxDraftRepository,
} from '../core/ports/store/drafts.ts'
export {
  type Activity,
  type ActivityOutcome,
  type ClaimedEmail,
  DELETED_RECIPIENT,
  type DeliveryResult,
  type DueMail,
  EMAIL_STATUSES,
  type Email,
  type EmailFilter,
  type EmailRepository,
  type EmailStatus,
  KEPT_TRIES,
  type Lease,
  type MailTry,
  type PutOff,
  type SkipReason,
  SOURCE_TYPES,
  type SourceType,
  STAGES,
  type Stage,
  stagesBefore,
  type WaitingMail,
} from '../core/ports/store/emails.ts'
export type {
  ContactEvent,
  EventFilter,
  EventRecord,
  EventRepository,
  EventStat,
  EventWithContact,
  NewEvent,
} from '../core/ports/store/events.ts'
export {
  type ClaimedExecution,
  type ContactExecution,
  EXECUTION_STATUSES,
  type Execution,
  type ExecutionFilter,
  type ExecutionRepository,
  type ExecutionStatus,
  type ExecutionsFilter,
} from '../core/ports/store/executions.ts'
export type { FeedbackRepository, MailNews, ReachedMail, ReportKey } from '../core/ports/store/feedback.ts'
export {
  type AnyCondition,
  type ConditionOnCampaign,
  type ConditionsInput,
  type Filter,
  type FilterCondition,
  type FilterInput,
  type FilterValue,
  type GroupsInput,
  UNITS,
  type Unit,
} from '../core/ports/store/filters.ts'
export {
  FORM_FIELD_TYPES,
  type Form,
  type FormField,
  type FormFieldType,
  type FormFigures,
  type FormRepository,
  type FormSubmission,
  type FormTexts,
  SUBMISSION_OUTCOMES,
  type SubmissionFilter,
  type SubmissionOutcome,
} from '../core/ports/store/forms.ts'
export type { GoalRepository } from '../core/ports/store/goals.ts'
export type { Claim, InboundRepository, WaitingMessage } from '../core/ports/store/inbound.ts'
export type { InboxEvent, InboxEventRepository } from '../core/ports/store/inbox-events.ts'
export {
  ASSISTANT_ACTIONS,
  type AssistantAction,
  type Inbox,
  type InboxAssistant,
  type InboxFilter,
  type InboxRepository,
  MAX_LABELS,
} from '../core/ports/store/inboxes.ts'
export type { InstallationRepository, InstallationSetting } from '../core/ports/store/installation.ts'
export type { ClaimLease, Interrupted } from '../core/ports/store/interrupted.ts'
export type { Layout, LayoutFilter, LayoutRepository, LayoutUsers } from '../core/ports/store/layouts.ts'
export type {
  LeftOut,
  LeftOutContact,
  LeftOutReasons,
  LeftOutRepository,
  StartReason,
} from '../core/ports/store/left-out.ts'
export type {
  FoundMail,
  MailText,
  MailWords,
  MailWordsRepository,
  Mended,
  SearchTerm,
  WordSearch,
} from '../core/ports/store/mail-words.ts'
export {
  type FoundMails,
  HAPPENINGS,
  type MailedSince,
  type MailMoment,
  type MailRepository,
  type MailSearch,
  type MailTag,
  type MailWord,
  type MetMetric,
  type NewDate,
} from '../core/ports/store/mails.ts'
export type {
  Member,
  MemberChange,
  MemberRepository,
  NamedMember,
} from '../core/ports/store/members.ts'
export type { Among, MembershipRepository, SegmentMembership } from '../core/ports/store/memberships.ts'
export type { MergeRepository } from '../core/ports/store/merges.ts'
export type { Notice, NoticeRepository } from '../core/ports/store/notices.ts'
export {
  type OperationsRepository,
  type QueueDepth,
  WAITING_WORK,
  type WaitingWork,
} from '../core/ports/store/operations.ts'
export type { ClaimedEvent, OutboxEvent, OutboxRepository } from '../core/ports/store/outbox.ts'
export type { OpenTab, PresenceBounds, PresenceRepository } from '../core/ports/store/presence.ts'
export type { ProjectServers, ProjectServersRepository } from '../core/ports/store/project-servers.ts'
export {
  APPROVALS,
  type ApiKey,
  type Approval,
  type DoubleOptIn,
  type FrequencyCap,
  type GrantedClient,
  INBOX_RIGHTS,
  type InboxGrant,
  type InboxRight,
  KEY_KINDS,
  KEY_SCOPES,
  type KeyChange,
  type KeyKind,
  type KeyScope,
  PROJECT_MODES,
  type Project,
  type ProjectMode,
  type ProjectRepository,
  PUBLIC_DATA,
  type PublicData,
  type Quotas,
  TRACKING,
  type Tracking,
} from '../core/ports/store/projects.ts'
export {
  COUNTED,
  type Counted,
  type CountedFact,
  type DomainFigures,
  type DomainRefusal,
  type DomainSide,
  type Figures,
  type ReputationRepository,
  type SenderFigures,
} from '../core/ports/store/reputation.ts'
export type {
  AgedExecution,
  AgedMail,
  Erasure,
  MailContentChange,
  RetentionRepository,
  StoredMail,
  Stretch,
} from '../core/ports/store/retention.ts'
export type { AppliedMigration, SchemaState } from '../core/ports/store/schema-state.ts'
export type { SecretRepository } from '../core/ports/store/secrets.ts'
export {
  MAILBOX_SECURITIES,
  SEED_OUTCOMES,
  SeedMailbox,
  type SeedRepository,
  SeedResult,
  SeedTest,
} from '../core/ports/store/seeds.ts'
export { SEGMENT_TYPES, type Segment, type SegmentRepository, type SegmentType } from '../core/ports/store/segments.ts'
export type {
  SendRequestRecord,
  SendRequestRepository,
  SettledRequest,
} from '../core/ports/store/send-requests.ts'
export {
  type FeedState,
  MAX_SERIES,
  type Rhythm,
  type SeenItem,
  Series,
  type SeriesRepository,
} from '../core/ports/store/series.ts'
export type {
  BodyHolder,
  Snippet,
  SnippetFilter,
  SnippetLinks,
  SnippetRepository,
} from '../core/ports/store/snippets.ts'
export {
  STEP_RUN_STATUSES,
  type StepRun,
  type StepRunRepository,
  type StepRunStatus,
} from '../core/ports/store/step-runs.ts'
export type { HostTransaction, Repositories, Store } from '../core/ports/store/store.ts'
export {
  SUPPRESSION_REASONS,
  type Suppression,
  type SuppressionReason,
  type SuppressionRepository,
  type WantedSuppressions,
} from '../core/ports/store/suppressions.ts'
export {
  AUTHOR_TYPES,
  type Author,
  type ListedVersion,
  type TemplateDraft,
  type TemplateDraftRepository,
  type TemplateFields,
  type TemplateVersion,
  type TemplateVersionRepository,
} from '../core/ports/store/template-versions.ts'
export {
  TEMPLATE_TYPES,
  type Template,
  type TemplateFilter,
  type TemplateRepository,
  type TemplateType,
} from '../core/ports/store/templates.ts'
export {
  type Correspondent,
  FOLDERS,
  type Folder,
  MAX_PARTICIPANTS,
  type NamedMails,
  type Thread,
  type ThreadFilter,
  type ThreadMail,
  type ThreadMailRepository,
  type ThreadNote,
  type ThreadNoteRepository,
  type ThreadRead,
  type ThreadRepository,
} from '../core/ports/store/threads.ts'
export {
  CHOICE_SOURCES,
  type ChoiceSource,
  STANDINGS,
  type Standing,
  type Topic,
  type TopicChoice,
  type TopicCounts,
  type TopicRepository,
  type TopicUsers,
} from '../core/ports/store/topics.ts'
export type { Upload, UploadRepository } from '../core/ports/store/uploads.ts'
export type { UserSession, UserSessionRepository } from '../core/ports/store/user-sessions.ts'
export type { Invitation, TokenPurpose, UserToken, UserTokenRepository } from '../core/ports/store/user-tokens.ts'
export {
  USER_LANGUAGES,
  type User,
  type UserIdentity,
  type UserLanguage,
  type UserRepository,
} from '../core/ports/store/users.ts'
export {
  DELIVERY_STATUSES,
  type DeliveryFilter,
  type DeliveryStatus,
  WEBHOOK_METHODS,
  type WebhookDelivery,
  type WebhookDeliveryRepository,
  type WebhookMethod,
} from '../core/ports/store/webhook-deliveries.ts'
export type {
  WebhookEndpoint,
  WebhookEndpointRepository,
  WebhookSecrets,
} from '../core/ports/store/webhook-endpoints.ts'
export type { Claims, Leadership, Membership, Workers } from '../core/ports/store/workers.ts'
export {
  type Branch,
  type DateTrigger,
  type EventTrigger,
  TRIGGER_TYPES,
  type TriggerType,
  type Workflow,
  type WorkflowGraph,
  type WorkflowRepository,
  type WorkflowStep,
  type WorkflowTransition,
} from '../core/ports/store/workflows.ts'
export type {
  KnownContacts,
  RememberedAnswer,
  WriteBatch,
  WriteBatchOutcome,
  WriteBatchRequest,
  WriteBatchWrites,
} from '../core/ports/store/write-batch.ts'
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
export type { EndOfTry, TracedMail, Traces } from '../core/ports/traces.ts'
export type { EgressRules, WebhookAnswer, WebhookRequest, WebhookSender } from '../core/ports/webhook-sender.ts'
export type { ChangeApiKeyInput, CreateApiKeyInput, NewApiKey, StopKeysInput } from '../core/projects/api-keys.ts'
export type { Caller, InboxVisitor, KeyCaller, MemberCaller, Person } from '../core/projects/caller.ts'
export type { ChangeProjectInput } from '../core/projects/change-project.ts'
export type { Once } from '../core/projects/idempotency.ts'
export type { ReportSummary, ReportsInput, UploadReportInput } from '../core/reports/domain-reports.ts'
export type { AddedFigures, ReceiverFigures, UploadFiguresInput } from '../core/reports/receiver-figures.ts'
export type { FigureNumbers } from '../core/reports/report.ts'
export type { ReportedSource } from '../core/reports/report-sources.ts'
export type { FoundLink } from '../core/sandbox/found-in-mail.ts'
export type { CaughtMail, CaughtMailDetail, ListCaughtInput } from '../core/sandbox/sandbox.ts'
export type { AddSeedMailboxInput, StartSeedTestInput } from '../core/seeds/seed-request.ts'
export type { Added } from '../core/segments/change-members.ts'
export type {
  AddMembersInput,
  ChangeSegmentInput,
  CreateSegmentInput,
  ListMembersInput,
  RemoveMembersInput,
} from '../core/segments/segment.ts'
export type { MemberPage } from '../core/segments/segments.ts'
export type { ContactSegments } from '../core/segments/segments-of-contact.ts'
export type { ProjectSettings } from '../core/settings/project-settings.ts'
export type { Role } from '../core/settings/role.ts'
export type { EngineSettings } from '../core/start/check-settings.ts'
export type {
  Accounts,
  Activities,
  AllSeries,
  Analytics,
  ApiKeys,
  Assistant,
  Audit,
  CampaignArchive,
  CampaignFiling,
  Campaigns,
  CampaignVariants,
  Checks,
  ContactJobs,
  Contacts,
  DataFields,
  DeliveryLog,
  DomainReports,
  Domains,
  DomainTests,
  Events,
  Executions,
  Feedback,
  FirstUser,
  Forms,
  Grants,
  Hooks,
  Inbound,
  InboxAgents,
  InboxDrafts,
  InboxEvents,
  Inboxes,
  InboxForwarding,
  InboxSearch,
  Installation,
  Layouts,
  Leaving,
  MailedLinks,
  MailServers,
  Mails,
  MailTracking,
  Members,
  Operations,
  OwnSessions,
  Presence,
  Projects,
  ProviderLogins,
  Reputation,
  Routes,
  RoutingRules,
  Sandbox,
  SecondFactor,
  Seeds,
  Segments,
  Sending,
  Snippets,
  Submissions,
  Subscriptions,
  Suppressions,
  Templates,
  Threads,
  Topics,
  Unconfirmed,
  Uploads,
  Verification,
  Webhooks,
  Workflows,
} from '../core/start/doors.ts'
export type { HookSettings, TransportSettings } from '../core/start/given-plugins.ts'
export type { SendMessageInput } from '../core/submission/whole-message.ts'
export type { ChangeFormInput, CreateFormInput, ListSubmissionsInput } from '../core/subscriptions/forms/form.ts'
export type { ShownForm, SubmissionWithContact, SubmittedForm } from '../core/subscriptions/forms/forms.ts'
export type { FormChallenge } from '../core/subscriptions/forms/proof-of-work.ts'
export type { FormVisitor } from '../core/subscriptions/forms/submit.ts'
export type { AskToLeaveInput, LeavePage } from '../core/subscriptions/leaving.ts'
export type { ChangeTopicInput, ChooseTopicsInput, CreateTopicInput } from '../core/subscriptions/topic.ts'
export type { ContactTopics, CountedTopic } from '../core/subscriptions/topics.ts'
export type { AwaitedConfirmation } from '../core/subscriptions/unconfirmed.ts'
export type { AddSuppressionInput, SuppressionQueryInput } from '../core/suppressions/suppression.ts'
export type { ImportSuppressionsInput, SuppressionImport } from '../core/suppressions/suppressions.ts'
export type { ContentUses } from '../core/templates/content-uses.ts'
export type { ChangeLayoutInput, CreateLayoutInput } from '../core/templates/layout.ts'
export type { ChangeSnippetInput, CreateSnippetInput, ListContentInput } from '../core/templates/snippet.ts'
export type {
  ChangeTemplateInput,
  CreateTemplateInput,
  ListTemplatesInput,
  PublishDraftInput,
  RenderTemplateInput,
  WriteDraftInput,
} from '../core/templates/template.ts'
export type { TemplateUsage } from '../core/templates/templates.ts'
export type { UploadedImage, UploadImageInput } from '../core/uploads/uploads.ts'
export type { AdviceCode } from '../core/values/advice.ts'
export { CONTACT_SOURCES, type ContactSource } from '../core/values/contact-source.ts'
export type { CopyInput } from '../core/values/copy-name.ts'
export { type LedgerEventName, ledgerEventId } from '../core/values/event-names.ts'
export type {
  FieldKind,
  FieldOf,
  FieldOfContact,
  FieldsOfContact,
  GivenFields,
} from '../core/values/fields-of-contact.ts'
export { type UntrustedInput, untrusted } from '../core/values/input.ts'
export type { Json, JsonObject, Untrusted } from '../core/values/json.ts'
export { readJsonText } from '../core/values/json-text.ts'
export type { Font, Look, ProfileLink } from '../core/values/look.ts'
export { MAIL_FORMATS, type MailFormat, type MailSource } from '../core/values/mail-source.ts'
export type { MailboxInput, NamedAddress } from '../core/values/mailbox.ts'
export { type Hours, WEEKDAYS, type Weekday } from '../core/values/open-hours.ts'
export type {
  CursorInput,
  NumberedPage,
  NumberedRequest,
  Page,
  PageInput,
  PageRequest,
  Position,
} from '../core/values/page.ts'
export { warningsOf } from '../core/values/parse.ts'
export { asProjectId, type ProjectId } from '../core/values/project-id.ts'
export type { StandardIssue, StandardResult, StandardSchema } from '../core/values/standard-schema.ts'
export { SUBSCRIPTION_REASONS, type SubscriptionReason } from '../core/values/subscription-reason.ts'
export { lesserConsent, TRACKING_CONSENTS, type TrackingConsent } from '../core/values/tracking-consent.ts'
export type { Warning } from '../core/values/unknown-keys.ts'
export type { Utm } from '../core/values/utm.ts'
export type { WaitOptions } from '../core/values/wait.ts'
export { ZONE_SOURCES, type ZoneSource } from '../core/values/zone-of-contact.ts'
export type { EmailVerification } from '../core/verification/judge.ts'
export type { VerifyInput } from '../core/verification/verification.ts'
export type { DeliveryDetail, ListDeliveriesInput } from '../core/webhooks/delivery-log.ts'
export type { ChangeWebhookInput, CreateWebhookInput } from '../core/webhooks/read-endpoint.ts'
export type { TestWebhookInput } from '../core/webhooks/test-endpoint.ts'
export type { HostOptions } from '../core/work/host-transaction.ts'
export type {
  ExecutionDetail,
  ListContactExecutionsInput,
  ListExecutionsInput,
  ListedContactExecution,
  StartExecutionInput,
} from '../core/workflows/executions.ts'
export type { TriedStep, TryStepInput } from '../core/workflows/run/try-step.ts'
export {
  STEP_TYPES,
  type StepConfigInput,
  type StepType,
} from '../core/workflows/steps/registry.ts'
export type { WorkflowField } from '../core/workflows/workflow-fields.ts'
export type {
  AddStepInput,
  AddTransitionInput,
  ChangeStepInput,
  ChangeTransitionInput,
  ChangeWorkflowInput,
  CreateWorkflowInput,
  DrawnStepInput,
  RemoveStepInput,
  RemoveTransitionInput,
  WorkflowFieldsInput,
} from '../core/workflows/workflow-request.ts'
export type { WorkflowStats } from '../core/workflows/workflow-stats.ts'
export type { GivenSettings } from './with-defaults.ts'

/**
 * Makes an engine from the given sockets and values. Every socket left out gets its embedded default: SQLite in
 * `./data/mailwright.db`, mail written to `./data/outbox`, a queue and cron in this process, files in
 * `./data/uploads`, the system's resolver, webhooks by HTTP. Without `log`, warnings and errors go to the standard
 * error output; `silentLog` is silent. Mail is accepted at once and delivered after `start`. Throws EngineError
 * `CONFIG_INVALID` with every problem, including unknown keys, before anything is opened; `STORE_LOCKED` when another
 * process has the database.
 */
export async function createEngine(settings: GivenSettings = {}): Promise<Engine> {
  if (typeof settings !== 'object' || settings === null || Array.isArray(settings)) {
    throw configInvalid([{ field: 'settings', code: 'invalid_type', message: 'must be an object' }])
  }
  const older = nodeProblem(process.versions.node)
  if (older !== undefined) throw new EngineError('CONFIG_INVALID', older)
  const complete = await withDefaults(settings)
  const problems = [...unknownSettings(settings), ...settingsProblems(complete)]
  if (problems.length > 0) throw configInvalid(problems)
  for (const warning of removedKeys(settings)) complete.log?.warn(warning)
  return createCoreEngine(complete)
}
export { ACTIVITY_TYPES, type ActivityType } from '../core/values/activity-type.ts'
export { MEMBER_ROLES, type MemberRole } from '../core/values/member-roles.ts'
