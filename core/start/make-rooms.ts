import { Accounts } from '../accounts/accounts.ts'
import { Analytics } from '../analytics/analytics.ts'
import { Assistant } from '../assistant/assistant.ts'
import { SoftBounces } from '../bounces/soft-bounces.ts'
import { CAMPAIGNS, Campaigns } from '../campaigns/campaigns.ts'
import { CheckMail } from '../checks/check-mail.ts'
import { Contacts } from '../contacts/contacts.ts'
import { EraseContacts } from '../contacts/erase-contacts.ts'
import { CampaignWatch } from '../delivery/campaign-watch.ts'
import { MailWork } from '../delivery/mail-work.ts'
import { OfferedMail } from '../delivery/offered-mail.ts'
import { Throttle } from '../delivery/throttle/throttle.ts'
import { SimulatorTransport, Transports } from '../delivery/transports.ts'
import { type InjectionToken, container as root } from '../di.ts'
import { DOMAINS, Domains } from '../domains/domains.ts'
import { DispatchTrigger } from '../events/dispatch-trigger.ts'
import { Events } from '../events/events.ts'
import { AcceptMail } from '../feedback/accept-mail.ts'
import { Feedback } from '../feedback/feedback.ts'
import { LateRefusals } from '../feedback/late-refusals.ts'
import { Reputation } from '../feedback/reputation.ts'
import { Filters } from '../filters/filters.ts'
import { INBOUND, Inbound } from '../inbound/inbound.ts'
import { Inboxes } from '../inboxes/inboxes.ts'
import { Installation } from '../installation/installation.ts'
import { InstallationParts } from '../installation/options.ts'
import { Kit } from '../kit.ts'
import { MAIL } from '../mail/compiled-mails.ts'
import { Sealing } from '../mail/dkim/sealing.ts'
import { Formats } from '../mail/formats/formats.ts'
import { LinkSettings, Links } from '../mail/links/links.ts'
import type { PublicAddress } from '../mail/links/public-address.ts'
import { noteTroubles } from '../mail/note-troubles.ts'
import { Rendering } from '../mail/render/rendering.ts'
import { Mails } from '../mails/mails.ts'
import { Sending } from '../mails/sending.ts'
import { BlobStore } from '../ports/blob-store.ts'
import { DnsResolver } from '../ports/dns-resolver.ts'
import { ForeignApis, type NamedForeignApi } from '../ports/foreign-api.ts'
import { HttpHooks, type NamedHook } from '../ports/http-hook.ts'
import { ModelSocket } from '../ports/language-model.ts'
import { MailTransports, type NamedTransport } from '../ports/mail-transport.ts'
import { Queue } from '../ports/queue.ts'
import { SenderIdentity } from '../ports/sender-identity.ts'
import { Store } from '../ports/store/store.ts'
import { WebhookSender } from '../ports/webhook-sender.ts'
import { NameableTransports } from '../projects/nameable-transports.ts'
import { Projects } from '../projects/projects.ts'
import { References } from '../references/references.ts'
import { StepUses } from '../references/step-uses.ts'
import { Erasing } from '../retention/erasing.ts'
import { RETENTION } from '../retention/retention.ts'
import { Sandbox } from '../sandbox/sandbox.ts'
import { Seeds } from '../seeds/seeds.ts'
import { SEGMENTS, Segments } from '../segments/segments.ts'
import { Simulator } from '../simulator/simulator.ts'
import { Submissions } from '../submission/submissions.ts'
import { Subscriptions } from '../subscriptions/subscriptions.ts'
import { Suppressions } from '../suppressions/suppressions.ts'
import { Templates } from '../templates/templates.ts'
import { Tracking } from '../tracking/tracking.ts'
import { Uploads } from '../uploads/uploads.ts'
import { Verification } from '../verification/verification.ts'
import { DeliveryEnd } from '../webhooks/delivery-end.ts'
import { EndpointDispatch } from '../webhooks/endpoint-dispatch.ts'
import { EndpointFanOut } from '../webhooks/endpoint-fan-out.ts'
import { WEBHOOKS, Webhooks } from '../webhooks/webhooks.ts'
import { Doorbell } from '../work/doorbell.ts'
import { Leases } from '../work/leases.ts'
import { WorkLoops } from '../work/work-loops.ts'
import { AnswerWebhooks } from '../workflows/run/answer-webhooks.ts'
import { usesOf } from '../workflows/steps/registry.ts'
import { WORKFLOWS, Workflows } from '../workflows/workflows.ts'
import { Recovery } from './recovery.ts'

/** How long one rendering may block the event loop, in milliseconds: slower ones are done in a thread. */
const RENDER_MS = 40

