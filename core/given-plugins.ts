import type { FieldProblem } from './errors.ts'
import type { Plugin, PortName } from './plugin.ts'
import { isPlugin, notAPlugin } from './plugin-shape.ts'
import type { TransportSettings } from './settings.ts'

/** The transports with the names they were given; what is no list or no transport is told. */
export function readTransports(given: unknown, problems: FieldProblem[]): readonly TransportSettings[] {
  if (!Array.isArray(given ?? [])) {
    problems.push({ field: 'transports', code: 'invalid_type', message: 'must be an array of transport plugins' })
    return []
  }
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  if (list.length === 0) problems.push({ field: 'transports', code: 'required', message: 'needs at least one' })
  return list.map((each, i) => {
    const named = isNamed(each) ? each : { plugin: each }
    problems.push(...pluginProblems(`transports[${i}]`, 'transport', named.plugin))
    if (named.name !== undefined && (typeof named.name !== 'string' || named.name.trim() === '')) {
      problems.push({ field: `transports[${i}].name`, code: 'invalid_type', message: 'must be a text, not empty' })
    }
    return named as TransportSettings
  })
}

/** The receivers; what is no list or no receiver is told. */
export function readInbound(given: unknown, problems: FieldProblem[]): readonly Plugin<'inbound'>[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) {
    problems.push({ field: 'inbound', code: 'invalid_type', message: 'must be an array of inbound plugins' })
    return []
  }
  for (const [i, each] of given.entries()) problems.push(...pluginProblems(`inbound[${i}]`, 'inbound', each))
  return given
}

/** True for a plugin that was given with a name beside it. */
export function isNamed(given: unknown): given is { readonly name?: unknown; readonly plugin: unknown } {
  return typeof given === 'object' && given !== null && 'plugin' in given
}

/** What is wrong with what was given for a port, its options included. */
export function pluginProblems(where: string, port: PortName, plugin: unknown): FieldProblem[] {
  if (plugin === undefined || plugin === null) return [{ field: where, code: 'required', message: 'is required' }]
  if (!isPlugin(plugin)) return [{ field: where, code: 'custom', message: notAPlugin(plugin, port) }]
  const provides: readonly PortName[] = plugin.provides
  if (!provides.includes(port)) {
    const message = `${plugin.name} is not a ${port} plugin (it provides ${provides.join(', ')})`
    return [{ field: where, code: 'custom', message }]
  }
  return plugin
    .problems()
    .map((problem) => ({ ...problem, field: problem.field ? `${where}.options.${problem.field}` : `${where}.options` }))
}
