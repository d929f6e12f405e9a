// Asks the registry for known vulnerabilities of what is shipped: the packages in the bundle, which are packages for developers to
// npm, and those that are installed beside it. Fails for serious ones. A registry without that service fails nothing.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const { components } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8'))
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'))
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
const shipped = new Set([
  ...components.map(({ name }) => name),
  ...installed.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
])

const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', shell: process.platform === 'win32' })
const { vulnerabilities } = answered(stdout)
if (vulnerabilities === undefined) {
  console.log('The registry does not say: nothing was checked.')
} else {
  const found = Object.values(vulnerabilities).filter(({ name }) => shipped.has(name))
  for (const { name, severity, range } of found) console.log(`${severity}: ${name} ${range}`)
  console.log(`${shipped.size} packages are shipped, ${found.length} of them with known vulnerabilities.`)
  if (found.some(({ severity }) => /^(high|critical)$/.test(severity))) process.exitCode = 1
}

function answered(text) {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}
