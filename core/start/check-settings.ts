import * as v from 'valibot'
import { readableProblems, routeProblems, unknownTransport } from '../delivery/routing/problems.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import type { InstallationSettings } from '../installation/options.ts'
import type { Plugin, PortName } from '../plugin/types.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { type Metrics, noMetrics } from '../ports/metrics.ts'
import { noTraces, type Traces } from '../ports/traces.ts'
import { EngineValues } from '../settings/engine-values.ts'
import { ROLES, type Role } from '../settings/role.ts'
import { fieldProblem } from '../values/parse.ts'
import {
  type CompatSettings,
  type HookSettings,
  pluginProblems,
  readCompat,
  readHooks,
  readReceivers,
  readTransports,
  type TransportSettings,
} from './given-plugins.ts'

/** Everything `createEngine` needs: a plugin for each port, and values. */
export interface EngineSettings extends v.InferInput<typeof EngineValues> {
  /** Where everything is kept. */
  readonly store: Plugin<'store'>
  /** Wakes workers when there is something to do. */
  readonly queue: Plugin<'queue'>
  /** Runs what is done again and again. */
  readonly scheduler: Plugin<'scheduler'>
  /** Where files are kept. */
  readonly blobs: Plugin<'blobs'>
  /** Asks the DNS. */
  readonly dns: Plugin<'dns'>
  /** Makes requests to addresses that customers chose. */
  readonly webhookSender: Plugin<'webhooks'>
  /** Proves sending domains. */
  readonly identity: Plugin<'identity'>
  /** Receives mail; optional. */
  readonly inbound?: readonly Plugin<'inbound'>[]
  /** Takes mail from customers' programs; optional. */
  readonly submission?: readonly Plugin<'submission'>[]
  /** Reads other providers' reports about sent mail over HTTP; optional. */
  readonly hooks?: readonly (Plugin<'hook'> | HookSettings)[]
  /** Other services' APIs, whose clients may send here, each at `/compat/<name>`; absent: none. */
  readonly compat?: readonly (Plugin<'compat'> | CompatSettings)[]
  /** Writes drafts and texts by a language model; absent: the assistant is off. */
  readonly assistant?: Plugin<'assistant'>
  /** In the order they are tried; at least one. */
  readonly transports: readonly (Plugin<'transport'> | TransportSettings)[]
  /**
   * The settings that the operator may change while it runs, in the dashboard: mail servers and the public address.
   * Absent: nothing, and the transports given here are the only ones.
   */
  readonly installation?: InstallationSettings
  /** Where lines are written; absent: nowhere. */
  readonly log?: Log
  /** Told what is counted, for a monitoring system; `serverMetrics` of `mailwright/server` makes one for Prometheus. */
  readonly metrics?: Metrics
  /** Told what to follow, for a system of distributed tracing. */
  readonly traces?: Traces
  /** Tells the time; absent: the clock of the system. */
  readonly clock?: Clock
  /** Default `all`. Others need a store and a queue that several processes can share. */
  readonly role?: Role
}

/** The checked settings: values with their defaults, transports with names. */
export interface CheckedSettings {
  readonly values: EngineValues
  readonly role: Role
  readonly plugins: Pick<
    EngineSettings,
    'store' | 'queue' | 'scheduler' | 'blobs' | 'dns' | 'webhookSender' | 'identity'
  > & {
    readonly inbound: readonly Plugin<'inbound'>[]
    readonly submission: readonly Plugin<'submission'>[]
    readonly assistant: Plugin<'assistant'> | undefined
  }
  readonly transports: readonly Required<TransportSettings>[]
  readonly hooks: readonly Required<HookSettings>[]
  readonly compat: readonly Required<CompatSettings>[]
  /** Its clock is not the system's, so that threads cannot share it. */
  readonly ownClock: boolean
}

/**
 * Checks everything before anything is opened. Throws EngineError `CONFIG_INVALID` whose `fields` name every problem by
 * its place, for example `transports[0].options.host: is required`.
 */
