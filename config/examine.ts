import { statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { judgeDmarc } from '../core/domains/dmarc.ts'
import { isSpf } from '../core/domains/spf.ts'
import { EngineError } from '../core/errors.ts'
import type { Plugin } from '../core/plugin/types.ts'
import { systemClock } from '../core/ports/clock.ts'
import type { DnsResolver } from '../core/ports/dns-resolver.ts'
import { silentLog } from '../core/ports/log.ts'
import type { EngineSettings } from '../core/start/engine-settings.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { loadConfig } from './load.ts'
import { databaseFile, requireDatabase } from './require-database.ts'

/** What one look at an installation has found. */
export interface Finding {
  /** What was looked at: `store`, `transport main`, `dns example.com` … */
  readonly part: string
  /** `warning`: it works, but something should be done; `unknown`: it could not be looked at. */
  readonly state: 'ok' | 'warning' | 'problem' | 'unknown'
  /** What was found and, unless all is well, what to do. */
  readonly says: string
}

/** How long each look may take, in milliseconds. */
const PATIENCE_MS = 15_000
/** Of more domains, only so many are looked at. */
const MAX_DOMAINS = 50
const GIGABYTE = 1024 ** 3
/** Less than this share of the disk, or fewer bytes, call for room; a tenth of these bytes is a problem. */
const LITTLE = { share: 0.05, bytes: 2 * GIGABYTE }

/**
 * Looks at every part of the configured installation, and tells of each as soon as it is known. Nothing is sent; the
 * database is brought to this version, as by everything that opens it. Throws EngineError `CONFIG_INVALID` when the
 * configuration is wrong.
 */
export async function examine(path: string | undefined, told: (finding: Finding) => void): Promise<void> {
  const { engine, file } = await loadConfig({ path })
  told({ part: 'config', state: 'ok', says: file ?? 'no file; the environment and the defaults' })
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const { dns } = await plugins.open('dns', engine.dns)
    const store = await look('store', () => atStore(engine, plugins))
    told(store.finding)
    told((await look('disk', () => atDisk(engine))).finding)
    for (const [i, given] of engine.transports.entries()) {
      const { name, plugin } = 'plugin' in given ? given : { name: given.name, plugin: given }
      told((await look(`transport ${name ?? plugin.name}`, () => atTransport(plugin, i, plugins))).finding)
    }
    const domains = [...new Set([...trustedDomains(engine), ...(store.domains ?? [])])]
    for (const domain of domains.slice(0, MAX_DOMAINS)) {
      told((await look(`dns ${domain}`, () => atDomain(domain, dns))).finding)
    }
    if (domains.length > MAX_DOMAINS) {
      told({ part: 'dns', state: 'unknown', says: `${domains.length - MAX_DOMAINS} more domains were not looked at` })
    }
  } finally {
    await plugins.close()
  }
}

type Look = Omit<Finding, 'part'> & { readonly domains?: readonly string[] }

/** Looks at one part, not longer than allowed. */
async function look(
  part: string,
  work: () => Promise<Look>,
): Promise<{ readonly finding: Finding; readonly domains?: readonly string[] }> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Look>((resolve) => {
    const says = `gave no answer within ${PATIENCE_MS / 1000} s`
    timer = setTimeout(() => resolve({ state: 'problem', says }), PATIENCE_MS)
  })
  const { domains, ...found } = await Promise.race([work(), late])
    .catch((error): Look => ({ state: 'problem', says: error instanceof Error ? error.message : String(error) }))
    .finally(() => clearTimeout(timer))
  return { finding: { part, ...found }, ...(domains && { domains }) }
}

async function atStore({ store: plugin }: EngineSettings, plugins: OpenPlugins): Promise<Look> {
  const what = plugin.description === undefined ? plugin.name : `${plugin.name} at ${plugin.description}`
  // opening it would make it
  const absent = await requireDatabase({ store: plugin }).then(nothing, (error: Error) => error.message)
  if (absent !== undefined) return { state: 'warning', says: `${absent} The first start of the server makes it.` }
  try {
    const { store } = await plugins.open('store', plugin)
    await store.check()
    const projects = await store.projects.list()
    return {
      state: 'ok',
      says: `${what}: takes writes, ${projects.length} projects`,
      domains: projects.flatMap(({ trustedDomains, verifiedDomains = [] }) => [...trustedDomains, ...verifiedDomains]),
    }
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'STORE_LOCKED') throw error
    return { state: 'ok', says: `${what}: a server has it open; its /health says how it is` }
  }
}

async function atDisk(engine: EngineSettings): Promise<Look> {
  const file = databaseFile(engine)
  const folder = file === undefined ? process.cwd() : dirname(resolve(file))
  const { bavail, blocks, bsize } = await statfs(folder).catch(() => statfs(process.cwd()))
  const free = bavail * bsize
  const says = `${(free / GIGABYTE).toFixed(1)} GB are free of ${((blocks * bsize) / GIGABYTE).toFixed(1)} GB below ${folder}`
  if (free >= LITTLE.bytes && bavail >= LITTLE.share * blocks) return { state: 'ok', says }
  const state = free < LITTLE.bytes / 10 ? 'problem' : 'warning'
  return { state, says: `${says}: make room, since a full disk refuses all mail` }
}

async function atTransport(plugin: Plugin<'transport'>, i: number, plugins: OpenPlugins): Promise<Look> {
  const { transport } = await plugins.open(`transports[${i}]`, plugin)
  const what = plugin.description === undefined ? plugin.name : `${plugin.name} to ${plugin.description}`
  if (transport.check === undefined) {
    return { state: 'unknown', says: `${what}: it can only be tried by sending a mail` }
  }
  await transport.check()
  return { state: 'ok', says: `${what}: in order` }
}

async function atDomain(domain: string, dns: DnsResolver): Promise<Look> {
  const asked = Promise.all([dns.txt(domain), judgeDmarc(domain, 'v=DMARC1; p=none', dns)])
  const answers = await asked.catch(() => undefined)
  if (answers === undefined) return { state: 'unknown', says: 'the name servers do not answer' }
  const [texts, dmarc] = answers
  const spf = texts.filter(isSpf)
  const wrong: string[] = []
  if (spf.length === 0) wrong.push('There is no SPF record: publish the one that GET /domains names.')
  if (spf.length > 1) wrong.push(`There are ${spf.length} SPF records, so none counts: leave only one.`)
  if (dmarc.state !== 'found') wrong.push(dmarc.advice)
  if (wrong.length > 0) return { state: 'warning', says: wrong.join(' ') }
  return { state: 'ok', says: 'SPF and DMARC are published; GET /domains checks them and DKIM in full' }
}

function trustedDomains({ projects = [] }: EngineSettings): readonly string[] {
  return projects.flatMap(({ trustedDomains = [] }) => trustedDomains)
}

function nothing(): undefined {}
