import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hostWith, PLAIN_ENV } from '../packed/pack.ts'

// The contracts in packages of others, which have another Vitest than this repository and leave its limits as they are: 5 seconds
// for a test, 10 for a hook. Here the limits are longer, so no other test notices one that is slow or uses what is new.

const run = promisify(execFile)
/** All that `plugin new` writes. */
const KINDS = 'transport queue blobs hook scheduler dns webhooks identity inbound submission'.split(' ')
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-contracts-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(['3.2.4', '4.1.12'])('Vitest %s runs the contracts, and they pass within its limits', async (version) => {
  const host = await hostWith(folder, `vitest-${version}`, [
    inject('tarball'),
    `vitest@${version}`,
    'valibot',
    'nodemailer',
  ])
  const mailwright = join(host, 'node_modules/mailwright/dist/server/bin.js')
  for (const kind of KINDS)
    await run(process.execPath, [mailwright, 'plugin', 'new', kind, `my-${kind}`], { cwd: host, env: PLAIN_ENV })
  const vitest = join(host, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--reporter=json', '--outputFile=result.json']
  const failure = await run(process.execPath, args, { cwd: host, env: PLAIN_ENV, maxBuffer: 1e8 }).then(
    () => '',
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  )
  const { testResults } = JSON.parse(readFileSync(join(host, 'result.json'), 'utf8')) as Results
  const failed = testResults.flatMap(({ name, message, assertionResults }) => [
    ...(message ? [`${name}: ${message}`] : []),
    ...assertionResults.flatMap((each) => (each.status === 'failed' ? [each.fullName, ...each.failureMessages] : [])),
  ])
  expect(failed, failure).toEqual([])
  expect(testResults).toHaveLength(KINDS.length)
  const passed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed')
  expect(passed.length).toBeGreaterThan(200)
}, 400_000)

interface Results {
  readonly testResults: readonly {
    readonly name: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}
