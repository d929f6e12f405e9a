import { type Command, Option } from 'commander'

/** Notes what a command line asks for. It is run once the whole line has been read. */
export type Begin = (command: Command, run: () => Promise<number>) => void

/** `--config`. */
export function configOption(): Option {
  return new Option(
    '-c, --config <file>',
    'a .ts, .js, .mjs, .json or .yaml file (default: mailwright.config.* here, or the environment alone)',
  )
}

/** `--json`. */
export function jsonOption(): Option {
  return new Option('--json', 'print JSON, for scripts')
}

/** `--project`. */
export function projectOption(): Option {
  return new Option('-p, --project <project>', 'its id or its name; not needed where there is only one')
}

/** What these options give. */
export interface Common {
  readonly config?: string
  readonly json?: true
  readonly project?: string
}
