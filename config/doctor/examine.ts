import { loginOf, pluginOf, type StoredMailServer } from '../../core/installation/mail-server.ts'
import { UNREADABLE } from '../../core/installation/mail-servers.ts'
import { linkProblem } from '../../core/mail/links/public-address.ts'
import type { PluginKit } from '../../core/plugin/types.ts'
import { systemClock } from '../../core/ports/clock.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { checkSettings, type EngineSettings } from '../../core/start/check-settings.ts'
import type { TransportSettings } from '../../core/start/given-plugins.ts'
import { OpenPlugins } from '../../core/start/open-plugins.ts'
import { accountMailProblem } from '../account-mail.ts'
import { type LoadedConfig, loadConfig } from '../load.ts'
import { atClock, TIME_SERVER } from './clock.ts'
import { atDisk, atStore, type FoundStore } from './database.ts'
import { type Finding, type Found, look } from './finding.ts'
import { HeardWarnings } from './heard-warnings.ts'
import { atAddedDomain, atReceivingHost, atSendingAddress, atTrustedDomain, type Resolvers } from './names.ts'
import { atHttp, atReceiver, type FoundPort } from './ports.ts'
import type { StoredSettings } from './stored-settings.ts'

/** Of more domains, only so many are looked at. */
const MAX_DOMAINS = 50

/** Of more mail servers of projects, only so many are looked at, and of projects without any so many are named. */
const MAX_PROJECT_SERVERS = 50
const MAX_NAMES = 10

export interface ExamineOptions {
  /** The configuration; without it that of the folder. */
  readonly config?: string | undefined
  /** The time server to compare the clock with, by default `pool.ntp.org`; `none` for none. */
  readonly timeServer?: string | undefined
}

/**
 * Looks at every part of the configured installation, and reports each as soon as it is known. Nothing is sent, and a
 * database of an older version is not changed. Throws EngineError `CONFIG_INVALID` when the configuration is wrong.
 */
export async function examine(
  { config, timeServer = TIME_SERVER }: ExamineOptions,
  told: (finding: Finding) => void,
): Promise<void> {
  const loaded = await loadConfig({ path: config })
  const { engine, file } = loaded
  const { values, transports } = checkSettings(engine)
  told({ part: 'config', state: 'ok', says: file ?? 'no file; the environment and the defaults' })
  for (const says of loaded.warnings) told({ part: 'config', state: 'warning', says })
  const heard = new HeardWarnings()
  const plugins = new OpenPlugins({ log: heard, clock: systemClock })
  try {
    const { dns } = await plugins.open('dns', engine.dns)
    const { identity } = await plugins.open('identity', engine.identity)
    if (timeServer !== 'none') told(await look('clock', () => atClock(timeServer)))
    const {
      projects,
      domains,
      set,
      isTaken = false,
      ...store
    } = await look<FoundStore>('store', () => atStore(engine, plugins))
    told(store)
    told(await look('queue', () => atQueue(engine, plugins)))
    told(await look('disk', () => atDisk(engine)))
    await atPorts(loaded, told)
    const egress = { dns, allow: values.egress.allow }
    const { webhooks } = await plugins.open('webhookSender', engine.webhookSender, { egress })
    const reach: MailTransport['reach'][] = []
    const { servers = [] } = set ?? {}
    const world = { loaded, set, plugins, kit: { webhooks, dns }, allow: values.egress.allow, heard }
    for (const transport of servers.length > 0 ? [] : transports) {
      const found = await look(`transport ${transport.name}`, () =>
        atTransport(transport, plugins, { webhooks, dns }, heard),
      )
      reach.push(found.reach)
      told({ part: found.part, state: found.state, says: found.says })
    }
    for (const server of servers) {
      const found = await look<Reached>(`transport ${server.name}`, () => atServer(server, true, world))
      reach.push(found.reach)
      told({ part: found.part, state: found.state, says: `${found.says} (set in the dashboard)` })
    }
    await atProjects({ projects, mode: values.delivery.projectServers }, world, told)
    const { transportsFrom, publicUrlFrom } = engine.installation ?? {}
    if (isTaken && transportsFrom === undefined)
      told({ part: 'mail servers', state: 'unknown', says: `those that were set in the dashboard ${UNREAD}` })
    const publicUrl = set?.publicUrl ?? values.publicUrl
    const lost = linkProblem(publicUrl, reach)
    const from = set?.publicUrl === undefined ? '' : ' (set in the dashboard)'
    const at = publicUrl === undefined ? 'no mail can have any: set PUBLIC_URL' : `lead to ${publicUrl}${from}`
    if (isTaken && publicUrlFrom === undefined)
      told({ part: 'links', state: 'unknown', says: `the public address, if it was set in the dashboard, ${UNREAD}` })
    else told({ part: 'links', state: lost || publicUrl === undefined ? 'warning' : 'ok', says: lost?.message ?? at })
    const problem = accountMailProblem(
      publicUrl === undefined ? loaded : { ...loaded, engine: { ...engine, publicUrl } },
      projects,
    )
    told({
      part: 'account mail',
      state: problem === undefined ? 'ok' : 'warning',
      says: problem === undefined ? 'has a sender' : `cannot be sent: ${problem}`,
    })
    const added = domains ?? []
    const trusted = projects?.flatMap(({ trustedDomains }) => trustedDomains)
    const known = new Set(
      [...configured(engine), ...(trusted ?? [])].filter((name) => !added.some(({ domain }) => domain === name)),
    )
    await atNames({ added, known: [...known] }, { dns, identity, values }, told)
  } finally {
    await plugins.close()
  }
}

