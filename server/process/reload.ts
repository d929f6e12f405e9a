import { isDeepStrictEqual } from 'node:util'
import type { LoadedConfig } from '../../config/index.ts'
import type { Engine } from '../../core/engine.ts'
import type { ReloadableApp } from '../app.ts'

/** The sections of a config that count for a process that runs; the rest counts at its next start. */
const RELOADED: ReadonlySet<string> = new Set(['limits', 'operator', 'metrics', 'projects'])

/** Reads the configuration anew, and applies what may change while the server runs: keys and the limits of requests. */
export class Reload {
  #current: LoadedConfig
  #last: Promise<void> = Promise.resolve()

  constructor(
    config: LoadedConfig,
    private readonly engine: Engine,
    private readonly app: ReloadableApp,
  ) {
    this.#current = config
  }

  /**
   * Applies the configuration that `load` answers, one call after the other. Never rejects: a wrong configuration changes nothing,
   * and the log says what is wrong.
   */
  run(load: () => Promise<LoadedConfig>): Promise<void> {
    this.#last = this.#last.then(() => this.#run(load))
    return this.#last
  }

  async #run(load: () => Promise<LoadedConfig>): Promise<void> {
    const { log } = this.engine
    const before = this.#current
    try {
      const after = await load()
      await this.#applyProjects(before, after)
      const hasMetrics = before.metrics.key !== undefined && after.metrics.key !== undefined
      this.app.change({
        ...after.limits,
        operatorKey: after.operator.key,
        // counting neither begins nor ends while the process runs
        metricsKey: hasMetrics ? after.metrics.key : before.metrics.key,
      })
      const changed = changedSections(before.given, after.given)
      const late = changed.filter((key) => !RELOADED.has(key) || (key === 'metrics' && !hasMetrics))
      // what waits for a restart is said again at the next reload
      this.#current = { ...after, given: { ...after.given, ...picked(before.given, late) } }
      const applied = changed.filter((key) => !late.includes(key))
      log.info('the configuration was reloaded', { applied })
      for (const warning of after.warnings) log.warn(warning)
      if (late.length > 0)
        log.warn('some changes of the configuration take effect only after a restart', { keys: late })
    } catch (error) {
      log.error('the configuration was not reloaded: the previous one stays in force', { error })
    }
  }

  /** Those that changed, since people may have changed others meanwhile. */
  async #applyProjects({ engine: { projects: old = [] } }: LoadedConfig, { engine }: LoadedConfig): Promise<void> {
    const changed = (engine.projects ?? []).filter((each) => !old.some((one) => isDeepStrictEqual(one, each)))
    await this.engine.projects.applySettings(changed)
  }
}

type Given = LoadedConfig['given']

function changedSections(before: Given, after: Given): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...keys].filter((key) => textOf(before[key]) !== textOf(after[key])).sort()
}

/** Without functions: those of a configuration in code differ each time it is read. */
function textOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined // a plugin that refers to itself
  }
}

function picked(given: Given, keys: readonly string[]): Given {
  return Object.fromEntries(keys.map((key) => [key, given[key]]))
}
