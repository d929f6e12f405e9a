import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import type { Environment } from '../../config/substitute.ts'
import { EngineError } from '../../core/errors.ts'

/** Makes a folder with these files, by path; it is gone after the test. */
export async function configFolder(files: Readonly<Record<string, string | Buffer>> = {}): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mailwright-config-')))
  onTestFinished(() => rm(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

/** Loads a config whose JSON file says this. */
export async function loadJson(document: unknown, env: Environment = {}): Promise<LoadedConfig> {
  const cwd = await configFolder({ 'mailwright.config.json': JSON.stringify(document) })
  return loadConfig({ cwd, env })
}

/** The problems a promise ends in, a line `field: message` each. */
export async function problemsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error = await loading.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!EngineError.is(error) || error.code !== 'CONFIG_INVALID') throw new Error('no CONFIG_INVALID', { cause: error })
  return error.fields.map(({ field, message }) => `${field}: ${message}`)
}
