import { parseArgs } from 'node:util'
import { type CopyPlace, readPlaces } from '../config/copy-data.ts'
import { ROLES, type Role } from '../core/settings/role.ts'
import { nearest } from '../core/values/nearest.ts'
import type { Choice } from './mcp/serve-tools.ts'

/** What the command line asks for. */
export type Command =
  | {
      readonly kind: 'serve'
      readonly config: string | undefined
      readonly role: Role
      /** Replaces `server.host` and `server.port`. */
      readonly listen: { readonly host?: string; readonly port?: number }
    }
  | { readonly kind: 'check'; readonly config: string | undefined }
  | { readonly kind: 'copy'; readonly from: CopyPlace; readonly to: CopyPlace }
  | { readonly kind: 'user'; readonly config: string | undefined; readonly email: string }
  | { readonly kind: 'rebuild-stats'; readonly config: string | undefined; readonly checkOnly: boolean }
  | { readonly kind: 'mcp'; readonly url: string | undefined; readonly choice: Choice }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'misused'; readonly problem: string }

export const USAGE = `Usage: mailwright [serve] [options]
       mailwright copy --from DATABASE --to DATABASE
       mailwright user ADDRESS [--config FILE]
       mailwright rebuild-stats [--config FILE] [--check]
       mailwright mcp [--url URL] [--only NAMES] [--read-only]

Serves the HTTP API and delivers mail until it is told to stop, or copies all data of a database into an empty one,
or makes a user with the password on the standard input (or gives the one there that password), or counts the figures
by day anew and puts right what differs, or offers a running server to a language model (MCP on stdin and stdout; the key is
in MAILWRIGHT_API_KEY).

  --config FILE   a .ts, .js, .mjs, .json or .yaml file; without it mailwright.config.* here, or the environment alone
  --host HOST     the address to listen on, whatever the configuration says; 0.0.0.0 for all
  --port PORT     the port to listen on, whatever the configuration says; 0 takes a free one
  --role ROLE     all (the default), api: serve the HTTP API only, or worker: deliver mail and serve /health only;
                  several processes need a database they share, such as PostgreSQL
  --check         check the configuration and end; nothing is opened. With rebuild-stats: only tell what differs, and end
                  with 1 if something does
  --from, --to    a file such as ./data/mailwright.db, or postgres://user:password@host:5432/name; what uses them must be
                  stopped; a copy that was interrupted is continued by the same command
  --url URL       with mcp: the address of the server; without it MAILWRIGHT_URL
  --only NAMES    with mcp: the groups and tools to offer, with commas between, or all
  --read-only     with mcp: offer only tools that change nothing
  --version       print the version
  --help          print this
`

const OPTIONS = {
  config: { type: 'string', short: 'c' },
  host: { type: 'string' },
  port: { type: 'string' },
  role: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  check: { type: 'boolean' },
  url: { type: 'string' },
  only: { type: 'string' },
  'read-only': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const

/** Reads the arguments after the program's name. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: OPTIONS,
    })
    if (values.help) return { kind: 'help' }
    if (values.version) return { kind: 'version' }
    const [verb = 'serve', ...more] = positionals
    if (verb === 'copy' && more.length === 0) return readCopy(values)
    if (verb === 'user') return readUser(more, values)
    if (verb === 'rebuild-stats' && more.length === 0) return readRebuild(values)
    if (verb === 'mcp' && more.length === 0) return readMcp(values)
    if (verb !== 'serve' || more.length > 0)
      return {
        kind: 'misused',
        problem: `Unknown command: ${positionals.join(' ')}${COMMANDS.includes(verb) ? '' : meant(verb, COMMANDS)}`,
      }
    if (values.from !== undefined || values.to !== undefined)
      return { kind: 'misused', problem: '--from and --to belong to mailwright copy' }
    if (values.url !== undefined || values.only !== undefined || values['read-only'])
      return { kind: 'misused', problem: '--url, --only and --read-only belong to mailwright mcp' }
    const { config, role: wanted = 'all' } = values
    const role = ROLES.find((role) => role === wanted)
    if (role === undefined) return { kind: 'misused', problem: `--role must be one of ${ROLES.join(', ')}` }
    const { host, port } = values
    if (host?.trim() === '') return { kind: 'misused', problem: '--host must be an address such as 127.0.0.1' }
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= 65_535))
      return { kind: 'misused', problem: '--port must be a number from 0 to 65535' }
    const listen = {
      ...(host === undefined ? {} : { host: host.trim() }),
      ...(port === undefined ? {} : { port: Number(port) }),
    }
    return values.check ? { kind: 'check', config } : { kind: 'serve', config, role, listen }
  } catch (error) {
    return { kind: 'misused', problem: optionProblem(error) }
  }
}

const COMMANDS = ['serve', 'copy', 'user', 'rebuild-stats', 'mcp']

function meant(word: string, known: readonly string[]): string {
  const near = nearest(word, known)
  return near === undefined ? '' : ` (did you mean ${near}?)`
}

/** Node's message about the arguments, without its advice, which does not fit this program. */
function optionProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const option = /^Unknown option '--([^']+)'/.exec(error.message)?.[1]
  if (option === undefined) return error.message
  return `Unknown option: --${option}${meant(
    `--${option}`,
    Object.keys(OPTIONS).map((name) => `--${name}`),
  )}`
}

function readRebuild({ config, check, ...others }: Values): Command {
  const [other] = Object.keys(others)
  if (other !== undefined) return { kind: 'misused', problem: `--${other} does not belong to mailwright rebuild-stats` }
  return { kind: 'rebuild-stats', config: typeof config === 'string' ? config : undefined, checkOnly: check === true }
}

function readMcp({ url, only, 'read-only': readOnly, ...others }: Values): Command {
  const [other] = Object.keys(others)
  if (other !== undefined) return { kind: 'misused', problem: `--${other} does not belong to mailwright mcp` }
  const names = typeof only === 'string' ? only.split(',').map((name) => name.trim()) : undefined
  if (names?.includes(''))
    return { kind: 'misused', problem: '--only must name groups or tools, such as campaigns,contacts' }
  const choice = { only: names, readOnly: readOnly === true }
  return { kind: 'mcp', url: typeof url === 'string' ? url : undefined, choice }
}

type Values = Readonly<Record<string, string | boolean | undefined>>

function readCopy({ from, to, ...others }: Values): Command {
  const [other] = Object.keys(others)
  if (other !== undefined) return { kind: 'misused', problem: `--${other} does not belong to mailwright copy` }
  const text = (value: typeof from) => (typeof value === 'string' ? value : undefined)
  const places = readPlaces(text(from), text(to))
  return 'problem' in places ? { kind: 'misused', problem: places.problem } : { kind: 'copy', ...places }
}

function readUser(
  [email, ...more]: readonly string[],
  { config, ...others }: Readonly<Record<string, string | boolean | undefined>>,
): Command {
  const [other] = Object.keys(others)
  if (other !== undefined) return { kind: 'misused', problem: `--${other} does not belong to mailwright user` }
  if (email === undefined || more.length > 0)
    return { kind: 'misused', problem: 'mailwright user needs one e-mail address' }
  return { kind: 'user', email, config: typeof config === 'string' ? config : undefined }
}
