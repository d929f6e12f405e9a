import * as v from 'valibot'
import { DomainSettings } from './domains/domain-settings.ts'
import { EngineError, type FieldProblem } from './errors.ts'
import { isNamed, pluginProblems, readHooks, readReceivers, readTransports } from './given-plugins.ts'
import type { Plugin, PortName } from './plugin.ts'
import { isPlugin } from './plugin-shape.ts'
import type { Clock } from './ports/clock.ts'
import type { Log } from './ports/log.ts'
import { ProjectSettings } from './projects/project.ts'
import { ReputationSettings } from './reputation/reputation-settings.ts'
import { RetentionSettings } from './retention/retention-settings.ts'
import { ROLES, type Role } from './role.ts'
import { ThrottleSettings } from './sending/throttle-settings.ts'
import { DkimKeys } from './signing/dkim-settings.ts'
import { Cidr } from './values/cidr.ts'
import { fieldProblem } from './values/parse.ts'

/** So many seconds a lease must outlast the longest try: to fill in the mail, to give it up, and to write that down. */
const LEASE_MARGIN = 10

/** A name of the DNS, in the form it has on the wire. */
const HostName = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  v.maxLength(200),
  v.regex(
    /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/,
    'must be a host name such as bounces.example.com',
  ),
)

const seconds = v.pipe(v.number(), v.minValue(0), v.maxValue(30 * 86_400))

/** The plain values of the settings, each with its default; all times are in seconds. */
export const EngineValues = v.object({
  /** Projects to make or bring up to date at start. */
  projects: v.optional(
    v.pipe(
      v.array(ProjectSettings),
      v.check((projects) => areDifferent(projects), 'custom: names a project twice (by id or name)'),
    ),
    [],
  ),
  /** How the world reaches the HTTP server: where the links in mails lead. Without it mails have none and are not tracked. */
  publicUrl: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL'),
      v.transform((text) => text.replace(/\/+$/, '')),
    ),
  ),
  /** Signs the links in mails, and encrypts the keys of domains. Without it one is made and kept in the store. */
  secret: v.optional(v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters'))),
  /** Keys that sign mail (DKIM, RFC 6376). */
  dkim: v.optional(DkimKeys, []),
  delivery: v.optional(
    v.object({
      /** Pauses before the second, third … try of a mail that was put off; after the last of them it has failed. */
      retryDelays: v.optional(v.array(seconds), [60, 120, 240, 480, 960, 1920, 3840, 7680]),
      /** A mail that was not delivered so long after it was due first has failed, whatever it waits for. */
      expireAfter: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(365 * 86_400)), 259_200),
      /** How long one try may take; RFC 5321, section 4.5.3.2.6, wants ten minutes for the reply to a message. */
      sendTimeout: v.optional(v.pipe(seconds, v.minValue(1)), 660),
      /** How long a claimed mail is held by its worker; at least 10 seconds more than `sendTimeout`. */
      lease: v.optional(v.pipe(seconds, v.minValue(2)), 900),
      /** How much mail goes out at most; nothing is limited without it. */
      throttle: v.optional(ThrottleSettings, {}),
    }),
    {},
  ),
  campaigns: v.optional(
    v.object({
      /** A scheduled campaign that could not be started for so many minutes is paused, not sent in a rush. */
      maxOverdueMinutes: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(525_600)), 60),
    }),
    {},
  ),
  tracking: v.optional(
    v.object({
      /** Whether openings and clicks after the first of a mail have an event too. */
      emitRepeats: v.optional(v.boolean(), false),
    }),
    {},
  ),
  feedback: v.optional(
    v.object({
      /** The host that takes our bounces: the domain of the return path. Without it it is looked for; `null`: bounces go to the sender's address. */
      returnPathHost: v.nullish(HostName),
      /** An address is suppressed when so many mails to it in a row, within so many days, could not be delivered for the moment. */
      softBounces: v.optional(
        v.object({
          count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100)), 5),
          days: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(365)), 14),
        }),
        {},
      ),
    }),
    {},
  ),
  segments: v.optional(
    v.object({
      /** How often the members of tracked dynamic segments are computed, and those of the others counted. */
      computeEverySeconds: v.optional(v.pipe(seconds, v.minValue(1)), 300),
    }),
    {},
  ),
  webhooks: v.optional(
    v.object({
      /** Pauses before the second, third … try of a request that failed; after the last of them it has failed for good. */
      retryDelays: v.optional(v.pipe(v.array(seconds), v.maxLength(50)), [5, 30, 300, 1800, 7200]),
      /** An endpoint all of whose deliveries have failed for so many days is paused. */
      pauseAfterDays: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(365)), 5),
    }),
    {},
  ),
  /** How sending domains are proven and checked. */
  domains: v.optional(DomainSettings, {}),
  verification: v.optional(
    v.object({
      /** How long the check of an address waits for the DNS; what is not known then cannot be told. */
      timeout: v.optional(v.pipe(v.number(), v.minValue(0.1), v.maxValue(30)), 4.5),
      /** How many addresses of one project are looked up at the same time; more wait for their turn. */
      lookUpsPerProject: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)), 20),
    }),
    {},
  ),
  /** From which bounce and complaint rates on operators are warned and marketing mail is stopped. */
  reputation: v.optional(ReputationSettings, {}),
  /** After how many days what is removed for good. */
  retention: v.optional(RetentionSettings, {}),
  egress: v.optional(
    v.object({
      /** Networks that requests to addresses of customers may reach besides public addresses: `10.1.0.0/16`. */
      allow: v.optional(v.array(Cidr), []),
    }),
    {},
  ),
})
export type EngineValues = v.InferOutput<typeof EngineValues>
/** The token under which rooms are given the values. */
export const Values = Symbol('Values')

