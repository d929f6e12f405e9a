import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { type Answer, ownProject, type TestApp, testApp } from '../support/app.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { ANY } from '../support/matrix.ts'
import { linkPackages, linkProduct } from '../support/mounted-host.ts'
import { dataBlocks, goneBlocks } from '../support/page-json.ts'
import { allBlocks, type Block } from '../support/run-page.ts'

// The blocks of the documentation that are no commands: configurations are loaded, steps and requests are sent, and code is
// compiled. Those that are answers are compared in pages.test.ts.

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const BLOCKS = allBlocks()
const DATA = dataBlocks()

/** Languages of blocks that other tests run, or that no program of ours reads. */
const NOT_HERE: Readonly<Record<string, string>> = {
  ...{ '': 'drawings and answers', text: 'answers', html: 'parts of pages of others', csv: 'files: pages.test.ts' },
  ...{ sql: 'test/engine/send-by-sql.test.ts', python: 'test/engine/send-by-sql.test.ts' },
  ...{
    tsx: 'test/examples/react-email.test.ts',
    jsx: 'packages of others',
    javascript: 'packages of others',
    vue: 'packages of others',
  },
  ...{ liquid: 'parts of templates', nginx: 'needs nginx', ini: 'the configuration of other programs', diff: '' },
}
const HERE = ['sh', 'json', 'jsonc', 'yaml', 'http', 'ts', 'js']

it('are of languages that are tried, or stand in the table with the reason why not', () => {
  const strange = BLOCKS.filter(({ language }) => !HERE.includes(language) && NOT_HERE[language] === undefined)
  expect(strange).toEqual([])
  expect(goneBlocks()).toEqual([])
})

/** The value of a variable of a configuration, where it is not just any secret. */
const VARIABLES: Readonly<Record<string, string>> = {
  ...{ DATABASE_URL: 'postgres://a:b@c/d', REDIS_URL: 'redis://c:6379', MAILWRIGHT_KEY: `sk_${'k'.repeat(48)}` },
  ...{ NORTH_KEY: `sk_${'n'.repeat(48)}`, SOUTH_KEY: `sk_${'s'.repeat(48)}` },
  SENDGRID_VERIFICATION_KEY: generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64'),
}
const ANY_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const CERTIFICATE = join(ROOT, 'test/support/localhost-')
/** Parts of a configuration name a transport that stands in another part. */
const OTHER_PARTS = {
  transports: ['main', 'bulk'].map((name) => ({ name, use: 'smtp', options: { host: `${name}.example.com` } })),
}

it.each(DATA.filter(({ kind }) => kind === 'config'))('the configuration in $name is loaded', async ({ value }) => {
  const key = join(freshFolder(), 'mail.pem')
  writeFileSync(key, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const text = JSON.stringify({ ...OTHER_PARTS, ...(value as object) })
    .replaceAll(/"[^"]*\/(key|cert)\.pem"/g, (_, part) => JSON.stringify(`${CERTIFICATE}${part}.pem`))
    .replaceAll('./mail.pem', key)
    .replaceAll('pk_…', `pk_${'a'.repeat(48)}`)
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, VARIABLES[name] ?? ANY_SECRET])
  const { warnings } = await loadConfig({ document: JSON.parse(text), env: Object.fromEntries(names) })
  expect(warnings).toEqual([])
})

describe('requests', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(ANY)
  })

  it.each(DATA.filter(({ kind }) => kind === 'step'))('the step in $name is added', async ({ value }) => {
    const { ask } = await ownProject(test)
    await ask('POST', '/templates', {
      json: { name: 'A', slug: 'welcome', subject: 'A', body: 'A', type: 'MARKETING' },
    })
    const { id } = (await ask('POST', '/workflows', { json: { name: 'A', eventName: 'a' } })).body
    accepted(await ask('POST', `/workflows/${id}/steps`, { json: value }))
  })

  it.each(BLOCKS.filter(({ language }) => language === 'http'))('the one in $name is answered', async ({ text }) => {
    const { ask } = await ownProject(test)
    const [, method = '', path = '', raw = ''] = /^(\w+) (\S+)\n(.*)$/s.exec(text) ?? []
    accepted(await ask(method, path, { json: JSON.parse(raw) }))
  })
})

