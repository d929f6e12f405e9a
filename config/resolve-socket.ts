import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import * as v from 'valibot'
import { EngineError, type FieldProblem } from '../core/errors.ts'
import { isPlugin, notAPlugin } from '../core/plugin/shape.ts'
import type { Plugin, PortName } from '../core/plugin/types.ts'
import { isJsonObject, type JsonObject } from '../core/values/json.ts'
import { nearest } from '../core/values/nearest.ts'
import { parse, say } from '../core/values/parse.ts'
import { BUILTINS } from './builtins.ts'
import { firstLine, isPath, loadModule } from './load-module.ts'
import { makeTyped } from './make-typed.ts'
import type { Readings } from './substitute.ts'

/**
 * A socket to fill: its key in the config, the port it needs, its value there, the directory that paths start at, and
 * what the variables in its options may stand for.
 */
export interface SocketRequest<Port extends PortName> {
  readonly field: string
  readonly port: Port
  readonly given: unknown
  readonly directory: string
  readonly readings: Readings
}

/** The plugin, or why there is none. */
export type ResolvedSocket<Port extends PortName> =
  | { readonly plugin: Plugin<Port> }
  | { readonly problems: readonly FieldProblem[] }

/** A socket with `use` and `options`. */
const Choice = v.object({
  use: v.pipe(v.string(), v.trim(), v.minLength(1)),
  options: v.optional(v.custom<JsonObject>(isJsonObject, say('invalid_type', 'must be an object'))),
})

/**
 * Finds a socket's plugin: the value itself, a built-in, a package, or a module beside the config file. Only that one
 * is loaded, and nothing is opened.
 */
export async function resolveSocket<Port extends PortName>(
  request: SocketRequest<Port>,
): Promise<ResolvedSocket<Port>> {
  const { field, port, given } = request
  if (isPlugin(given)) return fitting(given, port, field)
  if (typeof given === 'string') return named(request, field, given, undefined)
  const choice = readChoice(field, given)
  if ('problems' in choice) return choice
  return named(request, `${field}.use`, choice.use, choice.options)
}

async function named<Port extends PortName>(
  request: SocketRequest<Port>,
  field: string,
  use: string,
  options: Readonly<Record<string, unknown>> | undefined,
): Promise<ResolvedSocket<Port>> {
  const { port, directory } = request
  const loader = Object.hasOwn(BUILTINS[port], use) ? BUILTINS[port][use] : undefined
  if (loader !== undefined) return made(await loader(), options, request, field)
  const other = Object.entries(BUILTINS).find(([, names]) => Object.hasOwn(names, use))?.[0]
  if (other !== undefined) return refused(field, `${use} is not a ${port} plugin (it provides ${other})`)

  const [place, name] = placeOf(use, directory)
  const module = await loadModule(place, directory)
  if ('problem' in module) return refused(field, `${module.problem}${hint(use, Object.keys(BUILTINS[port]))}`)
  const exported = pluginExport(module.exports, name)
  if (exported === undefined) return refused(field, noExport(place, name, module.exports))
  return made(exported, options, request, field)
}

/** A module, and after `#` which of its exports is meant: `./acme.ts#acme`. A file may have a `#` in its name, too. */
function placeOf(use: string, directory: string): readonly [place: string, name?: string] {
  const at = use.lastIndexOf('#')
  if (at <= 0 || (isPath(use) && existsSync(resolve(directory, use)))) return [use]
  return [use.slice(0, at), use.slice(at + 1)]
}

function noExport(place: string, name: string | undefined, exports: Readonly<Record<string, unknown>>): string {
  const names = pluginNames(exports)
  if (name !== undefined) {
    const near = nearest(name, names)
    const others =
      near === undefined ? `it exports ${names.join(', ') || 'nothing that is one'}` : `did you mean ${near}?`
    return `${place} exports no plugin ${name} (${others})`
  }
  if (names.length === 0) return `${place} exports no plugin: export one, or a function, as default`
  return `${place} exports no default but ${names.join(', ')}: name one of them, such as ${place}#${names[0]}`
}

/** Calls a factory with the options; a ready plugin is used as it is. */
async function made<Port extends PortName>(
  exported: unknown,
  options: Readonly<Record<string, unknown>> | undefined,
  { port, field, readings }: SocketRequest<Port>,
  use: string,
): Promise<ResolvedSocket<Port>> {
  if (typeof exported !== 'function') {
    if (options !== undefined) return refused(`${field}.options`, 'must be left out: the module exports a ready plugin')
    return fitting(exported, port, use)
  }
  try {
    const plugin = await makeTyped<typeof options, unknown>(options, `${field}.options`, readings, {
      make: (given) => Reflect.apply(exported, undefined, given === undefined ? [] : [given]),
      problems: optionProblems,
    })
    return fitting(plugin, port, use)
  } catch (error) {
    return refused(use, `cannot make the plugin: ${firstLine(error)}`)
  }
}

function optionProblems(plugin: unknown): readonly FieldProblem[] {
  return isPlugin(plugin) ? plugin.problems() : []
}

function fitting<Port extends PortName>(value: unknown, port: Port, field: string): ResolvedSocket<Port> {
  if (!isPlugin(value)) return refused(field, notAPlugin(value, port))
  if (provides(value, port)) return { plugin: value }
  return refused(field, `${value.name} is not a ${port} plugin (it provides ${value.provides.join(', ')})`)
}

function provides<Port extends PortName>(plugin: Plugin<never>, port: Port): plugin is Plugin<Port> & Plugin<never> {
  const provided: readonly PortName[] = plugin.provides
  return provided.includes(port)
}

/** The export of this name; without one the default export, or the only export that is a function or a plugin. */
function pluginExport(exports: Readonly<Record<string, unknown>>, name: string | undefined): unknown {
  if (name !== undefined) return pluginNames(exports).includes(name) ? exports[name] : undefined
  if (exports.default !== undefined) return exports.default
  const [only, ...more] = pluginNames(exports)
  return only !== undefined && more.length === 0 ? exports[only] : undefined
}

function pluginNames(exports: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(exports).filter((key) => typeof exports[key] === 'function' || isPlugin(exports[key]))
}

function readChoice(
  field: string,
  given: unknown,
): v.InferOutput<typeof Choice> | { readonly problems: readonly FieldProblem[] } {
  const place = (inner: string) => (inner === '' ? field : `${field}.${inner}`)
  try {
    // Options may hold the embedder's live objects, so they are not looked into.
    const options = isJsonObject(given) && isJsonObject(given.options) ? given.options : undefined
    const choice = parse(Choice, options === undefined ? given : { ...(given as object), options: {} })
    return options === undefined ? choice : { ...choice, options }
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return { problems: error.fields.map((problem) => ({ ...problem, field: place(problem.field) })) }
  }
}

function hint(use: string, builtins: readonly string[]): string {
  if (isPath(use)) return ''
  const near = nearest(use, builtins)
  return near === undefined ? `; built in are ${builtins.join(', ')}` : `; did you mean ${near}?`
}

function refused(field: string, message: string): { readonly problems: readonly FieldProblem[] } {
  return { problems: [{ field, code: 'custom', message }] }
}