export function checkSettings(settings: EngineSettings): CheckedSettings {
  const problems: FieldProblem[] = []
  const { role = 'all' } = settings
  if (!ROLES.includes(role)) problems.push({ field: 'role', code: 'custom', message: `must be ${ROLES.join(', ')}` })
  problems.push(
    ...methodProblems('log', settings.log, LOG_METHODS),
    ...methodProblems('clock', settings.clock, ['now']),
    ...clockProblems(settings.clock),
    ...methodProblems('metrics', settings.metrics, Object.keys(noMetrics)),
    ...methodProblems('traces', settings.traces, Object.keys(noTraces)),
  )
  const values = v.safeParse(EngineValues, settings)
  if (!values.success) {
    for (const issue of values.issues) problems.push(placed(fieldProblem(issue)))
  }
  const { store, queue, scheduler, blobs, dns, webhookSender, identity } = settings
  const sockets = { store, queue, scheduler, blobs, dns, identity }
  for (const [port, plugin] of Object.entries(sockets)) problems.push(...pluginProblems(port, port as PortName, plugin))
  problems.push(...pluginProblems('webhookSender', 'webhooks', webhookSender))
  const { assistant } = settings
  if (assistant !== undefined) problems.push(...pluginProblems('assistant', 'assistant', assistant))

  const inbound = readReceivers('inbound', settings.inbound, problems)
  const submission = readReceivers('submission', settings.submission, problems)
  const hooks = readHooks(settings.hooks, problems)
  const compat = readCompat(settings.compat, problems)
  const transports = readTransports(settings.transports, problems)
  for (const name of values.success ? Object.keys(values.output.delivery.throttle.transports) : []) {
    const field = `delivery.throttle.transports.${name}`
    if (!transports.some((each) => each.name === name))
      problems.push({ field, code: 'custom', message: 'is not the name of a transport' })
  }
  if (values.success) problems.push(...routesProblems(values.output, transports, settings.installation))
  else if (transports.length > 0)
    problems.push(
      ...readableProblems(
        settings.delivery?.routes,
        transports.map(({ name }) => name),
      ),
    )
  if (values.success) problems.push(...mayNameProblems(values.output, transports, settings.installation))
  if (values.success) problems.push(...doubleOptInProblems(values.output))
  if (values.success && values.output.delivery.projectServers === 'only' && settings.installation === undefined) {
    const message =
      'may be only with `installation`: without it no project can add a mail server, and all mail would wait'
    problems.push({ field: 'delivery.projectServers', code: 'custom', message })
  }
  if (role === 'worker' && values.success && values.output.publicUrl === undefined) {
    const message =
      'is required for the role worker (PUBLIC_URL): a worker puts the links into mails, and an api process serves them'
    problems.push({ field: 'publicUrl', code: 'required', message })
  }
  if (problems.length > 0 || !values.success) throw configInvalid(problems)
  return {
    values: values.output,
    role,
    plugins: { ...sockets, webhookSender, inbound, submission, assistant },
    transports,
    hooks,
    compat,
    ownClock: settings.clock !== undefined,
  }
}

/** Every problem of the settings; empty when they are valid. Nothing is opened. */
export function settingsProblems(settings: EngineSettings): readonly FieldProblem[] {
  try {
    checkSettings(settings)
    return []
  } catch (error) {
    if (EngineError.is(error) && error.code === 'CONFIG_INVALID') return error.fields
    throw error
  }
}

/** The problems of the rules of routing among these transports, which stay the same as long as the engine runs. */
function routesProblems(
  { delivery: { routes } }: EngineValues,
  transports: CheckedSettings['transports'],
  installation: InstallationSettings | undefined,
): readonly FieldProblem[] {
  if (routes.length === 0) return []
  if (installation !== undefined && installation.transportsFrom === undefined) {
    const message =
      'need transports that have names: give them under transports, since those added in the dashboard may change'
    return [{ field: 'delivery.routes', code: 'custom', message }]
  }
  return routeProblems(
    routes,
    transports.map(({ name }) => name),
  )
}

/** Those who may name a transport that is not there; one that is added in the dashboard may come later. */
function mayNameProblems(
  { delivery: { mayName } }: EngineValues,
  transports: CheckedSettings['transports'],
  installation: InstallationSettings | undefined,
): readonly FieldProblem[] {
  if (installation !== undefined && installation.transportsFrom === undefined) return []
  const names = transports.map(({ name }) => name)
  return Object.keys(mayName).flatMap((name): FieldProblem[] => {
    if (names.includes(name)) return []
    return [{ field: `delivery.mayName.${name}`, code: 'custom', message: unknownTransport(name, names) }]
  })
}

/** Whether a sender's domain belongs to its project only the store knows; the projects room checks that. */
function doubleOptInProblems({ projects, publicUrl }: EngineValues): FieldProblem[] {
  if (publicUrl !== undefined) return []
  return projects.flatMap(({ doubleOptIn }, i): FieldProblem[] => {
    const message = 'needs a publicUrl: the mail links to a page of this server'
    return doubleOptIn ? [{ field: `projects[${i}].doubleOptIn`, code: 'custom', message }] : []
  })
}

/** One CONFIG_INVALID with all problems, a line each. */
export function configInvalid(problems: readonly FieldProblem[]): EngineError {
  const lines = problems.map(({ field, message }) => `  ${field}: ${message}`)
  const count = lines.length === 1 ? 'a problem' : `${lines.length} problems`
  return new EngineError('CONFIG_INVALID', `The configuration has ${count}:\n${lines.join('\n')}`, {
    fields: problems,
  })
}

const LOG_METHODS = ['debug', 'info', 'warn', 'error', 'with'] as const

/** Problems of a log, a clock or metrics, for callers without a compiler. */
function methodProblems(field: string, given: unknown, methods: readonly string[]): FieldProblem[] {
  if (given === undefined) return []
  const lacking = methods.filter(
    (method) => typeof given !== 'object' || given === null || typeof Reflect.get(given, method) !== 'function',
  )
  if (lacking.length === 0) return []
  const hint = field === 'log' ? ' (consoleLog of mailwright/plugins/log-console makes one)' : ''
  return [{ field, code: 'custom', message: `must have the methods ${methods.join(', ')}${hint}` }]
}

/** A clock of a host without a compiler may answer milliseconds, which the store would take for no time at all. */
function clockProblems(clock: Partial<Clock> | undefined | null): FieldProblem[] {
  if (typeof clock?.now !== 'function') return []
  const now: unknown = clock.now()
  if (now instanceof Date && !Number.isNaN(now.getTime())) return []
  return [{ field: 'clock.now', code: 'invalid_type', message: 'must answer a valid Date' }]
}

/** The field as written in a config: `transports[0]`, not `transports.0`. */
function placed(problem: FieldProblem): FieldProblem {
  return { ...problem, field: problem.field.replace(/\.(\d+)(?=\.|$)/g, '[$1]') }
}
