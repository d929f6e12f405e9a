import { EngineError } from '../errors.ts'

/**
 * The npm packages of each part that not everybody needs, at the versions it is tested with. They are no peers of this
 * package: npm would refuse to install it beside a host's own version of one of them, used or not.
 */
export const OPTIONAL_PACKAGES = {
  postgres: ['pg@8.23.0', 'graphile-worker@0.18.0'],
  ses: ['@aws-sdk/client-sesv2@3.1169.0'],
  s3: ['@aws-sdk/client-s3@3.1169.0'],
  mcp: ['@modelcontextprotocol/sdk@1.32.2'],
  mjml: ['mrml@1.6.1'],
  css: ['@css-inline/css-inline-wasm@0.21.2'],
  traces: ['@opentelemetry/sdk-node@0.301.0'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type OptionalPart = keyof typeof OPTIONAL_PACKAGES

/**
 * Loads the module of a part by `load`. Throws EngineError `CONFIG_INVALID` with the line that installs the part's packages
 * when one of them is missing. `who` begins the message: the name of the plugin.
 */
export async function loadOptional<Module>(
  who: string,
  part: OptionalPart,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load()
  } catch (cause) {
    const packages = OPTIONAL_PACKAGES[part]
    if (!packages.some((name) => isMissing(cause, name.slice(0, name.lastIndexOf('@'))))) throw cause
    const message = `not all packages it needs are installed: npm install ${packages.join(' ')} (in a clone: npm run add ${part})`
    const fields = [{ field: 'use', code: 'custom', message }] as const
    throw new EngineError('CONFIG_INVALID', `${who}: ${message}`, { fields, cause })
  }
}

function isMissing(cause: unknown, name: string): boolean {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, 'code') : undefined
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(cause).includes(`'${name}'`)
}
