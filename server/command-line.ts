import { parseArgs } from 'node:util'
import { ROLES, type Role } from '../core/settings.ts'

/** What the program is asked to do. */
export type Command =
  | { readonly kind: 'serve'; readonly config: string | undefined; readonly role: Role }
  | { readonly kind: 'check'; readonly config: string | undefined }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'misused'; readonly problem: string }

export const USAGE = `Usage: mailwright [serve] [options]

Serves the HTTP API and delivers mail until it is told to stop.

  --config FILE   a .ts, .js, .mjs, .json or .yaml file; without it mailwright.config.* here, or the environment alone
  --role ROLE     all (the default), api: serve the HTTP API only, or worker: deliver mail and serve /health only;
                  several processes need a database they share, such as PostgreSQL
  --check         check the configuration and end; nothing is opened
  --version       print the version
  --help          print this
`

/** Reads the arguments behind the program's name. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        config: { type: 'string', short: 'c' },
        role: { type: 'string' },
        check: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
    if (values.help) return { kind: 'help' }
    if (values.version) return { kind: 'version' }
    const [verb = 'serve', ...more] = positionals
    if (verb !== 'serve' || more.length > 0)
      return { kind: 'misused', problem: `Unknown command: ${positionals.join(' ')}` }
    const { config, role: wanted = 'all' } = values
    const role = ROLES.find((role) => role === wanted)
    if (role === undefined) return { kind: 'misused', problem: `--role must be one of ${ROLES.join(', ')}` }
    return values.check ? { kind: 'check', config } : { kind: 'serve', config, role }
  } catch (error) {
    return { kind: 'misused', problem: error instanceof Error ? error.message : String(error) }
  }
}
