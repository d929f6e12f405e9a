// Installs the packages of optional parts into a clone that has those of production alone: npm run add postgres s3
// Versions are given and nothing is saved, since npm leaves out of "--omit=dev" whatever package.json names for developers.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { OPTIONAL_PACKAGES } from '../dist/core/plugin/optional-packages.js'

const { devDependencies } = read('package.json')
/** With a Node for machines whose own is too old; `npm start` and `npx` find it. */
const PACKAGES = { ...OPTIONAL_PACKAGES, node: [`node@${devDependencies.node}`] }

const parts = process.argv.slice(2)
const known = Object.keys(PACKAGES)
if (parts.length === 0 || parts.some((part) => !known.includes(part))) {
  console.error(`Name what to add: npm run add ${known.join(' ')}`)
  process.exit(64)
}
const wanted = parts.flatMap((part) => PACKAGES[part])
if (wanted.every((each) => versionOf(each) === each.slice(each.lastIndexOf('@') + 1))) {
  console.log(`Installed already: ${wanted.join(' ')}`)
  process.exit(0)
}
// npm takes away whatever is neither saved nor named: what was added before is named again
const before = known.filter((part) => PACKAGES[part].every((each) => versionOf(each) !== undefined))
const packages = [...new Set([...parts, ...before])].flatMap((part) => PACKAGES[part])
const { status } = spawnSync('npm', ['install', '--no-save', '--save-prod', '--omit=dev', ...packages], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)

/** The version of a package that is installed; undefined when it is not. */
function versionOf(spec) {
  const manifest = `node_modules/${spec.slice(0, spec.lastIndexOf('@'))}/package.json`
  return existsSync(manifest) ? read(manifest).version : undefined
}

function read(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
