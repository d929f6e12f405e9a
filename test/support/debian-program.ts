import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A program, and what its environment needs. */
export interface FoundProgram {
  readonly path: string
  /** Where the libraries it needs are found, as a variable of the environment. */
  readonly libraries: Readonly<Record<string, string>>
}

const CACHE = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
/** Daemons are not in the PATH of every user. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

/**
 * The program of the system, or one that is brought without root from Debian's packages: its own, and those of libraries
 * that a small system may not have. Undefined where neither is possible.
 */
export function debianProgram(name: string, packages: readonly string[]): FoundProgram | undefined {
  const installed = FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file))
  if (installed !== undefined) return { path: installed, libraries: {} }
  return unpacked(name) ?? brought(name, packages)
}

function unpacked(name: string): FoundProgram | undefined {
  const [path] = globSync(join(CACHE, name, 'usr/{bin,sbin}', name))
  if (path === undefined) return undefined
  const folders = globSync(join(CACHE, name, 'usr/lib/*-linux-*'))
  return { path, libraries: { LD_LIBRARY_PATH: folders.join(delimiter) } }
}

/** Downloads the packages and unpacks them beside ours; no root is needed for it, nor does it change the system. */
function brought(name: string, packages: readonly string[]): FoundProgram | undefined {
  if (spawnSync('dpkg', ['--version']).status !== 0) return undefined
  const cache = join(CACHE, name)
  // several test files may do so at once: the first that is done has done it for all
  const folder = `${cache}-${process.pid}`
  mkdirSync(join(folder, 'lists/partial'), { recursive: true })
  const apt = (...words: string[]) => spawnSync('apt-get', words, { cwd: folder, encoding: 'utf8' })
  // with the lists of the system, and else with ones that are fetched for this
  const own = ['-o', `Dir::State::lists=${join(folder, 'lists')}`, '-o', `Dir::Cache=${folder}`]
  // all at once, since each call reads the lists; a name that this release does not have ends a call for all
  const isAll = packages.length > 0 && apt('download', ...packages).status === 0
  for (const each of isAll ? [] : packages) {
    if (apt('download', each).status === 0) continue
    if (globSync(join(folder, 'lists/*Packages*')).length === 0) apt(...own, 'update')
    apt(...own, 'download', each)
  }
  for (const file of globSync(join(folder, '*.deb'))) spawnSync('dpkg', ['-x', file, folder])
  if (globSync(join(folder, 'usr/{bin,sbin}', name)).length > 0 && !existsSync(cache)) renameSync(folder, cache)
  rmSync(folder, { recursive: true, force: true })
  return unpacked(name)
}
