// npm leaves `"gypfile": false` out of the lock file; "npm ci" then compiles better-sqlite3, whose binaries are in its package.
import { readFileSync, writeFileSync } from 'node:fs'

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
lock.packages['node_modules/better-sqlite3'].gypfile = false
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
