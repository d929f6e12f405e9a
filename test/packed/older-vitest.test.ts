import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hostWith, PLAIN_ENV, packInto } from './pack.ts'

// The contracts in packages of others, which have another Vitest than this repository and leave its limits as they are: 5 seconds
// for a test, 10 for a hook. Here the limits are longer, so no other test notices one that is slow or uses what is new.

const run = promisify(execFile)
let folder: string
let tarball: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-contracts-'))
  tarball = await packInto(folder)
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each(['3.2.4', '4.1.12'])('Vitest %s runs the contracts, and they pass within its limits', async (version) => {
  const host = await hostWith(folder, `vitest-${version}`, [tarball, `vitest@${version}`, 'valibot'])
  const mailwright = join(host, 'node_modules/mailwright/dist/server/bin.js')
  const kinds = ['transport', 'queue', 'blobs', 'hook']
  for (const kind of kinds)
    await run(process.execPath, [mailwright, 'plugin', 'new', kind, `my-${kind}`], { cwd: host, env: PLAIN_ENV })
  writeFileSync(join(host, 'others.test.ts'), OTHERS)
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
  expect(testResults).toHaveLength(kinds.length + 1)
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

/** Contracts for which there is no template, with the plugins of the package. */
const OTHERS = `
  import { createServer, connect } from 'node:net'
  import { once } from 'node:events'
  import { describe } from 'vitest'
  import { silentLog, systemClock } from 'mailwright'
  import * as contracts from 'mailwright/contracts'
  import { dkimIdentity } from 'mailwright/plugins/identity-dkim'
  import { cron } from 'mailwright/plugins/scheduler-cron'
  import { submissionServer } from 'mailwright/plugins/submission-smtp'
  import { webhooksHttp } from 'mailwright/plugins/webhooks-http'

  const kit = { log: silentLog, clock: systemClock }

  describe('scheduler', () => contracts.schedulerContract(async () => {
    const { scheduler } = await cron().open(kit)
    return { scheduler, other: undefined, close: () => scheduler.stop() }
  }))

  describe('webhooks', () => contracts.webhookSenderContract(async (egress) => {
    const { webhooks } = await webhooksHttp().open({ ...kit, egress })
    return { webhooks, close: async () => {} }
  }))

  describe('identity', () => contracts.senderIdentityContract(async () => {
    const { identity } = await dkimIdentity().open(kit)
    const records = new Map()
    const found = (type) => async (name) => {
      const answer = records.get(type + name) ?? []
      if (answer instanceof Error) throw answer
      return answer.map((each) => (Array.isArray(each) ? each.join('') : each))
    }
    const zone = {
      set: (name, type, answer) => void records.set(type + name, answer),
      fail: (name) => {
        for (const type of ['A', 'AAAA', 'CNAME', 'NS', 'PTR', 'MX', 'TXT']) records.set(type + name, new Error('no answer'))
      },
    }
    const [mx, txt, ns, cname] = [found('MX'), found('TXT'), found('NS'), found('CNAME')]
    const dns = { mx, txt, ns, cname, ipv4: found('A'), ipv6: found('AAAA'), ptr: found('PTR') }
    return { identity, dns, zone, close: async () => {} }
  }))

  describe('submission', () => contracts.submissionMailContract(async () => {
    const probe = createServer().listen(0, '127.0.0.1')
    await once(probe, 'listening')
    const { port } = probe.address()
    await new Promise((closed) => probe.close(closed))
    const { submission } = await submissionServer({ host: '127.0.0.1', port, allowInsecureAuth: true }).open(kit)
    return { submission, port: () => port, close: () => submission.stop(0) }
  }))`
