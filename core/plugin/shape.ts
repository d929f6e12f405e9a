import { EngineError } from '../errors.ts'
import type { Repositories } from '../ports/store/store.ts'
import { isObject } from '../values/json.ts'
import { nearest } from '../values/nearest.ts'
import { isStandardSchema } from '../values/standard-schema.ts'
import type { Plugin, PluginFace, PortName, Ports } from './types.ts'

/**
 * Checks for plugin authors without a compiler: mistakes are reported at start with the plugin's name and the fix, and
 * not as a TypeError when the first mail is sent.
 */

/** The methods every implementation of a port has. */
const METHODS: { readonly [Port in PortName]: readonly (keyof Ports[Port] & string)[] } = {
  store: ['transaction', 'listen', 'moveUp', 'check'],
  transport: ['send'],
  queue: ['ring', 'listen', 'check', 'stop'],
  scheduler: ['start', 'check', 'stop'],
  blobs: ['put', 'get', 'stream', 'remove', 'check'],
  dns: ['mx', 'txt', 'ns', 'cname', 'ipv4', 'ipv6'],
  webhooks: ['send'],
  identity: ['make', 'records', 'check'],
  inbound: ['start', 'stop', 'check'],
  submission: ['start', 'stop', 'check'],
  hook: ['receive'],
  compat: ['keyOf', 'refusal'],
  assistant: ['shown', 'ask'],
}

const OPTIONAL_METHODS: { readonly [Port in PortName]?: readonly (keyof Ports[Port] & string)[] } = {
  transport: ['check', 'close', 'tryOut'],
}

/** The compiler makes sure that no repository is missing here. */
const REPOSITORIES: { readonly [Name in keyof Repositories | 'writeBatch']: true } = {
  activity: true,
  merges: true,
  analytics: true,
  answers: true,
  campaigns: true,
  campaignAttachments: true,
  contactJobs: true,
  contacts: true,
  domainReports: true,
  domainTests: true,
  domains: true,
  emails: true,
  events: true,
  feedback: true,
  inbound: true,
  inboxes: true,
  threads: true,
  threadMails: true,
  threadNotes: true,
  inboxDrafts: true,
  draftAttachments: true,
  inboxEvents: true,
  mailWords: true,
  sendRequests: true,
  leftOut: true,
  mails: true,
  notices: true,
  reputation: true,
  writeBatch: true,
  users: true,
  members: true,
  userTokens: true,
  userSessions: true,
  presence: true,
  attempts: true,
  audit: true,
  projects: true,
  projectServers: true,
  retention: true,
  secrets: true,
  installation: true,
  segments: true,
  series: true,
  suppressions: true,
  templateDrafts: true,
  templateVersions: true,
  templates: true,
  seeds: true,
  snippets: true,
  forms: true,
  layouts: true,
  topics: true,
  uploads: true,
  webhookDeliveries: true,
  webhookEndpoints: true,
  workflows: true,
  campaignMails: true,
  contactFields: true,
  executions: true,
  memberships: true,
  operations: true,
  outbox: true,
  begunWork: true,
  stepRuns: true,
  datedWorkflows: true,
  goals: true,
}

const PORTS = Object.keys(METHODS)

/** Refuses an invalid plugin definition. Throws EngineError `CONFIG_INVALID` that names it and the fixes. */
export function requireDefinition(definition: unknown): void {
  if (!isObject(definition)) throw wrong('definePlugin', 'needs one object: { name, provides, options?, open }')
  const { name, provides, options, open, describe, inThread } = definition
  if (typeof name !== 'string' || name.trim() === '') {
    throw wrong('definePlugin', "the definition has no name: add one for the log, such as name: 'mail-acme'")
  }
  const problems = [
    ...unknownProblems(definition),
    ...providesProblems(provides),
    ...(options === undefined || isStandardSchema(options)
      ? []
      : ['options is no schema: give one of Valibot, Zod, ArkType or another Standard Schema, or leave it out']),
    ...(typeof open === 'function'
      ? []
      : ['open is missing: a function (options, kit) that answers what the plugin provides, such as { transport }']),
    ...(inThread === undefined || isThreadModule(inThread)
      ? []
      : [
          "inThread must say where a thread finds the plugin: { module, export }, the URL of the module and the export's name",
        ]),
    ...(describe === undefined || typeof describe === 'function' ? [] : ['describe must be a function']),
  ]
  if (problems.length > 0) throw wrong(`definePlugin: ${name}`, problems.join('; '))
}

function isThreadModule(given: unknown): boolean {
  return isObject(given) && typeof given.module === 'string' && typeof given.export === 'string'
}

const DEFINITION = ['name', 'provides', 'options', 'inThread', 'describe', 'schemaState', 'reach', 'open']

