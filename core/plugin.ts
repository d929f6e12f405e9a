import * as v from 'valibot'
import { EngineError, type FieldProblem } from './errors.ts'
import type { BlobStore } from './ports/blob-store.ts'
import type { Clock } from './ports/clock.ts'
import type { DnsResolver } from './ports/dns-resolver.ts'
import type { Log } from './ports/log.ts'
import type { MailTransport } from './ports/mail-transport.ts'
import type { Queue } from './ports/queue.ts'
import type { Scheduler } from './ports/scheduler.ts'
import type { Store } from './ports/store.ts'
import type { WebhookSender } from './ports/webhook-sender.ts'
import { fieldProblem } from './values/parse.ts'

/** The sockets of the engine and what fits into each. */
export interface Ports {
  store: Store
  transport: MailTransport
  queue: Queue
  scheduler: Scheduler
  blobs: BlobStore
  dns: DnsResolver
  webhooks: WebhookSender
}

export type PortName = keyof Ports

/** What the engine gives every plugin: nothing else is reachable from inside one. */
export interface PluginKit {
  readonly log: Log
  readonly clock: Clock
  /** For the web-hook sender alone, which is opened last: what requests to addresses that customers chose go by. */
  readonly egress?: {
    readonly dns: DnsResolver
    /** Networks in CIDR notation that may be reached besides public addresses. */
    readonly allow: readonly string[]
  }
}

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
  readonly description?: string
  /** Every problem of the options, none when they are right. `field` is the option's path. */
  problems(): readonly FieldProblem[]
}

/** A plugin with its options filled in: a value, ready to be given to `createEngine`. Nothing is open yet. */
export interface Plugin<Provides extends PortName> extends PluginFace {
  readonly provides: readonly Provides[]
  /** Opens connections and files. Throws when it cannot; the engine closes what it had opened before. */
  open(kit: PluginKit): Promise<Opened<Provides>>
}

export interface PluginDefinition<Provides extends PortName, Options extends v.GenericSchema> {
  readonly name: string
  readonly provides: readonly Provides[]
  readonly options: Options
  /** Says in a few words what these options mean, for the log: a host, a folder. Never a secret. */
  describe?(options: v.InferOutput<Options>): string
  open(options: v.InferOutput<Options>, kit: PluginKit): Promise<Opened<Provides>> | Opened<Provides>
}

/** Options may be left out exactly when an empty object satisfies them. */
type OptionArguments<Input> = Record<never, never> extends Input ? [options?: Input] : [options: Input]

/**
 * Defines a plugin and answers the function that fills in its options: `const acme = definePlugin({…})`, then
 * `transports: [acme({ apiKey })]`. `provides` is checked by the compiler against what `open` answers. The options are
 * parsed by the schema before anything is opened; the engine reports all problems of all plugins at once.
 */
export function definePlugin<const Provides extends PortName, const Options extends v.GenericSchema>(
  definition: PluginDefinition<Provides, Options>,
): (...given: OptionArguments<v.InferInput<Options>>) => Plugin<Provides> {
  return (...[options]) => {
    const parsed = v.safeParse(definition.options, options ?? {})
    return {
      name: definition.name,
      provides: definition.provides,
      ...(parsed.success && definition.describe ? { description: definition.describe(parsed.output) } : {}),
      problems: () => (parsed.success ? [] : parsed.issues.map(fieldProblem)),
      async open(kit) {
        if (!parsed.success) {
          const [first] = parsed.issues.map(fieldProblem)
          throw new EngineError('PLUGIN_INVALID', `${definition.name}: ${first?.field}: ${first?.message}`)
        }
        return definition.open(parsed.output, kit)
      },
    }
  }
}
