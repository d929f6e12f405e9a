import { sep } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that wait long, for clocks and for processes, come first: at the end one of them would be waited for alone. */
const FIRST = ['faults', 'crash', 'numbers', 'embedding', 'browser', 'engine', 'http']

/** Runs the folders of tests in this order. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((folder) => moduleId.includes(`${sep}test${sep}${folder}${sep}`))
      return at < 0 ? FIRST.length : at
    }
    return files.toSorted((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}
