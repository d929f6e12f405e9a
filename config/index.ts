import type { Config } from './schema.ts'

export { type LoadedConfig, type LoadOptions, loadConfig } from './load.ts'
export type { CompatSocket, Config, DnsSocket, HookSocket, Socket, TransportSocket } from './schema.ts'
export type { Environment } from './substitute.ts'

/**
 * Answers the config unchanged, so that an editor checks and completes it: `export default defineConfig({ … })`. A
 * config file may also export a function that answers a config, or a promise of one.
 */
export function defineConfig(config: Config): Config {
  return config
}
