import { EngineError, type FieldProblem } from './errors.ts'
import { type ReadOptions, readOptions } from './plugin-options.ts'
import { requireDefinition } from './plugin-shape.ts'
import type { BlobStore } from './ports/blob-store.ts'
import type { Clock } from './ports/clock.ts'
import type { DnsResolver } from './ports/dns-resolver.ts'
import type { HttpHook } from './ports/http-hook.ts'
import type { InboundMail } from './ports/inbound-mail.ts'
import type { Log } from './ports/log.ts'
import type { MailTransport } from './ports/mail-transport.ts'
import type { Queue } from './ports/queue.ts'
import type { Scheduler } from './ports/scheduler.ts'
import type { SenderIdentity } from './ports/sender-identity.ts'
import type { Store } from './ports/store/store.ts'
import type { SubmissionMail } from './ports/submission.ts'
import type { WebhookSender } from './ports/webhook-sender.ts'
import type { StandardInput, StandardOutput, StandardSchema } from './values/standard-schema.ts'

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
  /** For the web-hook sender alone, which is opened last: what requests to addresses that customers chose go by. */
  readonly egress?: {
    readonly dns: DnsResolver
    /** Networks in CIDR notation that may be reached besides public addresses. */
    readonly allow: readonly string[]
  }
  /** For hooks alone: what they ask the world by, a provider's key for example. */
  readonly webhooks?: WebhookSender
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
  open(kit: PluginKit): Promise<Opened<Provides>>
}

interface DefinitionWithout<Provides extends PortName, Options> {
  /** What it is called in the log and in errors. */
  readonly name: string
  /** The sockets it fits into: `['transport']`. */
  readonly provides: readonly Provides[]
  /** Says in a few words what these options mean, for the log: a host, a folder. Never a secret. */
  describe?(options: Options): string
  /** Answers an implementation of each port that it provides: `{ transport }`. */
  open(options: Options, kit: PluginKit): Promise<Opened<Provides>> | Opened<Provides>
}

/** A plugin whose options are read by a schema: of Valibot, Zod, ArkType or any other Standard Schema. */
export interface PluginDefinition<Provides extends PortName, Options extends StandardSchema>
  extends DefinitionWithout<Provides, StandardOutput<Options>> {
  readonly options: Options
}

/** A plugin without a schema: `open` is given the options as they are, an empty object when there are none. */
export interface PlainPluginDefinition<Provides extends PortName, Options>
  extends DefinitionWithout<Provides, Options> {
  readonly options?: undefined
}

/** Options may be left out exactly when an empty object satisfies them. */
type OptionArguments<Input> = Record<never, never> extends Input ? [options?: Input] : [options: Input]

/**
 * Defines a plugin and answers the function that fills in its options: `const acme = definePlugin({…})`, then
 * `transports: [acme({ apiKey })]`. `provides` is checked by the compiler against what `open` answers. The options are
 * read by the schema before anything is opened; the engine reports all problems of all plugins at once. Throws EngineError
 * `CONFIG_INVALID` for a definition that lacks something.
 */
export function definePlugin<const Provides extends PortName, const Options extends StandardSchema>(
  definition: PluginDefinition<Provides, Options>,
): (...given: OptionArguments<StandardInput<Options>>) => Plugin<Provides>
export function definePlugin<const Provides extends PortName, Options = unknown>(
  definition: PlainPluginDefinition<Provides, Options>,
): (...given: OptionArguments<Options>) => Plugin<Provides>
export function definePlugin<Provides extends PortName>(
  definition: DefinitionWithout<Provides, unknown> & { readonly options?: StandardSchema | undefined },
): (given?: unknown) => Plugin<Provides> {
  requireDefinition(definition)
  return (given = {}) => plugin(definition, given)
}

function plugin<Provides extends PortName>(
  definition: DefinitionWithout<Provides, unknown> & { readonly options?: StandardSchema | undefined },
  given: unknown,
): Plugin<Provides> {
  const { name, provides, options: schema } = definition
  let read: ReadOptions<unknown> | undefined
  const found = schema === undefined ? { options: given } : readOptions(schema, given)
  const reading =
    found instanceof Promise
      ? found.then((later) => {
          read = later
        })
      : undefined
  if (!(found instanceof Promise)) read = found
  const problems = () => (read && 'problems' in read ? read.problems : [])
  return {
    name,
    provides,
    get description() {
      return read && 'options' in read ? definition.describe?.(read.options) : undefined
    },
    ...(reading && { reading }),
    problems,
    async open(kit) {
      await reading
      const [first] = problems()
      if (read === undefined || 'problems' in read) {
        throw new EngineError('PLUGIN_INVALID', `${name}: ${first?.field}: ${first?.message}`)
      }
      return definition.open(read.options, kit)
    },
  }
}
