import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { EngineError } from '../core/errors.ts'
import { readDatabaseUrl } from './database-url.ts'
import { loadConfig } from './load.ts'
import { readSmtpUrl } from './smtp-url.ts'

/** What a first configuration says. Empty: as without it. */
export interface FirstConfig {
  readonly name: string
  readonly domain: string
  readonly publicUrl: string
  readonly smtp: string
  readonly database: string
}

/**
 * Writes a configuration file, readable by its user alone, and reads it as the server would. Answers its path. Throws
 * EngineError, with no file left: `CONFLICT` when there is one already, `CONFIG_INVALID` with what is wrong.
 */
export async function writeConfig(path: string, { name, domain, ...given }: FirstConfig): Promise<string> {
  const config: Record<string, unknown> = { server: { publicUrl: given.publicUrl } }
  const store = readDatabaseUrl(given.database)
  if ('problem' in store) throw invalid('--database', store.problem)
  config.store = store
  if (given.smtp !== '') {
    const smtp = readSmtpUrl(given.smtp)
    if ('problem' in smtp) throw invalid('--smtp', smtp.problem)
    config.transports = [{ name: 'main', use: 'smtp', options: smtp.options }]
  }
  config.projects = [{ name, trustedDomains: [domain] }]
  // what looks like a variable stands for itself
  const text = `${JSON.stringify(config, null, 2)}\n`.replaceAll('${', () => '$${')
  const file = resolve(path)
  await write(file, text)
  try {
    await loadConfig({ path: file })
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
  return file
}

async function write(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    throw new EngineError('CONFLICT', `${file} exists already: change it, or name another file with --config.`)
  })
  try {
    await handle.writeFile(text)
  } finally {
    await handle.close()
  }
}

function invalid(field: string, message: string): EngineError {
  return new EngineError('CONFIG_INVALID', `${field} ${message}`, { fields: [{ field, code: 'custom', message }] })
}
