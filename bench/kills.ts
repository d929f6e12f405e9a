import { spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * `npm run kills -- 200`: kills the server so many times in the middle of accepting and sending, half of them on SQLite and
 * half on PostgreSQL, half with one next hop and half with rules, a quota and a next hop that falls and comes back, and
 * counts what arrived. It runs `test/crash/sigkill.test.ts`, which kills twice in the suite.
 */
const kills = Math.ceil(Number(process.argv[2] ?? 20) / 4)
const child = spawn('npx', ['vitest', 'run', '--project', 'faults', 'test/crash/sigkill.test.ts'], {
  stdio: 'inherit',
  env: { ...process.env, KILLS: String(kills) },
})
const [code] = await once(child, 'exit')
process.exit(code)
