import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { hostWith, PLAIN_ENV } from '../packed/pack.ts'

// Jest gives tests globals of their own and loads ES modules by another loader, which nothing else here does.

const run = promisify(execFile)
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-jest-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('runs the tests that docs/testing.md shows for Jest, as it says', async () => {
  const host = await hostWith(folder, 'host', [inject('tarball'), 'jest@30.5.2'])
  const page = readFileSync(join(host, 'node_modules/mailwright/docs/testing.md'), 'utf8')
  const blocks = [...page.matchAll(/^```js\n(.*?)^```/gms)].map(([, block = '']) => block)
  const own = blocks.filter((block) => block.includes("from '@jest/globals'"))
  expect(own).toHaveLength(1)
  writeFileSync(join(host, 'mail.test.js'), own.join())
  const [, options = ''] = /`NODE_OPTIONS=(\S+) jest`/.exec(page) ?? []
  const jest = [join(host, 'node_modules/jest/bin/jest.js'), '--json', '--outputFile=result.json']
  await run(process.execPath, jest, { cwd: host, env: { ...PLAIN_ENV, NODE_OPTIONS: options } })
  expect(JSON.parse(readFileSync(join(host, 'result.json'), 'utf8'))).toMatchObject({
    success: true,
    numPassedTests: 2,
    numFailedTests: 0,
    openHandles: [],
  })
}, 300_000)
