import type { FieldProblem } from '../errors.ts'
import { isPlugin, notAPlugin } from '../plugin/shape.ts'
import type { Plugin, PortName } from '../plugin/types.ts'

/** The transports with the names they were given; what is no list or no transport is told. */
export function readTransports(given: unknown, problems: FieldProblem[]): readonly Required<TransportSettings>[] {
  const list = listOf('transports', given, 'transport', problems)
  if (Array.isArray(given ?? []) && list.length === 0) {
    problems.push({ field: 'transports', code: 'required', message: 'needs at least one' })
  }
  const isName = (name: unknown) => typeof name === 'string' && name.trim() !== ''
  return readNamed('transports', list, 'transport', isName, 'must be a text, not empty', problems)
}

/** What a part of a path may be made of. */
const HOOK_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/

/** The hooks with the names they have in their paths; what is no list or no hook is told. */
export function readHooks(given: unknown, problems: FieldProblem[]): readonly Required<HookSettings>[] {
  const list = listOf('hooks', given, 'hook', problems)
  const isName = (name: unknown) => typeof name === 'string' && HOOK_NAME.test(name)
  const rule = 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-", and begin and end with a letter or a digit'
  return readNamed('hooks', list, 'hook', isName, rule, problems)
}

function listOf(field: string, given: unknown, port: PortName, problems: FieldProblem[]): readonly unknown[] {
  if (Array.isArray(given ?? [])) return Array.isArray(given) ? given : []
  problems.push({ field, code: 'invalid_type', message: `must be an array of ${port} plugins` })
  return []
}

/** Plugins that have a name among those of their kind: without one, that of the plugin. */
function readNamed<Port extends PortName>(
  field: string,
  list: readonly unknown[],
  port: Port,
  isName: (name: unknown) => boolean,
  rule: string,
  problems: FieldProblem[],
): readonly { readonly name: string; readonly plugin: Plugin<Port> }[] {
  const taken = new Set<unknown>()
  return list.map((each, i) => {
    const named = isNamed(each) ? each : { plugin: each }
    const { plugin } = named
    problems.push(...pluginProblems(`${field}[${i}]`, port, plugin))
    const name = named.name ?? (isPlugin(plugin) ? plugin.name : undefined)
    if (named.name !== undefined && !isName(name)) {
      problems.push({ field: `${field}[${i}].name`, code: 'invalid_type', message: rule })
    }
    if (taken.has(name)) {
      problems.push({ field: `${field}[${i}].name`, code: 'custom', message: `is taken already: ${name}` })
    }
    taken.add(name)
    return { name, plugin } as { readonly name: string; readonly plugin: Plugin<Port> }
  })
}

/** What takes mail in; what is no list or no such plugin is told. */
export function readReceivers<Port extends 'inbound' | 'submission'>(
  port: Port,
  given: unknown,
  problems: FieldProblem[],
): readonly Plugin<Port>[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) {
    problems.push({ field: port, code: 'invalid_type', message: `must be an array of ${port} plugins` })
    return []
  }
  for (const [i, each] of given.entries()) problems.push(...pluginProblems(`${port}[${i}]`, port, each))
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
