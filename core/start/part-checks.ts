import type { PartHealth } from '../delivery/transport-checks.ts'
import { LATE, within } from '../values/within.ts'

/** How long a part has to answer its check. */
const ANSWER_MS = 5_000

/**
 * Asks the parts of an engine how they are. A plugin that never answers must not keep the health waiting, nor gather
 * checks: it is asked again only when the last one has ended.
 */
export class PartChecks {
  readonly #running = new Map<string, Promise<void>>()

  /** `nameOf` answers the name of the plugin behind a part. */
  constructor(
    private readonly nameOf: (part: string) => string | undefined,
    private readonly answerMs = ANSWER_MS,
  ) {}

  async health(part: string, check: () => Promise<void>): Promise<PartHealth> {
    try {
      const answer = await within(this.answerMs, this.#ask(part, check))
      if (answer !== LATE) return { ok: true }
      return { ok: false, error: this.#named(part, `its check did not end within ${this.answerMs / 1000} seconds`) }
    } catch (cause) {
      return { ok: false, error: this.#named(part, cause instanceof Error ? cause.message : String(cause)) }
    }
  }

  #ask(part: string, check: () => Promise<void>): Promise<void> {
    const running = this.#running.get(part) ?? (async () => check())().finally(() => this.#running.delete(part))
    this.#running.set(part, running)
    return running
  }

  #named(part: string, problem: string): string {
    const name = this.nameOf(part)
    return name === undefined ? problem : `${name}: ${problem}`
  }
}
