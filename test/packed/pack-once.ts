import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

/** Packs the package once for all files of a test run, as `npm publish` would: they only read it. */
export default async function packOnce(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-tarball-'))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: join(import.meta.dirname, '../..') })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  project.provide('tarball', join(folder, filename))
  return () => rmSync(folder, { recursive: true, force: true })
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the packed package. */
    tarball: string
  }
}