function unknownProblems(definition: object): readonly string[] {
  return Object.keys(definition)
    .filter((key) => !DEFINITION.includes(key))
    .map((key) => {
      const near = nearest(key, DEFINITION)
      const hint = near === undefined ? `it has ${DEFINITION.join(', ')}` : `did you mean ${near}?`
      return `${key} is not part of a definition (${hint})`
    })
}

function providesProblems(provides: unknown): readonly string[] {
  if (!Array.isArray(provides) || provides.length === 0) {
    return [`provides is missing: a list of ${PORTS.join(', ')}, such as provides: ['transport']`]
  }
  return provides
    .filter((port) => !PORTS.includes(port))
    .map((port) => {
      const near = nearest(String(port), PORTS)
      const hint = near === undefined ? `it is one of ${PORTS.join(', ')}` : `did you mean ${near}?`
      return `provides names ${JSON.stringify(port)}, which is no port (${hint})`
    })
}

/** True for a plugin value: something with a name and ports that can be opened. */
export function isPlugin(value: unknown): value is Plugin<never> {
  if (!isObject(value)) return false
  const { name, provides, open, problems } = value
  return (
    typeof name === 'string' && Array.isArray(provides) && typeof open === 'function' && typeof problems === 'function'
  )
}

/** The message for something that is no plugin, and how to fix it. */
export function notAPlugin(value: unknown, port: PortName): string {
  if (typeof value === 'function') {
    const call = value.name === '' ? 'it' : `${value.name}({ … })`
    return `is the function that makes the plugin: call ${call} with the options, and give what it answers`
  }
  if (typeof value === 'string') {
    return `is a name, which only config files know: import the plugin and call it with its options`
  }
  if (value instanceof Promise) return 'is a promise of a plugin: await it'
  if (!isObject(value)) return 'is no plugin: make it with definePlugin'
  if ('open' in value && 'provides' in value) {
    const name = typeof value.name === 'string' ? `${value.name} ` : ''
    return `${name}is a plain object: give it to definePlugin, call what that answers, and give the result`
  }
  if (METHODS[port].some((method) => typeof value[method] === 'function')) {
    const made = `definePlugin({ name: 'acme', provides: ['${port}'], open: () => ({ ${port} }) })()`
    return `is a ${port} but no plugin: ${made} makes it one`
  }
  return 'is no plugin: make it with definePlugin'
}

/** The problem with the result of a plugin's `open`, and how to fix it; undefined when it fits. */
export function misfit({ name, provides }: PluginFace, opened: unknown): string | undefined {
  for (const port of provides) {
    const problem = portMisfit(port, opened)
    if (problem !== undefined) return `${name}: ${problem}`
  }
  const close = isObject(opened) ? opened.close : undefined
  if (close === undefined || typeof close === 'function') return undefined
  return `${name}: the close that open answered must be a function`
}

function portMisfit(port: PortName, opened: unknown): string | undefined {
  const answer = `it must answer { ${port} }`
  if (!isObject(opened)) return `open answered ${opened === undefined ? 'nothing' : typeof opened}: ${answer}`
  const made = opened[port]
  if (made === undefined) {
    if (METHODS[port].every((method) => typeof opened[method] === 'function')) {
      return `open answered the ${port} itself: ${answer}`
    }
    const names = Object.keys(opened).filter((each) => each !== 'close')
    return `open answered no ${port}${names.length === 0 ? '' : ` but ${names.join(', ')}`}: ${answer}`
  }
  if (!isObject(made)) return `the ${port} that open answered must be an object with ${METHODS[port].join(', ')}`
  return memberMisfit(port, made)
}

function memberMisfit(port: PortName, made: Readonly<Record<string, unknown>>): string | undefined {
  const lacking = METHODS[port].filter((method) => typeof made[method] !== 'function')
  if (lacking.length > 0) return `its ${port} lacks ${lacking.map((method) => `${method}()`).join(', ')}`
  const odd = (OPTIONAL_METHODS[port] ?? []).find(
    (method) => made[method] !== undefined && typeof made[method] !== 'function',
  )
  if (odd !== undefined) return `the ${odd} of its ${port} must be a function`
  if (port === 'transport' && !(Number.isInteger(made.concurrency) && Number(made.concurrency) >= 1)) {
    return 'its transport needs concurrency: a whole number from 1, how many mails it works on at the same time'
  }
  if (port === 'store') {
    const without = Object.keys(REPOSITORIES).filter((repository) => !isObject(made[repository]))
    if (without.length > 0) return `its store lacks ${without.join(', ')}`
  }
  if ((port === 'store' || port === 'queue') && typeof made.exclusive !== 'boolean') {
    return `its ${port} needs exclusive: true or false, whether it serves a single process`
  }
  return undefined
}

function wrong(what: string, problem: string): EngineError {
  const message = `${what}: ${problem}`
  return new EngineError('CONFIG_INVALID', message, { fields: [{ field: what, code: 'custom', message: problem }] })
}
