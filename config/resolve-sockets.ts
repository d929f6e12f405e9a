import { EngineError, type FieldProblem } from '../core/errors.ts'
import { isPlugin } from '../core/plugin/shape.ts'
import type { Plugin, PortName } from '../core/plugin/types.ts'
import { isJsonObject, type JsonObject } from '../core/values/json.ts'
import { parse } from '../core/values/parse.ts'
import { resolveSocket } from './resolve-socket.ts'
import { TransportForm } from './schema.ts'
import type { Readings } from './substitute.ts'
import type { GivenSettings } from './with-defaults.ts'

/** The plugins of all sockets in a config, and the problems of the others. */
export interface ResolvedSockets {
  /** A socket with a problem gets a stand-in, so that no default takes its place while the rest is checked. */
  readonly settings: GivenSettings
  readonly problems: readonly FieldProblem[]
}

/** A plugin, optionally with a name. */
type Named<Port extends PortName> = Plugin<Port> | { readonly name?: string; readonly plugin: Plugin<Port> }

/**
 * Finds the plugin of every socket in a config. Paths in `use` start at `directory`; `readings` is what the variables in
 * options may stand for. Nothing is opened.
 */
export async function resolveSockets(
  config: JsonObject,
  directory: string,
  readings: Readings,
): Promise<ResolvedSockets> {
  const problems: FieldProblem[] = []
  const {
    store,
    queue,
    scheduler,
    blobs,
    dns,
    webhookSender,
    identity,
    transports,
    inbound,
    submission,
    hooks,
    compat,
    assistant,
  } = config

  async function plugin<Port extends PortName>(field: string, port: Port, given: unknown): Promise<Plugin<Port>> {
    const resolved = await resolveSocket({ field, port, given, directory, readings })
    if ('plugin' in resolved) return resolved.plugin
    problems.push(...resolved.problems)
    return standIn(field, port)
  }

  async function named<Port extends PortName>(field: string, port: Port, given: unknown): Promise<Named<Port>> {
    if (!isJsonObject(given) || isPlugin(given)) return plugin(field, port, given)
    const { name, plugin: value, ...choice } = given
    problems.push(...nameProblems(name, field))
    const called = typeof name === 'string' ? { name: name.trim() } : {}
    if (value === undefined) return { ...called, plugin: await plugin(field, port, choice) }
    for (const key of Object.keys(choice).filter((key) => key === 'use' || key === 'options')) {
      problems.push({ field: `${field}.${key}`, code: 'custom', message: 'must be left out beside plugin' })
    }
    if (isPlugin(value)) return { ...called, plugin: await plugin(`${field}.plugin`, port, value) }
    problems.push({ field: `${field}.plugin`, code: 'custom', message: 'must be a plugin' })
    return { ...called, plugin: standIn(field, port) }
  }

  /** `least` is used when the value is no list, where an empty one would be a second problem. */
  async function all<Port extends PortName>(
    field: string,
    port: Port,
    given: unknown,
    least: readonly Named<Port>[] = [],
  ): Promise<readonly Named<Port>[]> {
    if (!Array.isArray(given)) {
      problems.push({ field, code: 'invalid_type', message: 'must be an array' })
      return least
    }
    const list: Named<Port>[] = []
    for (const [i, item] of given.entries()) list.push(await named(`${field}[${i}]`, port, item))
    return list
  }

  async function receivers<Port extends 'inbound' | 'submission'>(
    port: Port,
    given: unknown,
  ): Promise<readonly Plugin<Port>[]> {
    if (!Array.isArray(given)) {
      problems.push({ field: port, code: 'invalid_type', message: 'must be an array' })
      return []
    }
    const list: Plugin<Port>[] = []
    for (const [i, item] of given.entries()) list.push(await plugin(`${port}[${i}]`, port, item))
    return list
  }

  const settings: GivenSettings = {
    ...(store !== undefined && { store: await plugin('store', 'store', store) }),
    ...(queue !== undefined && { queue: await plugin('queue', 'queue', queue) }),
    ...(scheduler !== undefined && { scheduler: await plugin('scheduler', 'scheduler', scheduler) }),
    ...(blobs !== undefined && { blobs: await plugin('blobs', 'blobs', blobs) }),
    ...(dns !== undefined && { dns: await plugin('dns', 'dns', dnsSocket(dns)) }),
    ...(webhookSender !== undefined && { webhookSender: await plugin('webhookSender', 'webhooks', webhookSender) }),
    ...(identity !== undefined && { identity: await plugin('identity', 'identity', identity) }),
    ...(inbound !== undefined && { inbound: await receivers('inbound', inbound) }),
    ...(submission !== undefined && { submission: await receivers('submission', submission) }),
    ...(hooks !== undefined && { hooks: await all('hooks', 'hook', hooks) }),
    ...(assistant !== undefined && { assistant: await plugin('assistant', 'assistant', assistant) }),
    ...(compat !== undefined && { compat: await all('compat', 'compat', compat) }),
    ...(transports !== undefined && {
      transports: await all('transports', 'transport', transports, [standIn('transports', 'transport')]),
    }),
  }
  return { settings, problems }
}

/** Moves a problem of the resolver's servers to their place in the config, which may be outside of the options. */
export function renameDnsServers(problem: FieldProblem, config: JsonObject): FieldProblem {
  if (!isJsonObject(config.dns) || config.dns.servers === undefined) return problem
  return { ...problem, field: problem.field.replace(/^dns\.options\.servers/, 'dns.servers') }
}

function dnsSocket(given: unknown): unknown {
  if (!isJsonObject(given) || isPlugin(given)) return given
  const { servers, use = 'node', options, ...rest } = given
  if (servers === undefined) return { ...rest, use, ...(options !== undefined && { options }) }
  return { ...rest, use, options: isJsonObject(options ?? {}) ? { ...(options as JsonObject), servers } : options }
}

function nameProblems(name: unknown, field: string): readonly FieldProblem[] {
  try {
    parse(TransportForm, { name })
    return []
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return error.fields.map((problem) => ({ ...problem, field: `${field}.${problem.field}` }))
  }
}

function standIn<Port extends PortName>(field: string, port: Port): Plugin<Port> {
  const open = () => Promise.reject(new EngineError('PLUGIN_INVALID', `${field} has a problem`))
  return { name: `invalid ${field}`, provides: [port], problems: () => [], open }
}
