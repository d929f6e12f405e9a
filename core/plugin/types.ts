import type { FieldProblem } from '../errors.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { HttpHook } from '../ports/http-hook.ts'
import type { InboundMail } from '../ports/inbound-mail.ts'
import type { Log } from '../ports/log.ts'
import type { MailTransport } from '../ports/mail-transport.ts'
import type { Queue } from '../ports/queue.ts'
import type { Scheduler } from '../ports/scheduler.ts'
import type { SenderIdentity } from '../ports/sender-identity.ts'
import type { Store } from '../ports/store/store.ts'
import type { SubmissionMail } from '../ports/submission.ts'
import type { EgressRules, WebhookSender } from '../ports/webhook-sender.ts'

/** The sockets of the engine and what fits into each. */
export interface Ports {
  store: Store
  transport: MailTransport
  queue: Queue
  scheduler: Scheduler
  blobs: BlobStore
  dns: DnsResolver
  webhooks: WebhookSender
  identity: SenderIdentity
  inbound: InboundMail
  submission: SubmissionMail
  hook: HttpHook
}

export type PortName = keyof Ports

/** What the engine gives every plugin: nothing else is reachable from inside one. */
export interface PluginKit {
  readonly log: Log
  readonly clock: Clock
  /** For hooks alone: what they ask the world by, a provider's key for example. */
  readonly webhooks?: WebhookSender
}

/** The kit of a plugin that provides these ports: the sender of webhooks, which is opened last, is given its rules too. */
export type KitOf<Provides extends PortName> = PluginKit &
  ([Provides] extends ['webhooks'] ? { readonly egress: EgressRules } : unknown)

/** What `open` answers: an implementation for each provided port, and how to close what was opened. */
export type Opened<Provides extends PortName> = { readonly [Port in Provides]: Ports[Port] } & {
  /** Called once, at stop, after everything that uses the plugin has stopped. */
  readonly close?: () => Promise<void>
}

/** What can be asked of a plugin of whatever kind before it is opened. */
export interface PluginFace {
  readonly name: string
  readonly provides: readonly PortName[]
  /** What it is set up to do, in a few words for the log: a host, a folder. Without secrets. */
  readonly description?: string | undefined
  /** Present while a schema that looks something up reads the options; `problems` knows them when it has resolved. */
  readonly reading?: Promise<unknown>
  /** Every problem of the options, none when they are right. `field` is the option's path. */
  problems(): readonly FieldProblem[]
}

/** A plugin with its options filled in: a value, ready to be given to `createEngine`. Nothing is open yet. */
export interface Plugin<Provides extends PortName> extends PluginFace {
  readonly provides: readonly Provides[]
  /** Opens connections and files. Throws when it cannot; the engine closes what it had opened before. */
  open(kit: KitOf<Provides>): Promise<Opened<Provides>>
}
