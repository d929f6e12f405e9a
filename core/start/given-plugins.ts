import type { FieldProblem } from '../errors.ts'
import { isPlugin, notAPlugin } from '../plugin/shape.ts'
import type { Plugin, PortName } from '../plugin/types.ts'

/** The transports with their names; adds a problem for an invalid list or transport. */
export function readTransports(given: unknown, problems: FieldProblem[]): readonly Required<TransportSettings>[] {
  const list = listOf('transports', given, 'transport', problems)
  if (Array.isArray(given ?? []) && list.length === 0) {
    problems.push({ field: 'transports', code: 'required', message: 'needs at least one' })
  }
  const isName = (name: unknown) => typeof name === 'string' && name.trim() !== ''
  return readNamed('transports', list, 'transport', isName, 'must be a text, not empty', problems)
}

/** The characters of a path segment. */
const SEGMENT = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/

/** The foreign APIs with their names in paths; adds a problem for an invalid list or plugin. */
export function readCompat(given: unknown, problems: FieldProblem[]): readonly Required<CompatSettings>[] {
  return readInPaths('compat', 'compat', given, problems)
}

/** The hooks with their names in paths; adds a problem for an invalid list or hook. */
export function readHooks(given: unknown, problems: FieldProblem[]): readonly Required<HookSettings>[] {
  return readInPaths('hooks', 'hook', given, problems)
}

/** Plugins whose names stand in paths. */
function readInPaths<Port extends 'hook' | 'compat'>(
  field: string,
  port: Port,
  given: unknown,
  problems: FieldProblem[],
): readonly { readonly name: string; readonly plugin: Plugin<Port> }[] {
  const list = listOf(field, given, port, problems)
  const isName = (name: unknown) => typeof name === 'string' && SEGMENT.test(name)
  const rule = 'must be 1 to 64 of a-z, 0-9, ".", "_" and "-", and begin and end with a letter or a digit'
  return readNamed(field, list, port, isName, rule, problems)
}

function listOf(field: string, given: unknown, port: PortName, problems: FieldProblem[]): readonly unknown[] {
  if (Array.isArray(given ?? [])) return Array.isArray(given) ? given : []
  problems.push({ field, code: 'invalid_type', message: `must be an array of ${port} plugins` })
  return []
}

/** Plugins that have a name among their kind; by default the plugin's own. */
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

/** The plugins that take mail in; adds a problem for an invalid list or plugin. */
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

/** True for a plugin given with a name beside it. */
function isNamed(given: unknown): given is { readonly name?: unknown; readonly plugin: unknown } {
  return typeof given === 'object' && given !== null && 'plugin' in given
}

/** The problems of a value given for a port, including its options. */
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

/** A transport with its name in logs and records, by default the plugin's own. */
export interface TransportSettings {
  /** The name in logs, figures and lanes; absent: the name of its plugin. */
  readonly name?: string
  /** The plugin that hands mail over, such as `smtp({ … })`. */
  readonly plugin: Plugin<'transport'>
}

/** A hook with its name in the path, `/hooks/<name>`, by default the plugin's own. */
export interface HookSettings {
  /** The last part of its path `/hooks/<name>`; absent: the name of its plugin. */
  readonly name?: string
  /** The plugin that reads its requests. */
  readonly plugin: Plugin<'hook'>
}

/** A foreign API with its name in the path, `/compat/<name>`, by default the plugin's own. */
export interface CompatSettings {
  /** The last part of its path `/compat/<name>`; absent: the name of its plugin. */
  readonly name?: string
  /** The plugin that translates it. */
  readonly plugin: Plugin<'compat'>
}
