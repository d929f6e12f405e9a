import { explainQuestion, type RouteExplained, type RouteQuestion } from '../core/delivery/routing/explain.ts'
import { Receivers } from '../core/delivery/routing/receivers.ts'
import { shareOn } from '../core/delivery/routing/rule-ramps.ts'
import { RuleBook } from '../core/delivery/routing/rules.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import { isLent } from '../core/projects/nameable-transports.ts'
import { checkSettings } from '../core/start/check-settings.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { loadConfig } from './load.ts'

/**
 * The way of a mail by the rules of a configuration, and why it is that. Nothing is sent, and only the DNS is asked, where
 * rules name receivers. Throws EngineError `CONFIG_INVALID` when the configuration is wrong.
 */
export async function explainRoute(config: string | undefined, question: RouteQuestion): Promise<RouteExplained> {
  const { engine } = await loadConfig({ path: config })
  const { values, transports } = checkSettings(engine)
  const book = new RuleBook(values.delivery.routes)
  const { project } = question
  const known = values.projects.find(({ id, name }) => project != null && (id === project || name === project))
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    return await explainQuestion(book, question, {
      settings: values,
      usual: transports.map(({ name }) => name),
      project: [known?.id, known?.name],
      // the store, which knows whether it went back, is not opened
      rampOf: async ({ ramp }) => ({ share: shareOn(ramp, systemClock.now()), isBack: false }),
      whose: (name) => {
        const isThere = transports.some((each) => each.name === name)
        return isThere && isLent(values.delivery.mayName, known?.id ?? project ?? undefined, name)
          ? 'shared'
          : undefined
      },
      receiverOf: async (domain) => new Receivers((await plugins.open('dns', engine.dns)).dns).of(domain),
    })
  } finally {
    await plugins.close()
  }
}
