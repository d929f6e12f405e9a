// Mends what npm writes into the lock file. "gypfile": without its false, "npm ci" compiles better-sqlite3, whose binaries
// are in its package. Optional peers: a package that production only could use (valibot has one on typescript), and that
// tests need, would be installed by "npm ci --omit=dev" as well; without the peer in the lock file it counts as for tests.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const read = () => JSON.parse(readFileSync('package-lock.json', 'utf8'))
const write = (lock) => writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)

const lock = read()
const { '': root, ...packages } = lock.packages
for (const entry of Object.values(packages)) {
  for (const name of Object.keys(entry.peerDependenciesMeta ?? {})) {
    if (!(name in root.devDependencies)) continue
    delete entry.peerDependencies[name]
    delete entry.peerDependenciesMeta[name]
  }
}
write(lock)
// marks anew what is for tests alone
execFileSync('npm', ['install', '--package-lock-only'], { stdio: 'inherit', shell: process.platform === 'win32' })
const marked = read()
marked.packages['node_modules/better-sqlite3'].gypfile = false
write(marked)
