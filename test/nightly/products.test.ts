import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { submissionServer } from '../../plugins/submission-smtp/index.ts'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { PLAIN_ENV } from '../packed/pack.ts'
import { PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'

// The examples within the products that they are for, which `.ci/products` locks: test/packed/frameworks.test.ts calls the
// same examples by themselves.

const run = promisify(execFile)
// what Strapi's package wants beside it is its whole dashboard
const QUIET = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--legacy-peer-deps']

let folder: string
let test: TestApp
let server: HttpServer
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-products-'))
  for (const file of ['package.json', 'package-lock.json']) cpSync(`.ci/products/${file}`, join(folder, file))
  const options = { cwd: folder, env: PLAIN_ENV, maxBuffer: 1e8 }
  await run('npm', ['ci', ...QUIET], options)
  await run('npm', ['install', '--no-save', ...QUIET, inject('tarball')], options)
  for (const example of ['payload.ts', 'strapi.ts']) cpSync(`examples/${example}`, join(folder, example))
  test = await testApp(ANY)
  server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  env = { ...PLAIN_ENV, MAILWRIGHT_URL: server.url, MAILWRIGHT_KEY: SECRET }
}, 900_000)

afterAll(async () => {
  await server?.close(0)
  if (folder) rmSync(folder, { recursive: true, force: true })
})

async function printedBy(program: string): Promise<string> {
  writeFileSync(join(folder, 'app.mjs'), program)
  const { stdout } = await run(process.execPath, ['app.mjs'], { cwd: folder, env })
  return stdout.trim().split('\n').at(-1) ?? ''
}

/** The mails to an address, the newest first. */
async function mailsTo(address: string, { ask }: Pick<TestApp, 'ask'> = test) {
  const { body } = await ask('GET', `/emails?search=to:${address}`)
  const ids: string[] = body.data.map(({ id }: { id: string }) => id)
  return Promise.all(ids.map(async (id) => (await ask('GET', `/emails/${id}`)).body))
}

describe('the example runs within', () => {
  it('Payload: its verification, whose link verifies, its reset, and its sendEmail', async () => {
    const printed = await printedBy(
      `import { sqliteAdapter } from '@payloadcms/db-sqlite'
      import { buildConfig, getPayload } from 'payload'
      import { mailwrightAdapter } from './payload.ts'
      const config = buildConfig({
        secret: 'a secret of at least thirty-two characters',
        db: sqliteAdapter({ client: { url: 'file:./payload.db' } }),
        email: mailwrightAdapter,
        serverURL: 'http://app.example.com',
        telemetry: false,
        typescript: { autoGenerate: false },
        collections: [{ slug: 'users', auth: { verify: true }, fields: [] }],
      })
      const payload = await getPayload({ config })
      const [collection, email] = ['users', 'payload@example.org']
      await payload.create({ collection, data: { email, password: 'a long password' } })
      const ask = async (path) => (await fetch(process.env.MAILWRIGHT_URL + path, { headers: { authorization: 'Bearer ' + process.env.MAILWRIGHT_KEY } })).json()
      const [{ id }] = (await ask('/emails?search=to:' + email)).data
      const [, token] = /verify\\/([0-9a-f]+)/.exec((await ask('/emails/' + id)).body)
      await payload.verifyEmail({ collection, token })
      await payload.forgotPassword({ collection, data: { email } })
      await payload.sendEmail({ to: email, subject: 'Order {{ 7 }}', text: 'Sent', replyTo: ['a@example.com', 'b@example.com'] })
      const { docs } = await payload.find({ collection, showHiddenFields: true })
      console.log(docs[0]._verified)
      process.exit(0)`,
    )
    expect(printed).toBe('true')
    expect(await mailsTo('payload@example.org')).toMatchObject([
      {
        subject: 'Order {{ 7 }}',
        from: 'hello@example.com',
        fromName: 'Acme',
        replyTo: 'a@example.com, b@example.com',
      },
      { subject: 'Reset Your Password' },
      { subject: 'Verify your email' },
    ])
  })

  it('Strapi: its email plugin finds the provider, and its service sends', async () => {
    const printed = await printedBy(
      `import { createRequire } from 'node:module'
      import plugins from './strapi.ts'
      const server = createRequire(import.meta.url)('@strapi/email/strapi-server')
      const { bootstrap, services } = server.default ?? server
      const { config } = plugins({ env: (name) => process.env[name] }).email
      const email = {}
      const strapi = (globalThis.strapi = {
        config: { get: () => config },
        log: console,
        plugin: () => email,
        service: () => ({ actionProvider: { registerMany: async () => {} } }),
      })
      await bootstrap({ strapi })
      await services.email({ strapi }).send({ to: 'strapi@example.org', subject: 'Reset', html: '<p>Here {{ it }} is</p>' })
      console.log('sent')`,
    )
    expect(printed).toBe('sent')
    expect(await mailsTo('strapi@example.org')).toMatchObject([
      { subject: 'Reset', from: 'hello@example.com', fromName: 'Acme', replyTo: 'help@example.com' },
    ])
  })
  it('Ghost: its mailer takes the options of the file, but for the host and the login', async () => {
    const port = await freePort()
    const own = await testApp(ANY, {}, { submission: [submissionServer({ host: '127.0.0.1', port })] })
    onTestFinished(() => own.engine.stop())
    await own.engine.start()
    const { mail } = JSON.parse(readFileSync('examples/ghost.json', 'utf8'))
    const options = { ...mail.options, host: '127.0.0.1', port, auth: { user: PROJECT, pass: SECRET } }
    const message = { from: mail.from, to: 'ghost@example.org', subject: 'Sign in', text: 'Here {{ it }} is' }
    const printed = await printedBy(
      `import nodemailer from '@tryghost/nodemailer'
      const info = await nodemailer(${JSON.stringify(mail.transport)}, ${JSON.stringify(options)}).sendMail(${JSON.stringify(message)})
      console.log(info.response)`,
    )
    expect(printed).toMatch(/^250 /)
    expect(await mailsTo('ghost@example.org', own)).toMatchObject([{ subject: 'Sign in', from: 'hello@example.com' }])
  })
})