/** The foundation of the rooms. */
export interface Foundation {
  readonly store: Store
  readonly queue: Queue
  readonly blobs: BlobStore
  readonly dns: DnsResolver
  readonly transports: readonly NamedTransport[]
  readonly webhooks: WebhookSender
  readonly identity: SenderIdentity
  readonly hooks: readonly NamedHook[]
  readonly compat: readonly NamedForeignApi[]
  readonly assistant: ModelSocket
  readonly sealing: Sealing
  readonly links: PublicAddress
  readonly installation: InstallationParts
  readonly kit: Kit
}

/** The doors, which stand at the top of `engine`. */
export const DOORS = {
  projects: Projects,
  contacts: Contacts,
  events: Events,
  workflows: Workflows,
  templates: Templates,
  segments: Segments,
  campaigns: Campaigns,
  subscriptions: Subscriptions,
  suppressions: Suppressions,
  sending: Sending,
  submissions: Submissions,
  mails: Mails,
  sandbox: Sandbox,
  seeds: Seeds,
  tracking: Tracking,
  feedback: Feedback,
  inbound: Inbound,
  inboxes: Inboxes,
  assistant: Assistant,
  webhooks: Webhooks,
  domains: Domains,
  reputation: Reputation,
  analytics: Analytics,
  verification: Verification,
  accounts: Accounts,
  uploads: Uploads,
  checks: CheckMail,
  installation: Installation,
}

/**
 * The classes that the doors share and those that work behind them: the list of each room that has several such
 * classes.
 */
const INSIDE = {
  ...MAIL,
  nameableTransports: NameableTransports,
  transports: Transports,
  throttle: Throttle,
  campaignWatch: CampaignWatch,
  offeredMail: OfferedMail,
  mailWork: MailWork,
  ...SEGMENTS,
  ...CAMPAIGNS,
  ...WORKFLOWS,
  ...WEBHOOKS,
  ...DOMAINS,
  ...INBOUND,
  ...RETENTION,
  doorbell: Doorbell,
  leases: Leases,
  loops: WorkLoops,
  filters: Filters,
  references: References,
  dispatchTrigger: DispatchTrigger,
  softBounces: SoftBounces,
  recovery: Recovery,
  formats: Formats,
  simulator: Simulator,
}

/** Every class the container makes. The container would make a class that is missing here silently, one for each user. */
export const ROOMS = { ...DOORS, ...INSIDE }

/** The doors and what works behind them. */
export type Rooms = { readonly [Name in keyof typeof ROOMS]: InstanceType<(typeof ROOMS)[Name]> }

/** The composition root, and the only user of the container: one child container per engine, each class made once. */
export function makeRooms(foundation: Foundation): {
  readonly doors: Pick<Rooms, keyof typeof DOORS>
  readonly rooms: Rooms
} {
  const container = root.createChildContainer()
  container.register(Store, { useValue: foundation.store })
  container.register(DnsResolver, { useValue: foundation.dns })
  container.register(BlobStore, { useValue: foundation.blobs })
  container.register(Queue, { useValue: foundation.queue })
  container.register(MailTransports, { useValue: foundation.transports })
  container.register(HttpHooks, { useValue: foundation.hooks })
  container.register(ForeignApis, { useValue: foundation.compat })
  container.register(ModelSocket, { useValue: foundation.assistant })
  container.register(WebhookSender, { useValue: foundation.webhooks })
  container.register(SenderIdentity, { useValue: foundation.identity })
  container.register(Sealing, { useValue: foundation.sealing })
  container.register(LinkSettings, { useValue: foundation.links })
  container.register(InstallationParts, { useValue: foundation.installation })
  container.register(Kit, { useValue: foundation.kit })
  container.register(StepUses, { useValue: usesOf })
  container.register(SimulatorTransport, { useToken: Simulator })
  container.register(DeliveryEnd, { useToken: AnswerWebhooks })
  container.register(AcceptMail, { useToken: Sending })
  container.register(LateRefusals, { useValue: () => container.resolve(Transports).late })
  container.register(EraseContacts, { useToken: Erasing })
  container.register(EndpointDispatch, { useToken: EndpointFanOut })
  for (const room of Object.values<InjectionToken<object>>(ROOMS)) container.registerSingleton(room, room)
  // classes that also run in threads do not know the container
  container.register(Rendering, { useValue: new Rendering(RENDER_MS, noteTroubles(foundation.kit.log)) })
  container.register(Links, { useValue: new Links(foundation.links) })
  const made = (classes: Readonly<Record<string, InjectionToken<object>>>): object =>
    Object.fromEntries(Object.entries(classes).map(([name, room]) => [name, container.resolve(room)]))
  return { doors: made(DOORS) as Pick<Rooms, keyof typeof DOORS>, rooms: made(ROOMS) as Rooms }
}
