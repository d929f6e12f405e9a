import { basename, dirname } from 'node:path'
import { EngineError, type FieldProblem } from '../core/errors.ts'
import type { Role } from '../core/settings/role.ts'
import { configInvalid, type EngineSettings, settingsProblems } from '../core/start/engine-settings.ts'
import { isJsonObject, type JsonObject } from '../core/values/json.ts'
import { parse } from '../core/values/parse.ts'
import { fillFromEnv, nameOrigin } from './from-env.ts'
import { readKeyFiles } from './key-files.ts'
import { type ConfigSource, readConfigFile } from './read-file.ts'
import { renameDnsServers, resolveSockets } from './resolve-sockets.ts'
import { ConfigValues } from './schema.ts'
import { withSocketDefaults } from './socket-defaults.ts'
import { type Environment, substitute } from './substitute.ts'
import { unknownKeys } from './unknown-keys.ts'
import { withDefaults } from './with-defaults.ts'

export interface LoadOptions {
  /** The config file. Default the first `mailwright.config.*` in `cwd`, or the environment alone. */
  readonly path?: string | undefined
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
  /** For `createEngine`, with every socket filled. */
  readonly engine: EngineSettings
  readonly server: ConfigValues['server']
  readonly limits: ConfigValues['limits']
  readonly auth: ConfigValues['auth']
  readonly firstProject: ConfigValues['firstProject']
  readonly log: ConfigValues['log']
}

/**
 * Reads the config file and the environment, adds the defaults, and checks everything. The file wins over the
 * environment, the environment over the defaults. Throws EngineError `CONFIG_INVALID`, whose `fields` name every
 * problem by its key and whose message has a line for each.
 */
export async function loadConfig(options: LoadOptions = {}): Promise<LoadedConfig> {
  const { path, env = process.env, cwd = process.cwd(), role = 'all', listen = {} } = options
  const source = await readConfigFile(path, cwd)
  const directory = source.file === undefined ? cwd : dirname(source.file)
  const given = { directory, env, role, listen }
  const first = await assemble(source, given, new Set())
  const meantAsNumber = first.problems.filter(({ field, message }) => first.whole.has(field) && NUMERIC.test(message))
  const last =
    meantAsNumber.length === 0 ? first : await assemble(source, given, new Set(meantAsNumber.map(({ field }) => field)))
  if (last.config === undefined) throw configInvalid(last.problems)
  return last.config
}

/** The problem of a text in place of a number or a boolean. */
const NUMERIC = /\b(?:number|boolean|true or false)\b/

interface Assembled {
  /** Undefined when there are problems. */
  readonly config: LoadedConfig | undefined
  readonly problems: readonly FieldProblem[]
  readonly whole: ReadonlySet<string>
}

async function assemble(
  { file, document }: ConfigSource,
  {
    directory,
    env,
    role,
    listen,
  }: Required<Pick<LoadOptions, 'env' | 'role' | 'listen'>> & { readonly directory: string },
  convert: ReadonlySet<string>,
): Promise<Assembled> {
  const read = substitute(document, env, convert)
  const filled = fillFromEnv(listeningAt(asObject(read.value, file), listen), env)
  const keyed = await readKeyFiles(filled.config, directory)
  const values = parseValues(keyed.config)
  const completed = withSocketDefaults(filled.config)
  const sockets = await resolveSockets(completed.config, directory)
  const { server, limits, log, auth, firstProject, ...plain } = values.output ?? parse(ConfigValues, {})
  const settings = await withDefaults({ ...plain, ...linkValues(server, auth, role), ...sockets.settings, role })

  const problems = firstOfEach([
    ...read.problems,
    ...unknownKeys(filled.config),
    ...filled.problems,
    ...keyed.problems,
    ...values.problems.map(keyed.place),
    ...twofold(read.value),
    ...sockets.problems,
    ...(await settingsProblems(settings)).map((problem) => renameDnsServers(atServer(problem), filled.config)),
  ])
    .filter(({ field }) => !completed.filled.some((socket) => field.startsWith(`${socket}.`)))
    .map((problem) => nameOrigin(problem, filled.origins))
  if (problems.length > 0) return { config: undefined, problems, whole: read.whole }
  const { consoleLog } = await import('../plugins/log-console/index.ts')
  const engine = { ...settings, log: consoleLog(log) }
  return { config: { file, engine, server, limits, log, auth, firstProject }, problems, whole: read.whole }
}

/**
 * The values that links are made with. With port 0 the address is not known yet, and a worker's
 * own address serves no links.
 */
function linkValues({ publicUrl, host, port }: ConfigValues['server'], { secret }: ConfigValues['auth'], role: Role) {
  const listening = port === 0 || role === 'worker' ? undefined : `http://${nameOf(host)}:${port}`
  const url = publicUrl ?? listening
  return { ...(url === undefined ? {} : { publicUrl: url }), ...(secret === undefined ? {} : { secret }) }
}

/** A host as it is written in a URL on this machine. */
function nameOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function twofold(document: unknown): FieldProblem[] {
  if (!isJsonObject(document) || document.firstProject === undefined || document.projects === undefined) return []
  return [{ field: 'firstProject', code: 'custom', message: 'cannot stand beside projects: put it there' }]
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

function parseValues(config: JsonObject): { output?: ConfigValues; problems: readonly FieldProblem[] } {
  const values = Object.fromEntries(Object.entries(config).filter(([key]) => Object.hasOwn(ConfigValues.entries, key)))
  try {
    return { output: parse(ConfigValues, values), problems: [] }
  } catch (error) {
    if (!EngineError.is(error)) throw error
    const place = (field: string) => field.replace(/\.(\d+)(?=\.|$)/g, '[$1]')
    return { problems: error.fields.map((problem) => ({ ...problem, field: place(problem.field) })) }
  }
}

/** One problem per field is enough, since further ones mostly follow from it. */
function firstOfEach(problems: readonly FieldProblem[]): FieldProblem[] {
  const byField = new Map<string, FieldProblem>()
  for (const problem of problems) if (!byField.has(problem.field)) byField.set(problem.field, problem)
  return [...byField.values()]
}
