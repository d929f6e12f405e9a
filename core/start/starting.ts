import { EngineError } from '../errors.ts'
import type { Log } from '../ports/log.ts'
import { LATE, within } from '../values/within.ts'
import { endInTime, isOfSystem } from './open-plugins.ts'

/** How long a plugin may take to start, in milliseconds. */
const START_MS = 60_000
/** How long mail under way may take to be stored when another part did not start, in milliseconds. */
export const UNDO_GRACE_MS = 5_000
/** How long a part may take to end then, in milliseconds. */
const UNDO_MS = 15_000

/** A start that happens as a whole or not at all: what was begun is ended again when a later part does not start. */
export class Starting {
  readonly #begun: { readonly part: string; end(): Promise<unknown> }[] = []

  /** `nameOf` answers the name of the plugin behind a part. The signal ends the start. */
  constructor(
    private readonly log: Log,
    private readonly nameOf: (part: string) => string | undefined,
    private readonly signal: AbortSignal,
    private readonly startMs = START_MS,
  ) {}

  /** Begins a part, and remembers how to end it. Throws EngineError that names the part and its plugin. */
  async begin(part: string, begin: () => Promise<void>, end?: () => Promise<unknown>): Promise<void> {
    if (this.signal.aborted) throw new EngineError('CONFLICT', 'This engine was stopped before it had started.')
    // first, since a part that fails may have begun with half of it
    if (end) this.#begun.push({ part, end })
    const plugin = this.nameOf(part)
    try {
      if ((await within(this.startMs, (async () => begin())())) === LATE) {
        throw new Error(`it did not start within ${this.startMs / 1000} seconds`)
      }
    } catch (error) {
      throw plugin === undefined ? error : notStarted(`${part}: ${plugin}`, error)
    }
  }

  /** Ends what was begun, the last part first. */
  async undo(): Promise<void> {
    for (const { part, end } of this.#begun.splice(0).reverse()) {
      await endInTime(this.log, { part, plugin: this.nameOf(part) }, end, UNDO_MS)
    }
  }
}

/** Only for a mistake in the plugin's own code does the place in that code matter: `PLUGIN_INVALID` shows it. */
function notStarted(what: string, cause: unknown): EngineError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = EngineError.is(cause) ? cause.code : isOfSystem(cause) ? 'SERVICE_UNAVAILABLE' : 'PLUGIN_INVALID'
  return new EngineError(code, `${what} could not be started: ${reason}`, { cause })
}
