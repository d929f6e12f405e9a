import { AccountMails } from '../accounts/account-mails.ts'
import { Accounts } from '../accounts/accounts.ts'
import { AttemptLimits } from '../accounts/attempt-limits.ts'
import { MailedLinks } from '../accounts/mailed-links.ts'
import { Members } from '../accounts/members.ts'
import { Passwords } from '../accounts/passwords.ts'
import { ProviderLogins } from '../accounts/provider-logins.ts'
import { SecondFactor } from '../accounts/second-factor.ts'
import { Sessions } from '../accounts/sessions.ts'
import { Activities } from '../activity/activity.ts'
import { Analytics } from '../analytics/analytics.ts'
import { Audit } from '../audit/audit.ts'
import { SoftBounces } from '../bounces/soft-bounces.ts'
import { BrakeCampaigns } from '../campaigns/brake-campaigns.ts'
import { Campaigns } from '../campaigns/campaigns.ts'
import { CompleteCampaigns } from '../campaigns/complete-campaigns.ts'
import { ControlCampaigns } from '../campaigns/control-campaigns.ts'
import { DeliverCampaigns } from '../campaigns/deliver-campaigns.ts'
import { FanOutCampaigns } from '../campaigns/fan-out.ts'
import { PreviewCampaigns } from '../campaigns/preview-campaigns.ts'
import { ReadCampaign } from '../campaigns/read-campaign.ts'
import { SkipMails } from '../campaigns/skip-mails.ts'
import { StartCampaigns } from '../campaigns/start-campaigns.ts'
import { CheckMail } from '../checks/check-mail.ts'
import { Fields } from '../contacts/contact-fields.ts'
import { ContactJobs } from '../contacts/contact-jobs.ts'
import { Contacts } from '../contacts/contacts.ts'
import { EraseContacts } from '../contacts/erase-contacts.ts'
import { CampaignWatch } from '../delivery/campaign-watch.ts'
import { ClaimMails } from '../delivery/claim-mails.ts'
import { Deliver } from '../delivery/deliver.ts'
import { DeliverMails } from '../delivery/deliver-mails.ts'
import { LastChecks } from '../delivery/last-checks.ts'
import { Recorder } from '../delivery/recorder.ts'
import { SendingThreads } from '../delivery/threads/sending-threads.ts'
import { Throttle } from '../delivery/throttle.ts'
import { TransportRouter } from '../delivery/transport-router.ts'
import { type InjectionToken, container as root } from '../di.ts'
import { CheckDomains } from '../domains/check-domains.ts'
import { DomainTests } from '../domains/domain-tests.ts'
import { Domains } from '../domains/domains.ts'
import { TestAddresses } from '../domains/test-addresses.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { Events } from '../events/events.ts'
import { ReadEvents } from '../events/read-events.ts'
import { Feedback } from '../feedback/feedback.ts'
import { Hooks } from '../feedback/hooks.ts'
import { Filters } from '../filters/filters.ts'
import { Inbound } from '../inbound/inbound.ts'
import { ReadInbound } from '../inbound/read-inbound.ts'
import { ReceivingHost } from '../inbound/receiving-host.ts'
import { Kit } from '../kit.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { ConfiguredKeys } from '../mail/dkim/configured-keys.ts'
import { KeyRing } from '../mail/dkim/key-ring.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { Signing } from '../mail/dkim/signing.ts'
import { StoredKeys } from '../mail/dkim/stored-keys.ts'
import { Formats } from '../mail/formats/formats.ts'
import { BounceHosts } from '../mail/links/bounce-hosts.ts'
import { LinkHosts } from '../mail/links/link-hosts.ts'
import { LinkSettings, Links } from '../mail/links/links.ts'
import { ReturnPaths } from '../mail/links/return-paths.ts'
import { UnsubscribeAddresses } from '../mail/links/unsubscribe-addresses.ts'
import { Composing } from '../mail/mime/composing.ts'
import { Rendering } from '../mail/render/rendering.ts'
import { MailThreads } from '../mail/thread/mail-threads.ts'
import { Mails } from '../mails/mails.ts'
import { Sending } from '../mails/sending.ts'
import { Operations } from '../operations/operations.ts'
import { BlobStore } from '../ports/blob-store.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { HttpHooks, type NamedHook } from '../ports/http-hook.ts'
import { MailTransports, type NamedTransport } from '../ports/mail-transport.ts'
import { Queue } from '../ports/queue.ts'
import { SenderIdentity } from '../ports/sender-identity.ts'
import { Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { ApiKeys } from '../projects/api-keys.ts'
import { Projects } from '../projects/projects.ts'
import { References } from '../references/references.ts'
import { StepUses } from '../references/step-uses.ts'
import { Reputation } from '../reputation/reputation.ts'
import { Erasing } from '../retention/erasing.ts'
import { Retention } from '../retention/retention.ts'
import { ComputeSegments } from '../segments/compute-segments.ts'
import { LongComputes } from '../segments/long-computes.ts'
import { Segments } from '../segments/segments.ts'
import { Submissions } from '../submission/submissions.ts'
import { Confirmations } from '../subscriptions/confirmations.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { Suppressions } from '../suppressions/suppressions.ts'
import { Layouts } from '../templates/layouts.ts'
import { Snippets } from '../templates/snippets.ts'
import { Templates } from '../templates/templates.ts'
import { Tracking } from '../tracking/tracking.ts'
import { Uploads } from '../uploads/uploads.ts'
import { Verification } from '../verification/verification.ts'
import { DeliverWebhooks } from '../webhooks/deliver-webhooks.ts'
import { DeliveryEnd } from '../webhooks/delivery-end.ts'
import { DeliveryLog } from '../webhooks/delivery-log.ts'
import { EndpointDispatch } from '../webhooks/endpoint-dispatch.ts'
import { EndpointFanOut } from '../webhooks/endpoint-fan-out.ts'
import { RecordDeliveries } from '../webhooks/record-deliveries.ts'
import { Webhooks } from '../webhooks/webhooks.ts'
import { Doorbell } from '../work/doorbell.ts'
import { LeaseWatch } from '../work/lease-watch.ts'
import { Leases } from '../work/leases.ts'
import { WorkLoops } from '../work/work-loops.ts'
import { DispatchEvents } from '../workflows/dispatch/dispatch-events.ts'
import { EditGraph } from '../workflows/edit-graph.ts'
import { EditSteps } from '../workflows/edit-steps.ts'
import { EditTransitions } from '../workflows/edit-transitions.ts'
import { EnableWorkflow } from '../workflows/enable-workflow.ts'
import { Executions } from '../workflows/executions.ts'
import { AnswerWebhooks } from '../workflows/run/answer-webhooks.ts'
import { RunSteps } from '../workflows/run/run-steps.ts'
import { RunWorkflows } from '../workflows/run/run-workflows.ts'
import { StepConfigs } from '../workflows/step-configs.ts'
import { Interpolations } from '../workflows/steps/interpolation.ts'
import { usesOf } from '../workflows/steps/registry.ts'
import { Workflows } from '../workflows/workflows.ts'
import { Recovery } from './recovery.ts'
import { Schedule } from './schedule.ts'

/** How long one rendering may block the event loop, in milliseconds: slower ones are done in a thread. */
const RENDER_MS = 40

/** What the rooms are built on. */
export interface Foundation {
  readonly store: Store
  readonly queue: Queue
  readonly blobs: BlobStore
  readonly dns: DnsResolver
  readonly transports: readonly NamedTransport[]
  readonly webhooks: WebhookSender
  readonly identity: SenderIdentity
  readonly hooks: readonly NamedHook[]
  readonly sealing: Sealing
  readonly links: LinkSettings
  readonly kit: Kit
}

const ROOMS = {
  composing: Composing,
  rendering: Rendering,
  configuredKeys: ConfiguredKeys,
  storedKeys: StoredKeys,
  keyRing: KeyRing,
  signing: Signing,
  mailThreads: MailThreads,
  returnPaths: ReturnPaths,
  testAddresses: TestAddresses,
  bounceHosts: BounceHosts,
  unsubscribeAddresses: UnsubscribeAddresses,
  linkHosts: LinkHosts,
  compiledMails: CompiledMails,
  formats: Formats,
  links: Links,
  projects: Projects,
  apiKeys: ApiKeys,
  filters: Filters,
  references: References,
  fields: Fields,
  contacts: Contacts,
  contactJobs: ContactJobs,
  dispatchTrigger: DispatchTrigger,
  events: Events,
  readEvents: ReadEvents,
  snippets: Snippets,
  layouts: Layouts,
  templates: Templates,
  computeSegments: ComputeSegments,
  longComputes: LongComputes,
  segments: Segments,
  confirmations: Confirmations,
  subscriptions: Subscriptions,
  suppressions: Suppressions,
  leases: Leases,
  doorbell: Doorbell,
  loops: WorkLoops,
  leaseWatch: LeaseWatch,
  sending: Sending,
  mails: Mails,
  sendingThreads: SendingThreads,
  router: TransportRouter,
  throttle: Throttle,
  softBounces: SoftBounces,
  recorder: Recorder,
  lastChecks: LastChecks,
  reputation: Reputation,
  tracking: Tracking,
  feedback: Feedback,
  hooks: Hooks,
  deliver: Deliver,
  claimMails: ClaimMails,
  deliverMails: DeliverMails,
  campaignWatch: CampaignWatch,
  readCampaign: ReadCampaign,
  startCampaigns: StartCampaigns,
  controlCampaigns: ControlCampaigns,
  previewCampaigns: PreviewCampaigns,
  fanOutCampaigns: FanOutCampaigns,
  deliverCampaigns: DeliverCampaigns,
  skipMails: SkipMails,
  completeCampaigns: CompleteCampaigns,
  brakeCampaigns: BrakeCampaigns,
  campaigns: Campaigns,
  recordDeliveries: RecordDeliveries,
  deliverWebhooks: DeliverWebhooks,
  endpointFanOut: EndpointFanOut,
  webhooks: Webhooks,
  deliveries: DeliveryLog,
  operations: Operations,
  verification: Verification,
  interpolations: Interpolations,
  runSteps: RunSteps,
  runWorkflows: RunWorkflows,
  answerWebhooks: AnswerWebhooks,
  dispatchEvents: DispatchEvents,
  executions: Executions,
  stepConfigs: StepConfigs,
  editGraph: EditGraph,
  editSteps: EditSteps,
  editTransitions: EditTransitions,
  enableWorkflow: EnableWorkflow,
  workflows: Workflows,
  checkDomains: CheckDomains,
  domains: Domains,
  domainTests: DomainTests,
  inbound: Inbound,
  readInbound: ReadInbound,
  receivingHost: ReceivingHost,
  submissions: Submissions,
  activity: Activities,
  analytics: Analytics,
  uploads: Uploads,
  checks: CheckMail,
  audit: Audit,
  erasing: Erasing,
  retention: Retention,
  passwords: Passwords,
  sessions: Sessions,
  attemptLimits: AttemptLimits,
  accountMails: AccountMails,
  accounts: Accounts,
  mailedLinks: MailedLinks,
  secondFactor: SecondFactor,
  providerLogins: ProviderLogins,
  members: Members,
  recovery: Recovery,
  schedule: Schedule,
} as const

/** Every room of one engine. */
export type Rooms = { readonly [Name in keyof typeof ROOMS]: InstanceType<(typeof ROOMS)[Name]> }

/**
 * The composition root, and the only user of the container: one child container per engine, every room registered and
 * resolved once. The container would construct an unregistered class silently, so rooms are reachable only from this
 * list.
 */
export function compose(foundation: Foundation): Rooms {
  const container = root.createChildContainer()
  container.register(Store, { useValue: foundation.store })
  container.register(DnsResolver, { useValue: foundation.dns })
  container.register(BlobStore, { useValue: foundation.blobs })
  container.register(Queue, { useValue: foundation.queue })
  container.register(MailTransports, { useValue: foundation.transports })
  container.register(HttpHooks, { useValue: foundation.hooks })
  container.register(WebhookSender, { useValue: foundation.webhooks })
  container.register(SenderIdentity, { useValue: foundation.identity })
  container.register(Sealing, { useValue: foundation.sealing })
  container.register(LinkSettings, { useValue: foundation.links })
  container.register(Kit, { useValue: foundation.kit })
  container.register(StepUses, { useValue: usesOf })
  container.register(DeliveryEnd, { useToken: AnswerWebhooks })
  container.register(EraseContacts, { useToken: Erasing })
  container.register(EndpointDispatch, { useToken: EndpointFanOut })
  const rooms: readonly (readonly [string, InjectionToken<object>])[] = Object.entries(ROOMS)
  for (const [, room] of rooms) container.registerSingleton(room, room)
  // classes that also run in threads do not know the container
  container.register(Rendering, { useValue: new Rendering(RENDER_MS) })
  container.register(Links, { useValue: new Links(foundation.links) })
  return Object.fromEntries(rooms.map(([name, room]) => [name, container.resolve(room)])) as Rooms
}
