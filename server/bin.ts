#!/usr/bin/env node
import { nodeProblem } from './node-version.ts'

// The program is loaded only now: an older Node would end at an import it does not know, with words that help nobody.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) await import('./main.ts')
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
