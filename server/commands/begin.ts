import { type Command, InvalidArgumentError, Option } from 'commander'
import * as v from 'valibot'
import { addressFault, EmailAddress } from '../../core/values/email-address.ts'
import { isId } from '../../core/values/id.ts'

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

/** `--url`, for commands that ask a running server. */
export function urlOption(): Option {
  return new Option(
    '--url <url>',
    'the address of the server (default: MAILWRIGHT_URL); the key is in MAILWRIGHT_API_KEY, since others see arguments',
  )
}

/** An argument that is the name of a project. */
export function readName(text: string): string {
  const name = text.trim()
  if (name.length > 0 && name.length <= 200 && !/\p{Cc}/u.test(name)) return name
  throw new InvalidArgumentError('It must have 1 to 200 characters, on one line.')
}

/** An argument that is an id. */
export function readId(text: string): string {
  if (isId(text)) return text
  throw new InvalidArgumentError('It must be an id, such as 01a20946-e313-7000-9fdb-53b7c6c39f98.')
}

/** An argument that is an e-mail address. */
export function readAddress(text: string): string {
  const read = v.safeParse(EmailAddress, text)
  if (read.success) return read.output
  throw new InvalidArgumentError(`It is no address: ${addressFault(text) ?? 'it is none'}.`)
}

/** The values of these options. */
export interface Common {
  readonly config?: string
  readonly json?: true
  readonly project?: string
  readonly url?: string
}