/** Looks whether everything that listens can do so; a port of 0 is any that is free. */
async function atPorts({ server, engine }: LoadedConfig, told: (finding: Finding) => void): Promise<void> {
  const { isRunning = false, ...http } = await look<FoundPort>('http', () => atHttp(server))
  if (server.port !== 0) told(http)
  for (const plugin of engine.inbound ?? []) told(await look('inbound', () => atReceiver(plugin, isRunning)))
  for (const plugin of engine.submission ?? []) told(await look('submission', () => atReceiver(plugin, isRunning)))
}

/** Why a setting of the database is not known. */
const UNREAD = 'could not be read, since a server has the database open: its dashboard and its /health show them'

type Reached = Found & Pick<MailTransport, 'reach'>

/** The parts that a look at a mail server needs. */
interface World {
  readonly loaded: LoadedConfig
  readonly set: StoredSettings | undefined
  readonly plugins: OpenPlugins
  readonly kit: Pick<PluginKit, 'webhooks' | 'dns'>
  /** Networks that may be connected to besides public addresses. */
  readonly allow: readonly string[]
  readonly heard: HeardWarnings
}

/** Looks whether a mail server takes mail that was set while the server ran. */
async function atServer(
  server: StoredMailServer,
  anywhere: boolean,
  { loaded, set, plugins, kit, allow, heard }: World,
): Promise<Reached> {
  const { installation } = loaded.engine
  const login = set && (await loginOf(server, set.sealing))
  if (login === undefined || installation === undefined) return { state: 'problem', says: UNREADABLE }
  const plugin = pluginOf(login, installation, { anywhere, allow })
  return atTransport({ name: server.name, plugin }, plugins, kit, heard)
}

interface OfProjects {
  readonly projects: FoundStore['projects']
  readonly mode: 'on' | 'off' | 'only'
}

