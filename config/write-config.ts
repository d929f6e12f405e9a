import { constants } from 'node:fs'
import { access, mkdir, open, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import * as v from 'valibot'
import { EngineError } from '../core/errors.ts'
import { systemClock } from '../core/ports/clock.ts'
import { silentLog } from '../core/ports/log.ts'
import { checkSettings, type EngineSettings } from '../core/start/check-settings.ts'
import { OpenPlugins } from '../core/start/open-plugins.ts'
import { canonicalDomain, domainOf } from '../core/values/email-address.ts'
import { isOwnNetwork } from '../core/values/ip-address.ts'
import type { Json } from '../core/values/json.ts'
import { MailboxText } from '../core/values/mailbox.ts'
import { readDatabaseUrl } from './database-url.ts'
import { atStore } from './doctor/database.ts'
import { atTransport } from './doctor/examine.ts'
import { look } from './doctor/finding.ts'
import { loadConfig } from './load.ts'
import { relaySpf } from './relay-spf.ts'
import { databaseFile } from './require-database.ts'
import { readSmtpUrl } from './smtp-url.ts'
import { mapTexts } from './substitute.ts'

/** The values of a first configuration. An empty `smtp`: mail is written to files. */
export interface FirstConfig {
  readonly name: string
  readonly domain: string
  readonly publicUrl: string
  readonly smtp: string
  readonly database: string
  readonly from: string
}

/** Where problems with an answer are found. */
const PLACES: Readonly<Record<keyof FirstConfig, RegExp>> = {
  name: /^projects\[0\]\.name/,
  domain: /^projects\[0\]\.trustedDomains/,
  publicUrl: /^server\.publicUrl/,
  smtp: /^transports/,
  database: /^store/,
  from: /^projects\[0\]\.from/,
}

/** The stand-ins for answers that are not given yet. */
const BLANK: FirstConfig = {
  name: 'Acme',
  domain: 'acme.example',
  publicUrl: 'http://localhost:3000',
  smtp: '',
  database: './data/mailwright.db',
  from: '',
}

/** The problem with one answer, as far as can be seen without trying it. `answers` are the earlier ones. */
export async function problemOf(
  key: keyof FirstConfig,
  answer: string,
  answers: Partial<FirstConfig>,
): Promise<string | undefined> {
  if (answer === '' && key === 'domain') return 'is required: the domain mail is sent from'
  const read = key === 'smtp' && answer !== '' ? readSmtpUrl(answer) : key === 'database' && readDatabaseUrl(answer)
  if (read && 'problem' in read) return read.problem
  try {
    await load({ ...BLANK, [key]: answer })
  } catch (error) {
    if (!EngineError.is(error)) throw error
    const problem = error.fields.find(({ field }) => PLACES[key].test(field))
    if (problem) return problem.message
  }
  const domain = answers.domain === undefined ? undefined : canonicalDomain(answers.domain.toLowerCase())
  if (key !== 'from' || domain === undefined) return undefined
  const sender = v.safeParse(MailboxText, answer)
  const own = sender.success ? domainOf(sender.output.email) : ''
  return own === domain ? undefined : `must be an address at ${domain}, such as hello@${domain}`
}

/** Tries the SMTP server or the database. Answers what does not work. */
export async function trialOf(key: keyof FirstConfig, answer: string): Promise<string | undefined> {
  if (key !== 'smtp' && key !== 'database') return undefined
  const { engine } = await load({ ...BLANK, [key]: answer })
  const plugins = new OpenPlugins({ log: silentLog, clock: systemClock })
  try {
    const [transport] = checkSettings(engine).transports
    if (key === 'smtp' && answer !== '' && transport) {
      const { state, says } = await look('transport', () => atTransport(transport, plugins))
      return state === 'problem' ? says : undefined
    }
    if (key === 'smtp') return undefined
    const { state, says } = await look('store', () => atStore(engine, plugins))
    return state === 'problem' ? says : await unwritable(engine)
  } finally {
    await plugins.close()
  }
}

async function unwritable(engine: EngineSettings): Promise<string | undefined> {
  const file = databaseFile(engine)
  if (file === undefined) return undefined
  let folder = dirname(resolve(file))
  let missing: string | undefined
  while (!(await stat(folder).catch(() => undefined))) {
    missing = folder
    folder = dirname(folder)
  }
  try {
    await access(folder, constants.W_OK)
    if (missing === undefined) return undefined
    // only making it says whether it can be made
    await mkdir(missing)
    await rmdir(missing)
    return undefined
  } catch (error) {
    return `${folder} cannot be written to: ${error instanceof Error ? error.message : error}`
  }
}

/** How the SPF record of the domain lets mail out. */
export type RelaySpf =
  | { readonly kind: 'known'; readonly host: string; readonly mechanism: string }
  | { readonly kind: 'ask'; readonly host: string }
  /** Mail leaves from this machine, or not at all. */
  | { readonly kind: 'own' }

/** The SPF that the relay of these answers needs. */
export function spfOf({ smtp }: Pick<FirstConfig, 'smtp'>): RelaySpf {
  const read = smtp === '' ? undefined : readSmtpUrl(smtp)
  const host = read && 'options' in read ? String(read.options.host) : ''
  if (host === '' || host === 'localhost' || isOwnNetwork(host)) return { kind: 'own' }
  const mechanism = relaySpf(host)
  return mechanism === undefined ? { kind: 'ask', host } : { kind: 'known', host, mechanism }
}

/** As the server would read them, whatever the environment says. */
function load(answers: FirstConfig) {
  return loadConfig({ document: plain(documentOf(answers)), env: {} })
}

/** A text that looks like a variable stands for itself. */
function plain(document: unknown): unknown {
  return mapTexts(document, (text) => text.replaceAll('${', () => '$${'), '')
}

function documentOf({ name, domain, from, ...given }: FirstConfig): Record<string, Json> {
  const config: Record<string, Json> = { server: { publicUrl: given.publicUrl } }
  const store = readDatabaseUrl(given.database)
  if (!('problem' in store)) config.store = store
  const smtp = given.smtp === '' ? undefined : readSmtpUrl(given.smtp)
  if (smtp && 'options' in smtp) config.transports = [{ name: 'main', use: 'smtp', options: smtp.options }]
  const spf = spfOf(given)
  // so that GET /domains and the checks ask for it as well
  if (spf.kind === 'known') config.domains = { spf: spf.mechanism }
  config.projects = [{ name, trustedDomains: [domain], ...(from === '' ? {} : { from }) }]
  return config
}

/** Throws EngineError `CONFLICT` when there is a configuration already: asked before anything else is. */
export async function refuseConfig(path: string): Promise<void> {
  if (await stat(resolve(path)).catch(() => undefined)) throw isThere(resolve(path))
}

/**
 * Writes a configuration file, readable by its user alone, and reads it as the server would. Answers its path. Throws
 * EngineError, with no file left: `CONFLICT` when there is one already, `CONFIG_INVALID` with what is wrong.
 */
export async function writeConfig(path: string, answers: FirstConfig): Promise<string> {
  const text = `${JSON.stringify(plain(documentOf(answers)), null, 2)}\n`
  const file = resolve(path)
  await write(file, text)
  try {
    await loadConfig({ path: file })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
  return file
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw isThere(file)
  })
  try {
    await handle.writeFile(text)
  } finally {
    await handle.close()
  }
}

function isThere(file: string): EngineError {
  return new EngineError('CONFLICT', `${file} exists already: change it, or name another file with --config.`)
}
