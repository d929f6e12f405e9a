import { basename, dirname } from 'node:path'
import { EngineError, type FieldProblem } from '../core/errors.ts'
import type { Role } from '../core/settings/role.ts'
import { configInvalid, type EngineSettings, settingsProblems } from '../core/start/check-settings.ts'
import { isJsonObject, type JsonObject } from '../core/values/json.ts'
import { parse } from '../core/values/parse.ts'
import { configuredLog } from './configured-log.ts'
import { type FilledConfig, fillFromEnv, nameOrigin, VARIABLES } from './from-env.ts'
import { readKeyFiles } from './key-files.ts'
import { installationSettings } from './mail-server.ts'
import { makeTyped } from './make-typed.ts'
import { readConfigFile } from './read-file.ts'
import { renameDnsServers, resolveSockets } from './resolve-sockets.ts'
import { ConfigValues } from './schema.ts'
import { withSharedReadings, withSocketDefaults } from './socket-defaults.ts'
import { type Environment, type Readings, substitute, variablesIn } from './substitute.ts'
import { removedKeys, unknownKeys } from './unknown-keys.ts'
import { readVariableFiles } from './variable-files.ts'
import { withDefaults } from './with-defaults.ts'

export interface LoadOptions {
  /** The config file. Default the first `mailwright.config.*` in `cwd`, or the environment alone. */
  readonly path?: string | undefined
  /** The content of a file, instead of one. */
  readonly document?: unknown
  /** Default the process's own. */
  readonly env?: Environment
  /** Where `path` and the default file are looked for. Default the process's working directory. */
  readonly cwd?: string
  /** The process's role. Default `all`. */
  readonly role?: Role
  /** Overrides `server.host` and `server.port`, wherever they come from; set by the command line. */
  readonly listen?: { readonly host?: string; readonly port?: number }
}

/** A validated config. Nothing is open yet. */
export interface LoadedConfig {
  /** The file it was read from, if any. */
  readonly file: string | undefined
  /** The values as given, by file and environment, before defaults: to see what changed when it is read again. */
  readonly given: Readonly<Record<string, unknown>>
  /** For `createEngine`, with every socket filled. */
  readonly engine: EngineSettings
  readonly server: ConfigValues['server']
  readonly limits: ConfigValues['limits']
  readonly firstProject: ConfigValues['firstProject']
  readonly log: ConfigValues['log']
  readonly operator: ConfigValues['operator']
  readonly metrics: ConfigValues['metrics']
  /** Warnings about it, although it is valid: settings that are gone. */
  readonly warnings: readonly string[]
}

/**
 * Reads the config file and the environment, adds the defaults, and checks everything. The file wins over the
 * environment, the environment over the defaults. Throws EngineError `CONFIG_INVALID`, whose `fields` name every
 * problem by its key and whose message has a line for each.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const { path, env: given = process.env, cwd = process.cwd(), role = 'all', listen = {} } = options
  const { file, document } =
    options.document === undefined ? await readConfigFile(path, cwd) : { file: undefined, document: options.document }
  const directory = file === undefined ? cwd : dirname(file)
  const { env, problems: unread } = await readVariableFiles(
    given,
    [...Object.keys(VARIABLES), ...variablesIn(document)],
    cwd,
  )
  const read = substitute(document, env)
  const filled = fillFromEnv(listeningAt(asObject(read.value, file), listen), env)
  const keyed = await readKeyFiles(filled.config, directory)
  const values = await parseValues(keyed.config, read.readings)
  const completed = withSocketDefaults(filled.config)
  const readings = withSharedReadings(read.readings, completed.filled)
  const sockets = await resolveSockets(completed.config, directory, readings)
  const { server, limits, log, operator, metrics, firstProject, ...plain } = values.output ?? parse(ConfigValues, {})
  const installation = installationSettings({
    ...whereSet('transportsFrom', 'transports', filled, file),
    ...whereSet('publicUrlFrom', 'server.publicUrl', filled, file),
  })
  const links = linkValues(server, role)
  // a variable may stand for a number there, which nothing has read yet
  const isWritten = ![...read.readings.keys()].some((field) => field.startsWith('delivery.routes.'))
  const delivery = values.output === undefined && isWritten ? withRoutes(plain.delivery, keyed.config) : plain.delivery
  const settings = await withDefaults({ ...plain, delivery, ...links, ...sockets.settings, installation, role })

  const problems = firstOfEach([
    ...unread,
    ...read.problems,
    ...unknownKeys(read.value),
    ...filled.problems,
    ...keyed.problems,
    ...values.problems.map(keyed.place),
    ...sockets.problems,
    ...settingsProblems(settings).map((problem) => renameDnsServers(atServer(problem), filled.config)),
  ])
    .filter(({ field }) => !completed.filled.some(({ socket }) => field.startsWith(`${socket}.`)))
    .map((problem) => nameOrigin(problem, filled.origins))
  if (problems.length > 0) throw configInvalid(problems)
  const engine = { ...settings, log: await configuredLog(log) }
  const warnings = removedKeys(filled.config)
  return { file, given: filled.config, engine, server, limits, log, firstProject, operator, metrics, warnings }
}

/** With the rules as they are written, where some value is wrong: their problems are named beside it. */
function withRoutes(values: ConfigValues['delivery'], { delivery }: JsonObject): ConfigValues['delivery'] {
  const { routes } = isJsonObject(delivery) ? delivery : {}
  return Object.assign({}, values, routes && { routes })
}

