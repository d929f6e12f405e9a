import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { php, python } from '../support/script-programs.ts'
import { freePort } from '../support/server-process.ts'
import { PLAIN_ENV } from './pack.ts'

// The examples for frameworks, in a program that has the packed product and the real frameworks, which `.ci/frameworks`
// locks apart from the project.

const run = promisify(execFile)
const QUIET = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']

let folder: string
let test: TestApp
let server: HttpServer
let env: NodeJS.ProcessEnv

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-frameworks-'))
  for (const file of ['package.json', 'package-lock.json']) cpSync(`.ci/frameworks/${file}`, join(folder, file))
  await run('npm', ['ci', ...QUIET], { cwd: folder, env: PLAIN_ENV, maxBuffer: 1e8 })
  await run('npm', ['install', '--no-save', ...QUIET, inject('tarball')], {
    cwd: folder,
    env: PLAIN_ENV,
    maxBuffer: 1e8,
  })
  test = await testApp(ANY)
  server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  env = { ...PLAIN_ENV, MAILWRIGHT_URL: server.url, MAILWRIGHT_KEY: SECRET, NEXT_TELEMETRY_DISABLED: '1' }
}, 900_000)

afterAll(async () => {
  await server?.close(0)
  if (folder) rmSync(folder, { recursive: true, force: true })
})

/** Runs a program that uses the example, which stands beside it. Answers what it printed. */
async function runWith(example: string, program: string): Promise<string> {
  cpSync(`examples/${example}.ts`, join(folder, `${example}.ts`))
  writeFileSync(join(folder, 'app.mjs'), program)
  return (await run(process.execPath, ['app.mjs'], { cwd: folder, env })).stdout
}

/** The mails to an address, the newest first. */
async function mailsTo(address: string) {
  const { body } = await test.ask('GET', `/emails?search=to:${address}`)
  const ids: string[] = body.data.map(({ id }: { id: string }) => id)
  return Promise.all(ids.map(async (id) => (await test.ask('GET', `/emails/${id}`)).body))
}

const LINK = /href="([^"]+)"/

