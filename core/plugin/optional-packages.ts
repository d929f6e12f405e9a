import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { EngineError } from '../errors.ts'
import { errorCode } from '../values/error-code.ts'

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

/** The versions of packages outside the bundle that work here: from the first, which was tested, up to but without the second. */
export const FITTING = {
  pg: ['8.16.0', '9'],
  'graphile-worker': ['0.17.3', '0.19'],
  '@aws-sdk/client-sesv2': ['3.950.0', '4'],
  '@aws-sdk/client-s3': ['3.600.0', '4'],
  '@modelcontextprotocol/sdk': ['1.20.0', '2'],
  mrml: ['1.6.0', '2'],
  '@css-inline/css-inline-wasm': ['0.20.2', '0.22'],
  '@opentelemetry/sdk-node': ['0.200.0', '0.400'],
  'better-sqlite3': ['13.0.0', '14'],
} as const satisfies Readonly<Record<string, readonly [least: string, below: string]>>

type PackageName = keyof typeof FITTING

/**
 * Loads the module of a part by `load`. Throws EngineError `CONFIG_INVALID` with the line that installs the part's packages
 * when one of them is missing, or is there in a version that does not work. `who` begins the message: the name of the plugin.
 * `uses` names the packages of the part that are loaded, when not all are.
 */
export async function loadOptional<Module>(
  who: string,
  part: OptionalPart,
  load: () => Promise<Module>,
  uses: readonly PackageName[] = OPTIONAL_PACKAGES[part].map(nameOf),
): Promise<Module> {
  const wanted = OPTIONAL_PACKAGES[part].filter((named) => uses.includes(nameOf(named)))
  // an app's own version that works is left as it is
  const lacking = wanted.filter((named) => !fits(nameOf(named)))
  const install = `npm install ${(lacking.length > 0 ? lacking : wanted).join(' ')} (in a clone: npm run add ${part})`
  for (const named of wanted) requireFitting(who, nameOf(named), install)
  try {
    return await load()
  } catch (cause) {
    if (!wanted.some((named) => isMissing(cause, nameOf(named)))) throw cause
    throw unusable(who, `not all packages it needs are installed: ${install}`, cause)
  }
}

/**
 * Throws EngineError `CONFIG_INVALID` when the package is there in a version that does not work. Such a version would fail later,
 * at whatever call first needs what it lacks.
 */
export function requireFitting(who: string, name: PackageName, install: string): void {
  const found = installed(name)
  const [least, below] = FITTING[name]
  if (found === undefined || fits(name)) return
  const range = `${least} or newer, below ${below}`
  throw unusable(who, `needs ${name} ${range}, and found ${found.version} in ${found.folder}: ${install}`)
}

/** Whether the package is there, in a version that works. */
function fits(name: PackageName): boolean {
  const found = installed(name)
  const [least, below] = FITTING[name]
  return found !== undefined && compared(found.version, least) >= 0 && compared(found.version, below) < 0
}

function unusable(who: string, message: string, cause?: unknown): EngineError {
  const fields = [{ field: 'use', code: 'custom', message }] as const
  return new EngineError('CONFIG_INVALID', `${who}: ${message}`, { fields, cause })
}

/** The package that an import from here finds; undefined where that cannot be seen, as with Yarn's Plug'n'Play. */
function installed(name: string): { readonly version: string; readonly folder: string } | undefined {
  try {
    const folders = createRequire(import.meta.url).resolve.paths(name) ?? []
    const folder = folders.map((each) => join(each, name)).find((each) => existsSync(join(each, 'package.json')))
    if (folder === undefined) return undefined
    const { version }: { version?: unknown } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return typeof version === 'string' ? { version, folder } : undefined
  } catch {
    return undefined
  }
}

/** Below 0 when the first version is older. A release candidate counts as its release. */
function compared(version: string, other: string): number {
  const [ours, theirs] = [version, other].map((each) => each.split(/[.+-]/, 3).map(Number))
  for (const at of [0, 1, 2]) {
    const difference = (ours?.[at] ?? 0) - (theirs?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function nameOf(named: string): PackageName {
  return named.slice(0, named.lastIndexOf('@')) as PackageName
}

function isMissing(cause: unknown, name: string): boolean {
  const code = errorCode(cause)
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(cause).includes(`'${name}'`)
}
