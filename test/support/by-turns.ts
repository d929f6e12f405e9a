import { sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Folders of tests that mostly wait, for clocks and for processes. */
const WAITING = ['browser', 'engine', 'faults', 'crash', 'numbers', 'embedding']

/**
 * Runs files that wait and files that work by turns, so that the cores always have work, and the waiting ones in the first
 * half, so that none is waited for alone at the end.
 */
export class ByTurns extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const inOrder = files.toSorted((a, b) => (a.moduleId < b.moduleId ? -1 : 1))
    const waits = ({ moduleId }: TestSpecification) =>
      WAITING.some((folder) => moduleId.includes(`${sep}test${sep}${folder}${sep}`))
    const [waiting, working] = [inOrder.filter(waits), inOrder.filter((file) => !waits(file))]
    return inOrder.flatMap((_, i) => [waiting[i], working[i]].filter((file) => file !== undefined))
  }
}
