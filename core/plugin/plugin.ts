import { EngineError } from '../errors.ts'
import type { ThreadModule } from '../ports/mail-transport.ts'
import type { SchemaState } from '../ports/store/schema-state.ts'
import type { StandardInput, StandardOutput, StandardSchema } from '../values/standard-schema.ts'
import { readOptions } from './options.ts'
import { requireDefinition } from './shape.ts'
import type { KitOf, Opened, Plugin, PortName } from './types.ts'

interface DefinitionWithout<Provides extends PortName, Options> {
  /** Its name in the log and in errors. */
  readonly name: string
  /** The ports it implements: `['transport']`. */
  readonly provides: readonly Provides[]
  /**
   * For transports: where a thread finds the function that this definition makes, `{ module: import.meta.url, export:
   * 'acme' }`. Mails are then made and sent in threads, beside the event loop (`delivery.threads`): the plugin is opened
   * once in each of them, with a copy of its options, and once outside for `check`. Without it mails are sent from the event loop.
   */
  readonly inThread?: Omit<ThreadModule, 'options'>
  /** Describes these options in a few words for the log: a host, a folder. Never a secret. */
  describe?(options: Options): string
  /** For stores: which migrations the database has, and which it waits for. It must not change anything. */
  schemaState?(options: Options): Promise<SchemaState>
  /** Rejects when what it needs cannot be reached or used. It must not change anything. Without it, `open` must be harmless. */
  reach?(options: Options): Promise<void>
  /** Opens an implementation of each port that it provides: `{ transport }`. */
  open(options: Options, kit: KitOf<Provides>): Promise<Opened<Provides>> | Opened<Provides>
}

/** A plugin whose options are read by a schema: of Valibot, Zod, ArkType or any other Standard Schema. */
export interface PluginDefinition<Provides extends PortName, Options extends StandardSchema>
  extends DefinitionWithout<Provides, StandardOutput<Options>> {
  readonly options: Options
}

/** A plugin without a schema: `open` gets the options as they are, an empty object when there are none. */
export interface PlainPluginDefinition<Provides extends PortName, Options>
  extends DefinitionWithout<Provides, Options> {
  readonly options?: undefined
}

/** Options may be left out exactly when an empty object satisfies them. */
type OptionArguments<Input> = Record<never, never> extends Input ? [options?: Input] : [options: Input]

/**
 * Defines a plugin and answers the function that takes its options: `const acme = definePlugin({…})`, then `transports:
 * [acme({ apiKey })]`. The compiler checks `provides` against what `open` answers. The schema reads the options at
 * once, before anything is opened; the engine reports all problems of all plugins at once. Throws EngineError `CONFIG_INVALID` for
 * an incomplete definition.
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
  const { name, provides, options: schema, inThread, schemaState, reach } = definition
  const read = schema === undefined ? { options: given } : readOptions(schema, given)
  const problems = 'problems' in read ? read.problems : []
  const options = () => {
    if ('options' in read) return read.options
    const [first] = read.problems
    throw new EngineError('PLUGIN_INVALID', `${name}: ${first?.field}: ${first?.message}`)
  }
  return {
    name,
    provides,
    get description() {
      return 'options' in read ? definition.describe?.(read.options) : undefined
    },
    ...(inThread && { inThread: { ...inThread, options: given } }),
    ...(schemaState && { schemaState: async () => schemaState.call(definition, options()) }),
    ...(reach && { reach: async () => reach.call(definition, options()) }),
    problems: () => problems,
    open: async (kit) => definition.open(options(), kit),
  }
}
