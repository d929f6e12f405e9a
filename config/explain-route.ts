import { explainRoute as explain, type RouteExplained } from '../core/delivery/routing/explain.ts'
import { factsOf } from '../core/delivery/routing/facts.ts'
import { Receivers } from '../core/delivery/routing/receivers.ts'
import { type Dimension, RuleBook, reaching } from '../core/delivery/routing/rules.ts'
import { isSimulated } from '../core/mail/simulator-address.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import type { MailClass } from '../core/settings/route-settings.ts'
import { checkSettings } from '../core/start/check-settings.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { domainOf } from '../core/values/email-address.ts'
import { loadConfig } from './load.ts'

/** A mail whose way is asked for. */
export interface RouteQuestion {
  /** The addresses of sender and recipient. */
  readonly from: string
  readonly to: string
  readonly class: MailClass
  /** The id or the name of its project. */
  readonly project?: string | undefined
  /** The id of its template. */
  readonly template?: string | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * The way of a mail by the rules of a configuration, and why it is that. Nothing is sent, and only the DNS is asked, where
 * rules name receivers. Throws EngineError `CONFIG_INVALID` when the configuration is wrong.
 */
export async function explainRoute(config: string | undefined, question: RouteQuestion): Promise<RouteExplained> {
  const { engine } = await loadConfig({ path: config })
  const { values, transports } = checkSettings(engine)
  if (isSimulated(question.to, values)) return { transports: [], notFitting: [], more: 0, toSimulator: true }
  const book = new RuleBook(values.delivery.routes)
  const given = new Map<Dimension, readonly string[]>()
  const set = (dimension: Dimension, ...known: readonly (string | undefined)[]) =>
    given.set(
      dimension,
      known.flatMap((value) => (value === undefined ? [] : reaching(dimension, value))),
    )
  const { project } = question
  const known = values.projects.find(({ id, name }) => project !== undefined && (id === project || name === project))
  set('class', question.class)
  set('project', ...new Set([known?.id, known?.name, project]))
  set('senderDomain', domainOf(question.from))
  set('recipientDomain', domainOf(question.to))
  set('template', question.template)
  for (const [name, value] of Object.entries(question.tags ?? {})) set(`tag ${name}`, value)
  for (const [name, value] of Object.entries(question.headers ?? {})) set(`header ${name.toLowerCase()}`, value)
  const names = transports.map(({ name }) => name)
  if (!book.asks('receiver')) return explain(book, factsOf(given, null), names)
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { dns } = await plugins.open('dns', engine.dns)
    const receiver = await new Receivers(dns).of(domainOf(question.to))
    const explained = explain(book, factsOf(given, receiver ?? null), names)
    return receiver === undefined ? explained : { ...explained, receiver }
  } finally {
    await plugins.close()
  }
}
