#!/usr/bin/env node
import { nodeProblem } from './node-version.ts'

// The program is loaded only after this check, or an older Node would end at an import it does not know, with an
// unclear message.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) await import('./main.ts')
else {
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
}
