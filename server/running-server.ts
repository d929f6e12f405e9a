import type { LoadedConfig } from '../config/index.ts'
import { createEngine, type Engine } from '../core/engine.ts'
import type { PluginFace } from '../core/plugin/types.ts'
import { reloadableApp } from './app.ts'
import { firstStartText } from './first-start.ts'
import { type HttpServer, listen } from './http-server.ts'
import { serverMetrics } from './metrics/make-metrics.ts'
import { Reload } from './reload.ts'
import { startTraces } from './traces/start-traces.ts'
import { version } from './version.ts'

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
    ...(metrics ? { metrics: metrics.source.engine } : {}),
    ...(started ? { traces: started.traces.engine } : {}),
  })
  let http: HttpServer | undefined
  const stop = async () => {
    await http?.close(REQUEST_GRACE_MS)
    await engine.stop()
    await started?.end()
  }
  try {
    const { host, port, trustProxy, corsOrigins, maxConnectionsPerAddress: own, ...clients } = config.server
    const reloadable = reloadableApp(engine, {
      ...config.limits,
      trustProxy,
      corsOrigins,
      operatorKey: config.operator.key,
      metrics,
      traces: started?.traces,
    })
    // Behind a proxy, every connection comes from the proxy's address
    const maxConnectionsPerAddress = trustProxy ? Number.POSITIVE_INFINITY : own
    // The port comes first: if it failed after a project was made, nobody would have seen the keys
    http = await listen(reloadable.app, { host, port, ...clients, maxConnectionsPerAddress }, engine.log)
    // Nobody looks for keys in a worker's output
    const first = engine.role === 'worker' ? undefined : await firstProject(engine, config)
    if (first) print(firstStartText(first, http.url))
    await engine.start()
    engine.log.info('Mailwright is ready', {
      version: version(),
      role: engine.role,
      url: http.url,
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

/** The environment's project is used only if the config names none. */
function firstProject(engine: Engine, config: LoadedConfig): ReturnType<Engine['projects']['applyFirst']> {
  return engine.projects.applyFirst(config.engine.projects?.length ? {} : config.firstProject)
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
