import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** A field for topics takes this line, and the command that writes the migrations. */
const LINE = "  note: [optional(text(0, 500)), 'A note for the team.', given('create', 'change')],\n"

it('one line in the record of a noun is a field of the store, the API and its document', () => {
  const copy = copyOfTree()
  const record = join(copy, 'core/ports/store/topics.ts')
  const code = readFileSync(record, 'utf8')
  writeFileSync(record, code.replace('  ...TIMES,\n})\nexport interface Topic', `${LINE}$&`))
  const run = (...command: readonly string[]) =>
    execFileSync(process.execPath, command, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

  const migration = ['--experimental-transform-types', '--no-warnings', '.ci/migration.mjs', 'topic-notes']
  expect(run(...migration, 'Topics have a note.')).toContain('-topic-notes.ts')
  // checkers beside each other would check the same types once each: twice the work, on cores that are busy
  run('node_modules/typescript/bin/tsc', '--noEmit', '--incremental', 'false', '--singleThreaded')
  // among the tests that load the sources: nothing is compiled there
  cpSync(join(copy, 'test/programs/new-field/requests.ts'), join(copy, 'test/rooms/new-field/requests.test.ts'))
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'main', '--maxWorkers', '1']
  expect(run(...vitest, 'test/rooms/new-field/requests.test.ts')).toMatch(/Tests .*1 passed/)
}, 400_000)

/** The files of the repository, as they are now, over its packages. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), 'mailwright-tree-'))
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }))
  const git = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' }).split('\0')
  for (const file of files) {
    if (/^(?:\.ci|bench|config|core|examples|plugins|server|test)\/|^[\w.-]+$/.test(file))
      cpSync(join(ROOT, file), join(copy, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