/**
 * The values that links are made with. With port 0 the address is not known yet, and a worker's
 * own address serves no links.
 */
function linkValues({ publicUrl, host, port }: ConfigValues['server'], role: Role) {
  const listening = port === 0 || role === 'worker' ? undefined : `http://${nameOf(host)}:${port}`
  const url = publicUrl ?? listening
  return url === undefined ? {} : { publicUrl: url }
}

/** Where a key of the config is set: a variable, or the file; nothing when it is not. */
function whereSet<Name extends string>(
  name: Name,
  key: string,
  { config, origins }: FilledConfig,
  file: string | undefined,
): Partial<Record<Name, string>> {
  const [section = '', inner] = key.split('.')
  const value = inner === undefined ? config[section] : isJsonObject(config[section]) && config[section][inner]
  const from = origins.get(key) ?? basename(file ?? 'config')
  const set: Partial<Record<string, string>> = { [name]: from }
  return value === undefined || value === false ? {} : set
}

/** A host as written in a URL on this machine. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** In a config, the engine's `publicUrl` is under `server`. */
function atServer(problem: FieldProblem): FieldProblem {
  return problem.field === 'publicUrl' ? { ...problem, field: 'server.publicUrl' } : problem
}

function listeningAt(config: JsonObject, listen: NonNullable<LoadOptions['listen']>): JsonObject {
  const { server = {} } = config
  return Object.keys(listen).length > 0 && isJsonObject(server)
    ? { ...config, server: { ...server, ...listen } }
    : config
}

function asObject(value: unknown, file: string | undefined): JsonObject {
  if (isJsonObject(value)) return value
  throw configInvalid([{ field: basename(file ?? 'config'), code: 'invalid_type', message: 'must hold an object' }])
}

/** The plain values of a config, or their problems. */
interface ParsedValues {
  readonly output?: ConfigValues
  readonly problems: readonly FieldProblem[]
}

async function parseValues(config: JsonObject, readings: Readings): Promise<ParsedValues> {
  const values = Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(ConfigValues.entries, key)))
  const parsed = await makeTyped(values, '', readings, { make: tryParse, problems: ({ problems }) => problems })
  const place = (field: string) => field.replace(/\.(\d+)(?=\.|$)/g, '[$1]')
  return { ...parsed, problems: parsed.problems.map((problem) => ({ ...problem, field: place(problem.field) })) }
}

function tryParse(values: JsonObject): ParsedValues {
  try {
    return { output: parse(ConfigValues, values), problems: [] }
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return { problems: error.fields }
  }
}

/** One problem per field is enough, since further ones mostly follow from it. */
function firstOfEach(problems: readonly FieldProblem[]): FieldProblem[] {
  const byField = new Map<string, FieldProblem>()
  for (const problem of problems) if (!byField.has(problem.field)) byField.set(problem.field, problem)
  return [...byField.values()]
}
