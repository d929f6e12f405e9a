import { EngineError } from '../errors.ts'

/** Where a thread that sends keeps which plugins it has loaded, for code of any copy of this package. */
const PLUGINS = Symbol.for('mailwright.plugins-of-this-thread')

/** Notes in a thread that sends that a plugin is loaded from this module. */
export function noteModule(name: string, module: string): void {
  const noted: unknown = Reflect.get(globalThis, PLUGINS)
  Reflect.set(globalThis, PLUGINS, [...(Array.isArray(noted) ? noted : []), `${name} (${module})`])
}

/**
 * Throws EngineError `PLUGIN_INVALID` in a thread that sends: a plugin's module has started an engine there, whose own
 * threads would do the same, and so on.
 */
export function refuseNested(): void {
  const noted: unknown = Reflect.get(globalThis, PLUGINS)
  if (!Array.isArray(noted)) return
  const message = `inThread.module must not be a file that starts an engine, since every thread would start another: ${noted.join(', ')}. Move the plugin into its own file, and name that.`
  throw new EngineError('PLUGIN_INVALID', message)
}

/** True for what `refuseNested` throws. */
export function isNested(error: unknown): boolean {
  return EngineError.is(error) && error.message.startsWith('inThread.module must not be')
}
