import type { LoadedConfig } from '../../config/index.ts'
import { createEngine, type Engine } from '../../core/engine.ts'
import { isThisMachine } from '../../core/mail/links/public-address.ts'
import type { PluginFace } from '../../core/plugin/types.ts'
import { reloadableApp } from '../app.ts'
import { type HttpServer, listen } from '../http/http-server.ts'
import { serverMetrics } from '../metrics/make-metrics.ts'
import { startTraces } from '../traces/start-traces.ts'
import { version } from '../version.ts'
import { firstStartText, setUpText } from './first-start.ts'
import { Reload } from './reload.ts'
import { startWatchdog } from './watchdog.ts'

/** How long requests under way may take to be answered, in milliseconds; after that, the engine has its own 10 s. */
const REQUEST_GRACE_MS = 5000

/** A running server. */
export interface RunningServer {
  readonly engine: Engine
  readonly url: string
  /**
   * Reads the configuration anew by `load`, and applies its keys and limits. Never rejects: a wrong configuration changes
   * nothing, and the log says what is wrong.
   */
  reload(load: () => Promise<LoadedConfig>): Promise<void>
  /** Answers open requests, finishes work under way, and closes everything. */
  stop(): Promise<void>
}

/**
 * Opens everything and serves. On the very first start, it makes a project and gives `print` its keys, the only time
 * they are shown. Rejects when something does not open, and closes what was opened before.
 */
export async function startServer(config: LoadedConfig, print: (text: string) => void): Promise<RunningServer> {
  const { key } = config.metrics
  const metrics = key === undefined ? undefined : { key, source: await serverMetrics() }
  const started = await startTraces()
  const engine = await createEngine({
    ...config.engine,
    ...withDashboard(config),
    ...(metrics ? { metrics: metrics.source.engine } : {}),
    ...(started ? { traces: started.traces.engine } : {}),
  })
  for (const warning of config.warnings) engine.log.warn(warning)
  let http: HttpServer | undefined
  const stop = async () => {
    // streams of events have no end of their own, and who waits for caught mail would hold up the rest
    engine.inboxes.events.end()
    engine.sandbox.end()
    await http?.close(REQUEST_GRACE_MS)
    await engine.stop()
    await started?.end()
  }
  try {
    const {
      host,
      port,
      publicUrl,
      trustProxy,
      corsOrigins,
      dashboard,
      maxConnectionsPerAddress: own,
      ...clients
    } = config.server
    const reloadable = reloadableApp(engine, {
      ...config.limits,
      trustProxy,
      corsOrigins,
      anyHost: publicUrl === undefined && listensForOthers(host),
      dashboard,
      operatorKey: config.operator.key,
      metrics,
      traces: started?.traces,
    })
    // Behind a proxy, every connection comes from the proxy's address
    const maxConnectionsPerAddress = trustProxy ? Number.POSITIVE_INFINITY : own
    // The port comes first: if it failed after a project was made, the keys would never have been shown
    http = await listen(reloadable.app, { host, port, ...clients, maxConnectionsPerAddress }, engine.log)
    // In a worker's output keys would be overlooked
    const first = engine.role === 'worker' ? undefined : await firstProject(engine, config)
    const link =
      engine.role === 'worker' ? undefined : await engine.accounts.firstUser.link(engine.publicUrl ?? http.url)
    if (first) print(firstStartText(first, firstWishes(config), http.url, link))
    else if (link !== undefined) print(`${setUpText(link)}\n`)
    warnOfOpenDoors(engine, host)
    // before any work, and after the database was brought up to date, which may take long
    startWatchdog(config.log)
    await engine.start()
    engine.log.info('Mailwright is ready', {
      version: version(),
      role: engine.role,
      url: http.url,
      ...(dashboard === false || engine.role === 'worker' ? {} : { dashboard: `${http.url}${dashboard}/` }),
      store: pluginName(config.engine.store),
      transports: config.engine.transports.map(transportName),
      ...(config.file === undefined ? {} : { config: config.file }),
    })
    const reloading = new Reload(config, engine, reloadable)
    return { engine, url: http.url, reload: (load) => reloading.run(load), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The dashboard of this server is where people go on after a login at a provider or a link of a mail, unless the config names another. */
function withDashboard({ engine, server }: LoadedConfig): Pick<LoadedConfig['engine'], 'accounts'> {
  const { accounts, publicUrl } = engine
  if (server.dashboard === false || publicUrl === undefined || accounts?.dashboardUrl !== undefined) return {}
  return { accounts: { ...accounts, dashboardUrl: `${publicUrl}${server.dashboard}/` } }
}

/** Logged at each start: an operator who opened it for a try may have forgotten. */
function warnOfOpenDoors({ accounts, publicUrl, role, log }: Engine, host: string): void {
  const { signup, projects } = accounts.settings
  const isReached = listensForOthers(host) || (publicUrl !== undefined && !isThisMachine(publicUrl))
  if (!signup || !isReached || role === 'worker') return
  const may = projects ? 'sign up, make projects and send mail through this server' : 'sign up on this server'
  log.warn(`anybody may ${may}`, {
    settings: projects ? ['accounts.signup', 'accounts.projects'] : ['accounts.signup'],
    see: 'docs/accounts.md',
  })
}

/** Whether other machines reach what listens on this host. */
function listensForOthers(host: string): boolean {
  const isAnywhere = /^(?:0\.0\.0\.0|::)$/.test(host)
  return isAnywhere || !isThisMachine(`http://${host.includes(':') ? `[${host}]` : host}`)
}

/** The environment's project is used only if the config names none. */
function firstProject(engine: Engine, config: LoadedConfig): ReturnType<Engine['projects']['applyFirst']> {
  return engine.projects.applyFirst(firstWishes(config))
}

function firstWishes({ engine: { projects }, firstProject: wishes }: LoadedConfig): LoadedConfig['firstProject'] {
  return projects?.length ? {} : wishes
}

/** `store-sqlite at ./data/mailwright.db`, as far as it is known. */
function pluginName({ name, description }: PluginFace, preposition = 'at'): string {
  return description === undefined ? name : `${name} ${preposition} ${description}`
}

/** `main: mail-smtp to smtp.example.com:587`, as far as it is known. */
function transportName(given: LoadedConfig['engine']['transports'][number]): string {
  const { name, plugin } = 'plugin' in given ? given : { name: undefined, plugin: given }
  const what = pluginName(plugin, 'to')
  return name === undefined || name === plugin.name ? what : `${name}: ${what}`
}
