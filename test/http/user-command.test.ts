import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { readCommand } from '../../server/command-line.ts'
import { COMPILE_CACHE } from '../support/server-process.ts'

/** The compiled program: `npm test` builds it first. */
const MAIN = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

it('mailwright user makes a user with the password on its input, who can log in, and says what is wrong with others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-user-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const run = (args: readonly string[], input: string) =>
    spawnSync(process.execPath, [MAIN, ...args], {
      ...{ cwd: folder, input, encoding: 'utf8' },
      env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE },
    })
  const made = run(['user', 'Ada@Example.org'], 'correct horse battery\nnot this line\n')
  expect(made).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^ada@example\.org can log in .*; user [\w-]+\.$/m),
  })
  const short = run(['user', 'ada'], 'short')
  expect(short).toMatchObject({ status: 1, stdout: '' })
  expect(short.stderr).toContain('email: must be an e-mail address')
  expect(short.stderr).toContain('password: must have at least 8 characters')
  expect(readCommand(['user'])).toMatchObject({ kind: 'misused', problem: 'mailwright user needs one e-mail address' })
  expect(readCommand(['user', 'a@b.example', '--port', '1'])).toMatchObject({ kind: 'misused' })

  const store = sqlite({ file: join(folder, 'data', 'mailwright.db') })
  const engine = await createEngine({ store, log: silentLog })
  onTestFinished(() => engine.stop())
  const entered = await engine.accounts.login({ email: 'ada@example.org', password: 'correct horse battery' })
  expect(entered).toHaveProperty('session')
  expect(entered.user.verifiedAt).toBeDefined()
  await expect(engine.accounts.signup({ email: 'bob@example.org', password: 'long enough' })).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
}, 60_000)