describe('the example for', () => {
  it('better-auth sends its verification, whose link verifies, its resets and its magic links', async () => {
    const printed = await runWith(
      'better-auth',
      `import { betterAuth } from 'better-auth'
      import { memoryAdapter } from 'better-auth/adapters/memory'
      import { magicLink } from 'better-auth/plugins'
      import { mails, sendMagicLink } from './better-auth.ts'
      const database = { user: [], session: [], account: [], verification: [] }
      const auth = betterAuth({ ...mails, secret: 'a secret of at least thirty-two characters', baseURL: 'http://app.example.com',
        database: memoryAdapter(database), plugins: [magicLink({ sendMagicLink })] })
      const email = 'better@example.org'
      await auth.api.signUpEmail({ body: { email, password: 'a long password', name: 'Ada' } })
      const ask = async (path) => (await fetch(process.env.MAILWRIGHT_URL + path, { headers: { authorization: 'Bearer ' + process.env.MAILWRIGHT_KEY } })).json()
      const [{ id }] = (await ask('/emails?search=to:' + email)).data
      const [, link] = /href="([^"]+)"/.exec((await ask('/emails/' + id)).body)
      await auth.handler(new Request(link.replaceAll('&amp;', '&')))
      await auth.api.requestPasswordReset({ body: { email, redirectTo: '/reset' } })
      await auth.api.signInMagicLink({ body: { email }, headers: new Headers() })
      console.log(database.user[0].emailVerified)`,
    )
    expect(printed.trim()).toBe('true')
    const mails = await mailsTo('better@example.org')
    expect(mails.map(({ subject }) => subject).sort()).toEqual([
      'Choose a new password',
      'Confirm your address',
      'Log in',
    ])
    for (const { body } of mails) expect(LINK.exec(body)?.[1]).toMatch(/^http:\/\/app\.example\.com\/api\/auth\//)
  })

  it('Auth.js sends a link that logs in', async () => {
    const printed = await runWith(
      'auth-js',
      `import { Auth, skipCSRFCheck } from '@auth/core'
      import { mailwrightLink } from './auth-js.ts'
      const [users, tokens, sessions] = [[], [], []]
      const adapter = {
        getUserByEmail: async (email) => users.find((user) => user.email === email) ?? null,
        getUser: async (id) => users.find((user) => user.id === id) ?? null,
        createUser: async (user) => (users.push(user), user),
        updateUser: async (user) => user,
        createSession: async (session) => (sessions.push(session), session),
        getSessionAndUser: async () => null,
        updateSession: async () => null,
        deleteSession: async () => null,
        createVerificationToken: async (token) => (tokens.push(token), token),
        useVerificationToken: async ({ token }) => tokens.find((each) => each.token === token) ?? null,
      }
      const config = { adapter, providers: [mailwrightLink], secret: 'a secret of at least thirty-two characters', trustHost: true, skipCSRFCheck, basePath: '/auth' }
      const asked = await Auth(new Request('http://app.example.com/auth/signin/mailwright', { method: 'POST', body: new URLSearchParams({ email: 'auth@example.org' }) }), config)
      const ask = async (path) => (await fetch(process.env.MAILWRIGHT_URL + path, { headers: { authorization: 'Bearer ' + process.env.MAILWRIGHT_KEY } })).json()
      const [{ id }] = (await ask('/emails?search=to:auth@example.org')).data
      const [, link] = /href="([^"]+)"/.exec((await ask('/emails/' + id)).body)
      await Auth(new Request(link.replaceAll('&amp;', '&')), config)
      console.log(asked.headers.get('location'), users[0]?.email, sessions.length)`,
    )
    expect(printed.trim()).toMatch(/verify-request\S* auth@example\.org 1$/)
  })

  it('NestJS injects one client, made of settings that another module has', async () => {
    const printed = await runWith(
      'nest',
      `import 'reflect-metadata'
      import { Inject } from '@nestjs/common'
      import { Test } from '@nestjs/testing'
      import { MAILWRIGHT, MailwrightModule } from './nest.ts'
      class Settings {}
      const settings = { module: Settings, providers: [{ provide: 'URL', useValue: process.env.MAILWRIGHT_URL }], exports: ['URL'] }
      class Orders { constructor(mailwright) { this.mailwright = mailwright } }
      Inject(MAILWRIGHT)(Orders, undefined, 0)
      const app = await Test.createTestingModule({
        imports: [MailwrightModule.forRootAsync({ imports: [settings], inject: ['URL'], useFactory: (baseUrl) => ({ baseUrl, key: process.env.MAILWRIGHT_KEY }) })],
        providers: [Orders],
      }).compile()
      const { data } = await app.get(Orders).mailwright.POST('/v1/send', { body: { to: 'nest@example.org', from: 'hello@example.com', subject: 'Your order', text: 'Sent' } })
      console.log(data.data.emails.length)
      await app.close()`,
    )
    expect(printed.trim()).toBe('1')
    expect(await mailsTo('nest@example.org')).toMatchObject([{ subject: 'Your order' }])
  })

  it('Strapi sends by its own provider, with the configuration of the file', async () => {
    const printed = await runWith(
      'strapi',
      `import provider from '@strapi/provider-email-nodemailer'
      import plugins from './strapi.ts'
      const { providerOptions, settings } = plugins({ env: (name) => process.env[name] }).email.config
      await provider.init(providerOptions, settings).send({ to: 'strapi@example.org', subject: 'Reset', html: '<p>Here {{ it }} is</p>' })
      console.log('sent')`,
    )
    expect(printed.trim()).toBe('sent')
    const [mail] = await mailsTo('strapi@example.org')
    expect(mail).toMatchObject({ subject: 'Reset', from: 'hello@example.com' })
    expect(mail?.body).toContain('Here {{ it }} is')
  })

  it('Payload sends by an adapter', async () => {
    const printed = await runWith(
      'payload',
      `import { mailwrightAdapter } from './payload.ts'
      const adapter = mailwrightAdapter({ payload: {} })
      await adapter.sendEmail({ to: 'payload@example.org', subject: 'Verify', html: '<p>Yes</p>' })
      await adapter.sendEmail({ to: 'payload@example.org', from: 'Shop <shop@example.com>', subject: 'Order', text: 'No' })
      console.log(adapter.name, adapter.defaultFromAddress)`,
    )
    expect(printed.trim()).toBe('mailwright hello@example.com')
    expect(await mailsTo('payload@example.org')).toMatchObject([
      { subject: 'Order', from: 'shop@example.com' },
      { subject: 'Verify', from: 'hello@example.com', fromName: 'Acme' },
    ])
  })

  it('Next.js answers in a route handler and a server action, compiled for production', async () => {
    const app = join(folder, 'app')
    mkdirSync(join(app, 'api/contact'), { recursive: true })
    const compiled = (example: string) => stripTypeScriptTypes(readFileSync(`examples/${example}.ts`, 'utf8'))
    writeFileSync(join(app, 'api/contact/route.js'), compiled('next-route'))
    writeFileSync(join(app, 'actions.js'), compiled('next-action'))
    writeFileSync(join(app, 'layout.js'), 'export default ({ children }) => <html><body>{children}</body></html>')
    writeFileSync(
      join(app, 'page.js'),
      `import { welcome } from './actions'
      export default () => <form action={welcome}><input name="email" /><button>Go</button></form>`,
    )
    const next = join(folder, 'node_modules/next/dist/bin/next')
    await run(process.execPath, [next, 'build'], { cwd: folder, env })
    const port = await freePort()
    const child = spawn(process.execPath, [next, 'start', '-p', String(port), '-H', '127.0.0.1'], { cwd: folder, env })
    const ended = once(child, 'exit')
    const url = `http://127.0.0.1:${port}`
    try {
      await expect.poll(async () => (await fetch(url).catch(() => undefined))?.ok).toBe(true)
      const post = (body: string) =>
        fetch(`${url}/api/contact`, { method: 'POST', body, headers: { 'x-request-id': 'click-1' } })
      const given = JSON.stringify({ email: 'grace@example.org', message: 'Hello {{ name }}' })
      expect(await (await post(given)).json()).toEqual({ sent: true })
      expect((await post(given)).status).toBe(200)
      expect(await mailsTo('shop@example.com')).toMatchObject([{ text: 'Hello {{ name }}' }])
      const wrong = await fetch(`${url}/api/contact`, { method: 'POST', body: '{"email":"nonsense","message":"x"}' })
      expect([wrong.status, await wrong.json()]).toEqual([422, { message: expect.stringContaining('replyTo') }])
      const page = await (await fetch(url)).text()
      const form = new FormData()
      for (const [, name = ''] of page.matchAll(/<input type="hidden" name="([^"]+)"/g)) form.set(name, '')
      form.set('email', 'next@example.org')
      await fetch(url, { method: 'POST', body: form })
      expect(await mailsTo('next@example.org')).toMatchObject([{ subject: 'Welcome' }])
    } finally {
      child.kill()
      await ended
    }
  })

  it.each([
    { program: 'python', find: python, example: 'cron.py' },
    { program: 'php', find: php, example: 'cron.php' },
  ])('a job of cron in $program sends once however often it runs', async ({ program, find, example }) => {
    const { path, args, libraries } = find()
    const to = `${program}@example.org`
    const job = async (text: string) => {
      const child = execFile(path, [...args, `examples/${example}`], { env: { ...env, ...libraries, REPORT_TO: to } })
      child.stdin?.end(text)
      let printed = ''
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
      const [code] = await once(child, 'close')
      return { code, printed: printed.trim() }
    }
    const first = await job('All is well.')
    expect(first).toEqual({ code: 0, printed: expect.stringMatching(/^[0-9a-f-]{36}$/) })
    expect(await job('All is well.')).toEqual(first)
    expect(await mailsTo(to)).toMatchObject([{ text: 'All is well.' }])
    expect(await job('Another text')).toEqual({
      code: 1,
      printed: expect.stringMatching(/^422: .*IDEMPOTENCY_KEY_REUSED/),
    })
  })
})
