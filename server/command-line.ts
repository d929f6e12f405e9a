import { parseArgs } from 'node:util'
import { type CopyPlace, readPlaces } from '../config/copy-data.ts'
import { ROLES, type Role } from '../core/settings.ts'

/** What the program is asked to do. */
export type Command =
  | { readonly kind: 'serve'; readonly config: string | undefined; readonly role: Role }
  | { readonly kind: 'check'; readonly config: string | undefined }
  | { readonly kind: 'copy'; readonly from: CopyPlace; readonly to: CopyPlace }
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'misused'; readonly problem: string }

export const USAGE = `Usage: mailwright [serve] [options]
       mailwright copy --from DATABASE --to DATABASE

Serves the HTTP API and delivers mail until it is told to stop, or copies all data of a database into an empty one.

  --config FILE   a .ts, .js, .mjs, .json or .yaml file; without it mailwright.config.* here, or the environment alone
  --role ROLE     all (the default), api: serve the HTTP API only, or worker: deliver mail and serve /health only;
                  several processes need a database they share, such as PostgreSQL
  --check         check the configuration and end; nothing is opened
  --from, --to    a file such as ./data/mailwright.db, or postgres://user:password@host:5432/name; what uses them must be
                  stopped; a copy that was interrupted is continued by the same command
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
        from: { type: 'string' },
        to: { type: 'string' },
        check: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
    if (values.help) return { kind: 'help' }
    if (values.version) return { kind: 'version' }
    const [verb = 'serve', ...more] = positionals
    if (verb === 'copy' && more.length === 0) return readCopy(values)
    if (verb !== 'serve' || more.length > 0)
      return { kind: 'misused', problem: `Unknown command: ${positionals.join(' ')}` }
    if (values.from !== undefined || values.to !== undefined)
      return { kind: 'misused', problem: '--from and --to belong to mailwright copy' }
    const { config, role: wanted = 'all' } = values
    const role = ROLES.find((role) => role === wanted)
    if (role === undefined) return { kind: 'misused', problem: `--role must be one of ${ROLES.join(', ')}` }
    return values.check ? { kind: 'check', config } : { kind: 'serve', config, role }
  } catch (error) {
    return { kind: 'misused', problem: error instanceof Error ? error.message : String(error) }
  }
}

function readCopy({ from, to, ...others }: Readonly<Record<string, string | boolean | undefined>>): Command {
  const [other] = Object.keys(others)
  if (other !== undefined) return { kind: 'misused', problem: `--${other} does not belong to mailwright copy` }
  const text = (value: typeof from) => (typeof value === 'string' ? value : undefined)
  const places = readPlaces(text(from), text(to))
  return 'problem' in places ? { kind: 'misused', problem: places.problem } : { kind: 'copy', ...places }
}
