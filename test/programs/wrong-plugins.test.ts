import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'

const FILES = globSync('test/wrong-plugins/*.wrong.ts').sort()

interface Result {
  readonly title: string
  readonly fullName: string
  readonly ancestorTitles: readonly string[]
  readonly status: string
}

interface FileResult {
  readonly name: string
  readonly assertionResults: readonly Result[]
}

/** All tests of the right plugins; of a wrong one, those that may catch it, whose words stand in its title. */
const TESTS = '^the right one|=> (.+) \\| .*\\1'

/** Runs all files of wrong plugins as their authors would, and answers the tests of each. They mostly wait: so several at once. */
async function results(): Promise<ReadonlyMap<string, readonly Result[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'wrong-'))
  const into = join(folder, 'results.json')
  const config = ['--config', 'test/wrong-plugins/vitest.config.ts', '--maxWorkers', '3']
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...config, '-t', TESTS]
  try {
    // it ends with 1, since tests must fail
    await promisify(execFile)(process.execPath, [...vitest, '--reporter=json', `--outputFile=${into}`], {
      maxBuffer: 1e9,
    }).catch(() => {})
    const { testResults } = JSON.parse(readFileSync(into, 'utf8')) as { testResults: readonly FileResult[] }
    return new Map(testResults.map(({ name, assertionResults }) => [relative(process.cwd(), name), assertionResults]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

let found: ReadonlyMap<string, readonly Result[]>
beforeAll(async () => {
  found = await results()
}, 400_000)

it.each(FILES)('the contract catches each mistake of %s, and passes without it', (file) => {
  const all = found.get(file) ?? []
  const failed = (plugin: string) =>
    all
      .filter(({ ancestorTitles, status }) => ancestorTitles.includes(plugin) && status === 'failed')
      .map(({ fullName }) => fullName.slice(plugin.length + 1))
  const plugins = [...new Set(all.flatMap(({ ancestorTitles }) => ancestorTitles[0] ?? []))]
  expect(plugins.length).toBeGreaterThan(1)
  expect(failed('the right one')).toEqual([])
  const missed = plugins.flatMap((plugin) => {
    const [, caughtBy] = plugin.split(/ => | \|$/)
    if (caughtBy === undefined || failed(plugin).some((name) => name.includes(caughtBy))) return []
    return [{ plugin, failed: failed(plugin) }]
  })
  expect(missed).toEqual([])
})