function accepted({ status, text }: Answer): void {
  expect(status, text).toBeLessThan(300)
}

/** Pages whose code runs in another test, which takes it from the page. */
const RUN_ELSEWHERE: Readonly<Record<string, string>> = {
  'README.md': 'test/packed/embedding.test.ts',
  'docs/embedding.md': 'test/packed/embedding.test.ts',
  'docs/testing.md': 'test/packed/embedding.test.ts',
  'docs/mounting.md': 'test/support/mounted-host.ts',
}
/** A part of the house, which compiles only within it, and slowly. */
const IN_THE_HOUSE = 'docs/CONTRIBUTING.md'

/** The lines that blocks which are parts of a program take from the rest of it, by their first line. */
const REST: Readonly<Record<string, string>> = {
  'docs/client.md: /** Sends a welcome': `import type { MailwrightClient } from 'mailwright/client'`,
  'docs/coming-from-plunk.md': `import Client from '@plunk/node'
    const { default: Plunk } = Client`,
  'docs/deliverability.md: const { addresses }': `import type { Engine } from 'mailwright'
    declare const engine: Engine`,
  'docs/hooks.md': `declare const secret: string`,
  'docs/plugins.md: import { createServer }': `declare const acmeReceiver: (options: { port: number }) => unknown`,
}

/** Files that blocks import: the plugin is that of the first block of its page. */
const FILES: Readonly<Record<string, string>> = {
  'acme.ts': BLOCKS.find(({ page, language }) => page === 'docs/plugins.md' && language === 'ts')?.text ?? '',
  'app.ts': `export declare function signUp(email: string): Promise<void>
    export declare function confirm(email: string, code: string | null): boolean`,
  'acme-dns.ts': `import type { Plugin } from 'mailwright'
    export declare const acmeDns: (options: { server: string }) => Plugin<'dns'>`,
  'fake-acme.ts': `import type { GarbledAnswer, ReceivedMail } from 'mailwright/contracts'
    export declare function startFakeAcme(): Promise<{ readonly mails: readonly ReceivedMail[],
      close(): Promise<void>, fallSilent(): void, answer(status: number): void, say(answer: GarbledAnswer): void, breakOff(): void }>`,
}
/** Stands for what the reader writes. */
const whole = (text: string) => text.replaceAll('=> …', '=> null as never')

it('all code compiles, or runs in another test', async () => {
  for (const [page, file] of Object.entries(RUN_ELSEWHERE)) expect(readFileSync(file, 'utf8')).toContain(page)
  const isHere = ({ page }: Block) => RUN_ELSEWHERE[page] === undefined && page !== IN_THE_HOUSE
  const code = BLOCKS.filter((block) => /^[tj]s$/.test(block.language) && isHere(block))
  const folder = freshFolder()
  const files = code.map(({ text, language, name }, at) => {
    const rest = Object.entries(REST).find(([start]) => name.startsWith(start))?.[1] ?? ''
    const file = `block-${at}.${language}`
    writeFileSync(join(folder, file), `${rest}\n${whole(text)}\nexport {}\n`)
    return file
  })
  const compilerOptions = {
    ...{
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      allowJs: true,
      target: 'esnext',
      lib: ['esnext'],
      module: 'nodenext',
    },
    ...{ allowImportingTsExtensions: true, types: ['node'] },
  }
  linkProduct(folder)
  linkPackages(folder, ['valibot', 'vitest', 'standardwebhooks', '@plunk/node', 'nodemailer', '@types/node'])
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), whole(text))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const { stdout } = await promisify(execFile)(
    join(ROOT, 'node_modules/.bin/tsc'),
    ['--singleThreaded', '-p', folder],
    {
      cwd: folder,
    },
  ).catch((error: { stdout: string }) => error)
  const named = stdout.replaceAll(/^block-(\d+)\.\w+/gm, (_, at) => code[Number(at)]?.name ?? '')
  expect(named).toBe('')
})
