import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of tests that mostly wait, for clocks and for processes. */
const WAITING = ['engine', 'faults', 'crash', 'numbers', 'embedding', 'packed', 'redis', 'nightly']

/**
 * Runs files that wait and files that work by turns, so that the cores always have work. The waiting ones come in the first
 * half, and of each kind the large ones, which take longest, come first, so that none is waited for alone at the end. Files
 * that run a contract or the runner of tests are larger than they look.
 *
 * One project comes after the other, as the configuration lists them: a worker ends when the next file is of another project,
 * and a new one takes seconds to load the modules.
 */
export class ByTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = byTurns(files)
    const projects = files[0]?.project.vitest.projects ?? []
    return projects.flatMap((project) => inOrder.filter((file) => file.project === project))
  }
}

function byTurns(files: readonly TestSpecification[]): readonly TestSpecification[] {
  const sizes = new Map(files.map(({ moduleId }) => [moduleId, sizeOfFile(moduleId)]))
  const sizeOf = ({ moduleId }: TestSpecification) => sizes.get(moduleId) ?? 0
  const inOrder = files.toSorted((a, b) => sizeOf(b) - sizeOf(a) || (a.moduleId < b.moduleId ? -1 : 1))
  const waits = ({ moduleId }: TestSpecification) =>
    WAITING.some((folder) => moduleId.includes(`${sep}test${sep}${folder}${sep}`))
  const [waiting, working] = [inOrder.filter(waits), inOrder.filter((file) => !waits(file))]
  return inOrder.flatMap((_, i) => [waiting[i], working[i]].filter((file) => file !== undefined))
}

function sizeOfFile(path: string): number {
  const text = readFileSync(path, 'utf8')
  return /'\.\.\/contracts\/|\bvitest\.mjs\b/.test(text) ? CONTRACT + text.length : text.length
}

/** More than the longest file has characters. */
const CONTRACT = 100_000
