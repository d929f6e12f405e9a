import type { FieldProblem } from '../errors.ts'
import type { BlobStore } from '../ports/blob-store.ts'
import type { Clock } from '../ports/clock.ts'
import type { DnsResolver } from '../ports/dns-resolver.ts'
import type { ForeignApi } from '../ports/foreign-api.ts'
import type { HttpHook } from '../ports/http-hook.ts'
import type { InboundMail } from '../ports/inbound-mail.ts'
import type { LanguageModel } from '../ports/language-model.ts'
import type { Log } from '../ports/log.ts'
import type { MailTransport, ThreadModule } from '../ports/mail-transport.ts'
import type { Queue } from '../ports/queue.ts'
import type { Scheduler } from '../ports/scheduler.ts'
import type { SenderIdentity } from '../ports/sender-identity.ts'
import type { SchemaState } from '../ports/store/schema-state.ts'
import type { Store } from '../ports/store/store.ts'
import type { SubmissionMail } from '../ports/submission.ts'
import type { EgressRules, WebhookSender } from '../ports/webhook-sender.ts'

/** The ports of the engine with their types. */
export interface Ports {
  /** Keeps everything. */
  store: Store
  /** Hands mail over to a next hop. */
  transport: MailTransport
  /** Wakes workers. */
  queue: Queue
  /** Runs tasks again and again. */
  scheduler: Scheduler
  /** Keeps files. */
  blobs: BlobStore
  /** Asks the DNS. */
  dns: DnsResolver
  /** Makes requests to addresses that customers chose. */
  webhooks: WebhookSender
  /** Proves who sends, such as by DKIM. */
  identity: SenderIdentity
  /** Receives mail from outside. */
  inbound: InboundMail
  /** Takes mail of apps by SMTP. */
  submission: SubmissionMail
  /** Reads a provider's requests about sent mail. */
  hook: HttpHook
  /** Translates another service's API into ours. */
  compat: ForeignApi
  /** Writes texts by a language model. */
  assistant: LanguageModel
}

export type PortName = keyof Ports

/** Everything the engine gives a plugin; a plugin can reach nothing else. */
export interface PluginKit {
  /** Where the plugin writes its lines. */
  readonly log: Log
  /** The clock of the engine: ask it for the time. */
  readonly clock: Clock
  /**
   * Only for hooks, transports and other services' APIs: for requests that they make, for example to fetch a provider's
   * key or an attachment, or to hand over a mail. A transport in a thread has none.
   */
  readonly webhooks?: WebhookSender
  /** Only for transports: asks the DNS, as the engine does. A transport in a thread has none. */
  readonly dns?: DnsResolver
}

/** The kit of a plugin that provides these ports: the webhook sender gets its rules, too. */
export type KitOf<Provides extends PortName> = PluginKit &
  ([Provides] extends ['webhooks'] ? { readonly egress: EgressRules } : unknown)

/** The result of `open`: an implementation for each provided port, and how to close them. */
export type Opened<Provides extends PortName> = { readonly [Port in Provides]: Ports[Port] } & {
  /** Called once, at stop, after everything that uses the plugin has stopped. */
  readonly close?: () => Promise<void>
}

/** The facts about a plugin that are known before it is opened. */
export interface PluginFace {
  readonly name: string
  readonly provides: readonly PortName[]
  /** A few words for the log about its setup: a host, a folder. Without secrets. */
  readonly description?: string | undefined
  /** Set when the plugin can also be opened in threads, once in each. */
  readonly inThread?: ThreadModule
  /**
   * For stores that can tell: which migrations the database has, and which it waits for, looked up without changing
   * anything. Throws EngineError when it cannot be looked at.
   */
  readonly schemaState?: () => Promise<SchemaState>
  /** Rejects when what the plugin needs cannot be reached or used, looked at without changing anything. */
  readonly reach?: () => Promise<void>
  /** Every problem of the options, empty when they are valid. `field` is the option's path. */
  problems(): readonly FieldProblem[]
}

/** A plugin with its options, ready to be given to `createEngine`. Nothing is open yet. */
export interface Plugin<Provides extends PortName> extends PluginFace {
  readonly provides: readonly Provides[]
  /** Opens connections and files. Throws when it cannot; the engine then closes what it had opened before. */
  open(kit: KitOf<Provides>): Promise<Opened<Provides>>
}
