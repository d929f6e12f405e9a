import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { loadOptional } from '../core/plugin/optional-packages.ts'
import type { CopySide } from '../plugins/kit/sql/copy/copy-side.ts'
import type { CopyOptions, CopyReport } from '../plugins/kit/sql/copy/copy-store.ts'
import { type DatabaseUrl, readDatabaseUrl } from './database-url.ts'

export type { CopyOptions, CopyProgress, CopyReport, TableCount } from '../plugins/kit/sql/copy/copy-store.ts'

/** A database, given as a file or a URL. */
export type CopyPlace = Exclude<DatabaseUrl, { problem: string }>

/** Reads the two places, or says what is wrong with them. Nothing is opened, and the problem contains no password. */
export function readPlaces(
  from: string | undefined,
  to: string | undefined,
): { readonly from: CopyPlace; readonly to: CopyPlace } | { readonly problem: string } {
  const [source, target] = [readPlace('--from', from), readPlace('--to', to)]
  if ('problem' in source) return source
  if ('problem' in target) return target
  return { from: source, to: target }
}

/**
 * Copies all data of one database into another. The source is not changed. The target is migrated to this
 * version, and must be empty or hold the beginning of the same copy. Throws EngineError, whose message says
 * which of the two cannot be used.
 */
export async function copyData(from: CopyPlace, to: CopyPlace, options: CopyOptions): Promise<CopyReport> {
  if ((await identityOf(from)) === (await identityOf(to))) {
    throw new EngineError('CONFIG_INVALID', '--from and --to are the same database')
  }
  const { copyStore } = await import('../plugins/kit/sql/copy/copy-store.ts')
  const source = await open(from, 'from')
  try {
    const target = await open(to, 'to')
    try {
      return await copyStore(source, target, options)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

function readPlace(option: string, text: string | undefined): CopyPlace | { readonly problem: string } {
  if (text === undefined || text.trim() === '') return { problem: `${option} is missing: name a file or a URL` }
  const place = readDatabaseUrl(text)
  if ('problem' in place) return { problem: `${option} ${place.problem}` }
  if (place.use === 'sqlite' && place.options.file === ':memory:') {
    return { problem: `${option} must be a file or a URL: what is in memory ends with the program` }
  }
  return place
}

/** Equal for two names of one database, as far as names show it. */
async function identityOf(place: CopyPlace): Promise<string> {
  if (place.use === 'sqlite') {
    const file = resolve(place.options.file)
    return realpath(file).catch(() => file)
  }
  if (!URL.canParse(place.options.url)) return place.options.url
  const { hostname, port, pathname } = new URL(place.options.url)
  return `postgres://${hostname}:${port || '5432'}${pathname}`
}

async function open(place: CopyPlace, end: 'from' | 'to'): Promise<CopySide> {
  try {
    if (place.use === 'sqlite') {
      return await (await import('../plugins/store-sqlite/copy-side.ts')).sqliteSide(place.options.file, end)
    }
    const side = () => import('../plugins/store-postgres/copy-side.ts')
    return await (await loadOptional('store-postgres', 'postgres', side, ['pg'])).postgresSide(place.options.url, end)
  } catch (error) {
    if (!EngineError.is(error)) throw error
    // the plugins name the config's option; here it is the command line's
    const message = error.message.replace(/^(?:store\.options\.url|store-sqlite: file): /, '')
    throw new EngineError(error.code, `--${end}: ${message}`, { cause: error })
  }
}
