// Installs the packages of optional parts into a clone that has those of production alone: npm run add postgres s3
// Versions are given and nothing is saved, since npm leaves out of "--omit=dev" whatever package.json names for developers.
import { spawnSync } from 'node:child_process'
import { OPTIONAL_PACKAGES } from '../dist/core/plugin/optional-packages.js'

const parts = process.argv.slice(2)
const known = Object.keys(OPTIONAL_PACKAGES)
if (parts.length === 0 || parts.some((part) => !known.includes(part))) {
  console.error(`Name what to add: npm run add ${known.join(' ')}`)
  process.exit(64)
}
const packages = parts.flatMap((part) => OPTIONAL_PACKAGES[part])
const { status } = spawnSync('npm', ['install', '--no-save', '--save-prod', '--omit=dev', ...packages], {
  stdio: 'inherit',
  shell: process.platform === 'win32',
})
process.exit(status ?? 1)