/** A transport with the name it has in logs and records. Without a name the plugin's own is taken. */
export interface TransportSettings {
  readonly name?: string
  readonly plugin: Plugin<'transport'>
}

/** A hook with the name it has in its path, `/hooks/<name>`. Without a name the plugin's own is taken. */
export interface HookSettings {
  readonly name?: string
  readonly plugin: Plugin<'hook'>
}

/** Everything `createEngine` needs: a plugin for each socket, and values. */
export interface EngineSettings extends v.InferInput<typeof EngineValues> {
  readonly store: Plugin<'store'>
  readonly queue: Plugin<'queue'>
  readonly scheduler: Plugin<'scheduler'>
  readonly blobs: Plugin<'blobs'>
  readonly dns: Plugin<'dns'>
  readonly webhookSender: Plugin<'webhooks'>
  /** What proves sending domains. */
  readonly identity: Plugin<'identity'>
  /** What receives mail; none without it. */
  readonly inbound?: readonly Plugin<'inbound'>[]
  /** Where programs of customers hand in mail; none without it. */
  readonly submission?: readonly Plugin<'submission'>[]
  /** What reads what other providers tell by HTTP of mail that was sent; none without it. */
  readonly hooks?: readonly (Plugin<'hook'> | HookSettings)[]
  /** In the order they are tried; at least one. */
  readonly transports: readonly (Plugin<'transport'> | TransportSettings)[]
  readonly log?: Log
  readonly clock?: Clock
  /** `all` without it. Another needs a store and a queue that several processes share. */
  readonly role?: Role
}

/** The settings after the check: values with their defaults, transports with names. */
export interface CheckedSettings {
  readonly values: EngineValues
  readonly role: Role
  readonly plugins: Pick<
    EngineSettings,
    'store' | 'queue' | 'scheduler' | 'blobs' | 'dns' | 'webhookSender' | 'identity'
  > & { readonly inbound: readonly Plugin<'inbound'>[]; readonly submission: readonly Plugin<'submission'>[] }
  readonly transports: readonly Required<TransportSettings>[]
  readonly hooks: readonly Required<HookSettings>[]
}

/**
 * Looks at everything before anything is opened. Throws EngineError `CONFIG_INVALID` whose `fields` name every problem
 * by its place, for example `transports[0].options.host: is required`.
 */
