#!/usr/bin/env node
import module from 'node:module'
import { fileURLToPath } from 'node:url'
import { nodeProblem } from '../config/node-version.ts'

// The program is loaded only after this check, or an older Node would end at an import it does not know, with an
// unclear message.
const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  // compiled code is kept beside the packages, where only who may change the code itself can write; without that it is not kept
  // Deno has none
  module.enableCompileCache?.(fileURLToPath(new URL('../../node_modules/.cache/mailwright', import.meta.url)))
  await import('./main.ts')
} else {
  const newer =
    'As a package: install a newer Node (https://nodejs.org), or "npm install node@24" in the same folder, and start it by "npx mailwright". In a clone "npm run add node" installs one, which "npm start" and "npx mailwright" then use ("npm ci" brings it, too, but not with --omit=dev).'
  process.stderr.write(`${problem} ${newer}\n`)
  process.exitCode = 1
}
