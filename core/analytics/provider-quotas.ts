import type { Kit } from '../kit.ts'
import type { NamedTransport, ProviderAllowance } from '../ports/mail-transport.ts'
import { LATE, within } from '../values/within.ts'

/** How long an answer counts, in milliseconds. */
const FRESH_MS = 5 * 60_000
/** How long the operator waits for one. */
const WAIT_MS = 3_000

/** The provider's own figures of a transport, or why there are none. */
export interface ProviderQuotaState extends Partial<ProviderAllowance> {
  readonly transport: string
  /** When they were asked for. */
  readonly at: Date
  /** Why there are none. */
  readonly error?: string
}

/** The figures of providers beside ours. They are kept for minutes, so that looking often asks no provider often. */
export class ProviderQuotas {
  readonly #asked = new WeakMap<
    NamedTransport,
    { readonly until: number; readonly at: Date; readonly answer: Promise<ProviderAllowance> }
  >()

  constructor(private readonly kit: Pick<Kit, 'now'>) {}

  /** Those of the transports whose providers tell. Never rejects. */
  async of(transports: readonly NamedTransport[]): Promise<readonly ProviderQuotaState[]> {
    const telling = transports.filter(({ transport }) => transport.allowance !== undefined)
    return Promise.all(telling.map((named) => this.#one(named)))
  }

  async #one(named: NamedTransport): Promise<ProviderQuotaState> {
    const known = this.#asked.get(named)
    const asked = known !== undefined && performance.now() < known.until ? known : this.#ask(named)
    const about = { transport: named.name, at: asked.at }
    try {
      const answer = await within(WAIT_MS, asked.answer)
      return answer === LATE ? { ...about, error: 'The provider has not answered yet.' } : { ...answer, ...about }
    } catch (error) {
      return { ...about, error: error instanceof Error ? error.message : String(error) }
    }
  }

  #ask(named: NamedTransport) {
    const answer = (async () => {
      const given = await named.transport.allowance?.()
      if (given === undefined) throw new Error('The provider tells nothing.')
      return given
    })()
    answer.catch(() => {})
    const asked = { until: performance.now() + FRESH_MS, at: this.kit.now(), answer }
    this.#asked.set(named, asked)
    return asked
  }
}
