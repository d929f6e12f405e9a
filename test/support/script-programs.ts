import { globSync } from 'node:fs'
import { join } from 'node:path'
import { debianProgram } from './debian-program.ts'

/** A program that runs scripts: what to start, the first arguments, and what its environment needs. */
export interface ScriptProgram {
  readonly path: string
  readonly args: readonly string[]
  readonly libraries: Readonly<Record<string, string>>
}

const PHP = [
  ...['php8.2-cli', 'php8.2-common', 'php8.2-curl', 'libargon2-1', 'libsodium23', 'libedit2', 'libmagic1'],
  ...['libxml2', 'libcurl4', 'libbsd0'],
]

/** PHP with its curl extension: that of the system, or one brought from Debian's packages. */
export function php(): ScriptProgram {
  const installed = debianProgram('php', [])
  if (installed) return { ...installed, args: [] }
  const found = debianProgram('php8.2', PHP)
  const [curl] = found ? globSync(join(found.path, '../../lib/php/*/curl.so')) : []
  if (found && curl) return { ...found, args: ['-n', '-d', `extension=${curl}`] }
  throw new Error(
    'This test needs PHP: install php-cli and php-curl. On Debian 12 it is brought by itself, if apt-get reaches its packages.',
  )
}

/** Python 3 of the system, or one brought from Debian's packages. */
export function python(): ScriptProgram {
  const found = debianProgram('python3', [
    'python3-minimal',
    'python3.11-minimal',
    'libpython3.11-minimal',
    'libpython3.11-stdlib',
  ])
  if (found) return { ...found, args: [] }
  throw new Error('This test needs Python: install python3.')
}