/** Looks at the mail servers that projects have of their own, which take their mail first. */
async function atProjects(
  { projects = [], mode }: OfProjects,
  world: World,
  told: (finding: Finding) => void,
): Promise<void> {
  if (mode === 'off') return
  const all = world.set?.ofProjects ?? []
  for (const { project, server } of all.slice(0, MAX_PROJECT_SERVERS)) {
    const part = `transport ${server.name} of ${project}`
    const { state, says } = await look<Reached>(part, () => atServer(server, server.anywhere === true, world))
    // it is their trouble alone: the installation has no problem
    told({ part, state: state === 'problem' ? 'warning' : state, says })
  }
  if (all.length > MAX_PROJECT_SERVERS) {
    const says = `${all.length - MAX_PROJECT_SERVERS} more of projects were not looked at`
    told({ part: 'mail servers', state: 'unknown', says })
  }
  const without = projects.filter(({ name }) => mode === 'only' && !all.some(({ project }) => project === name))
  if (without.length === 0) return
  const names = without.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = without.length > MAX_NAMES ? ` and ${without.length - MAX_NAMES} more` : ''
  const says = `delivery.projectServers is "only", and the mail of these projects waits, since they have none: ${names.join(', ')}${more}`
  told({ part: 'mail servers', state: 'warning', says })
}

interface Names {
  readonly added: NonNullable<FoundStore['domains']>
  readonly known: readonly string[]
}

async function atNames({ added, known }: Names, resolvers: Resolvers, told: (finding: Finding) => void): Promise<void> {
  const { dns, values } = resolvers
  const hosts = new Set([values.feedback.returnPathHost, values.domains.returnPathHost, values.domains.inboundHost])
  const looks: readonly (readonly [name: string, work: () => Promise<Found>])[] = [
    ...[...hosts].flatMap((host) => (host ? [[host, () => atReceivingHost(host, dns)] as const] : [])),
    ...added.map((domain) => [domain.domain, () => atAddedDomain(domain, resolvers)] as const),
    ...known.map((domain) => [domain, () => atTrustedDomain(domain, dns)] as const),
  ]
  for (const address of values.domains.sendingAddresses)
    told(await look(`block lists ${address}`, () => atSendingAddress(address, values.domains.blocklists, dns)))
  for (const [name, work] of looks.slice(0, MAX_DOMAINS)) told(await look(`dns ${name}`, work))
  if (looks.length > MAX_DOMAINS) {
    told({ part: 'dns', state: 'unknown', says: `${looks.length - MAX_DOMAINS} more domains were not looked at` })
  }
}

/** Looks whether the queue can be used. */
async function atQueue({ queue: plugin }: EngineSettings, plugins: OpenPlugins): Promise<Found> {
  if (plugin.reach) await plugin.reach()
  else await (await plugins.open('queue', plugin)).queue.check()
  return { state: 'ok', says: `${plugin.name}: in order` }
}

/** Looks whether a transport takes mail, its login included. Those that send by HTTP need `webhooks`, those to MX servers `dns`. */
export async function atTransport(
  { name, plugin }: Pick<Required<TransportSettings>, 'name' | 'plugin'>,
  plugins: OpenPlugins,
  kit: Pick<PluginKit, 'webhooks' | 'dns'> = {},
  heard = new HeardWarnings(),
): Promise<Reached> {
  heard.take()
  const { transport } = await plugins.open(`transport ${name}`, plugin, kit)
  const what = plugin.description === undefined ? plugin.name : `${plugin.name} to ${plugin.description}`
  if (transport.check === undefined) {
    return { state: 'unknown', says: `${what}: it can only be tried by sending a mail`, ...reachOf(transport) }
  }
  // an SMTP client waits long for a greeting that a web server never sends
  await Promise.all([plugin.reach?.(), transport.check()])
  const warnings = heard.take()
  const says = warnings.length === 0 ? 'in order' : warnings.join('. ')
  return { state: warnings.length === 0 ? 'ok' : 'warning', says: `${what}: ${says}`, ...reachOf(transport) }
}

function reachOf({ reach }: MailTransport): Pick<MailTransport, 'reach'> {
  return reach === undefined ? {} : { reach }
}

function configured({ projects = [] }: EngineSettings): readonly string[] {
  return projects.flatMap(({ trustedDomains = [] }) => trustedDomains)
}