export function checkSettings(settings: EngineSettings): CheckedSettings {
  const problems: FieldProblem[] = []
  const { role = 'all' } = settings
  if (!ROLES.includes(role)) problems.push({ field: 'role', code: 'custom', message: `must be ${ROLES.join(', ')}` })
  problems.push(
    ...methodProblems('log', settings.log, LOG_METHODS),
    ...methodProblems('clock', settings.clock, ['now']),
  )
  const values = v.safeParse(EngineValues, settings)
  if (!values.success) {
    for (const issue of values.issues) problems.push(placed(fieldProblem(issue)))
  }
  const { store, queue, scheduler, blobs, dns, webhookSender, identity } = settings
  const sockets = { store, queue, scheduler, blobs, dns, identity }
  for (const [port, plugin] of Object.entries(sockets)) problems.push(...pluginProblems(port, port as PortName, plugin))
  problems.push(...pluginProblems('webhookSender', 'webhooks', webhookSender))

  const inbound = readReceivers('inbound', settings.inbound, problems)
  const submission = readReceivers('submission', settings.submission, problems)
  const hooks = readHooks(settings.hooks, problems)
  const transports = readTransports(settings.transports, problems)
  if (values.success && values.output.delivery.lease < values.output.delivery.sendTimeout + LEASE_MARGIN) {
    const message = `must be at least ${LEASE_MARGIN} seconds longer than delivery.sendTimeout`
    problems.push({ field: 'delivery.lease', code: 'custom', message })
  }
  for (const name of values.success ? Object.keys(values.output.delivery.throttle.transports) : []) {
    const field = `delivery.throttle.transports.${name}`
    if (!transports.some((each) => each.name === name))
      problems.push({ field, code: 'custom', message: 'is not the name of a transport' })
  }
  if (values.success) problems.push(...doubleOptInProblems(values.output))
  if (role === 'worker' && values.success && values.output.publicUrl === undefined) {
    const message =
      'is required for the role worker (PUBLIC_URL): a worker puts the links into mails, and an api process serves them'
    problems.push({ field: 'publicUrl', code: 'required', message })
  }
  if (problems.length > 0 || !values.success) throw configInvalid(problems)
  return {
    values: values.output,
    role,
    plugins: { ...sockets, webhookSender, inbound, submission },
    ...{ transports, hooks },
  }
}

/**
 * Every problem of the settings, also of options whose schema looks something up; none when they are right. Nothing is
 * opened.
 */
export async function settingsProblems(settings: EngineSettings): Promise<readonly FieldProblem[]> {
  await optionsRead(settings)
  try {
    checkSettings(settings)
    return []
  } catch (error) {
    if (EngineError.is(error) && error.code === 'CONFIG_INVALID') return error.fields
    throw error
  }
}

/** Answers when the options of every plugin are read. */
export async function optionsRead(settings: EngineSettings): Promise<void> {
  const { store, queue, scheduler, blobs, dns, webhookSender, identity, ...lists } = settings
  const listed = [lists.transports, lists.inbound, lists.submission, lists.hooks].flatMap(
    (list): readonly unknown[] => list ?? [],
  )
  const plugins = [
    ...[store, queue, scheduler, blobs, dns, webhookSender, identity],
    ...listed.map((each) => (isNamed(each) ? each.plugin : each)),
  ]
  await Promise.all(plugins.map((plugin) => (isPlugin(plugin) ? plugin.reading : undefined)))
}

/** Whether senders are of a domain of their project only the store knows; the projects room asks it. */
function doubleOptInProblems({ projects, publicUrl }: EngineValues): FieldProblem[] {
  if (publicUrl !== undefined) return []
  return projects.flatMap(({ doubleOptIn }, i): FieldProblem[] => {
    const message = 'needs a publicUrl: the mail links to a page of this server'
    return doubleOptIn ? [{ field: `projects[${i}].doubleOptIn`, code: 'custom', message }] : []
  })
}

/** One CONFIG_INVALID over all problems, a line each. */
export function configInvalid(problems: readonly FieldProblem[]): EngineError {
  const lines = problems.map(({ field, message }) => `  ${field}: ${message}`)
  return new EngineError('CONFIG_INVALID', `The configuration has ${lines.length} problem(s):\n${lines.join('\n')}`, {
    fields: problems,
  })
}

const LOG_METHODS = ['debug', 'info', 'warn', 'error', 'with'] as const

/** What code that no compiler has seen gives in place of a log or a clock. */
function methodProblems(field: string, given: unknown, methods: readonly string[]): FieldProblem[] {
  if (given === undefined) return []
  const lacking = methods.filter(
    (method) => typeof given !== 'object' || given === null || typeof Reflect.get(given, method) !== 'function',
  )
  if (lacking.length === 0) return []
  const hint = field === 'log' ? ' (consoleLog of mailwright/plugins/log-console makes one)' : ''
  return [{ field, code: 'custom', message: `must have the methods ${methods.join(', ')}${hint}` }]
}

/** The field as it is written in a config: `transports[0]`, not `transports.0`. */
function placed(problem: FieldProblem): FieldProblem {
  return { ...problem, field: problem.field.replace(/\.(\d+)(?=\.|$)/g, '[$1]') }
}

/** Two entries for one project would each undo what the other says. */
function areDifferent(projects: readonly { readonly id?: string | undefined; readonly name: string }[]): boolean {
  const names = projects.map(({ name }) => name)
  const ids = projects.flatMap(({ id }) => id ?? [])
  return new Set(names).size === names.length && new Set(ids).size === ids.length
}
