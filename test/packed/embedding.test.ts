import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A program that embeds the engine, as strict as a compiler can be. */
const PROGRAM = `
import { createEngine } from 'mailwright'
import { smtp } from 'mailwright/plugins/mail-smtp'
import { sqlite } from 'mailwright/plugins/store-sqlite'

const host = '127.0.0.1'
const port = Number(process.env['SINK_PORT'])
const engine = await createEngine({
  store: sqlite({ file: 'mail.db' }),
  transports: [smtp({ host, port, tls: { rejectUnauthorized: false } })],
  projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
})
const [project] = await engine.projects.list()
if (!project) throw new Error('no project')
await engine.start()
await engine.sending.send(project, {
  to: 'a@example.com',
  from: 'hi@acme.example',
  subject: 'Hi {{name}}',
  body: '<p>Dear {{name}}</p>',
  data: { name: 'Ada' },
})
while ((await engine.mails.list(project, { status: 'DELIVERED' })).items.length === 0) {
  await new Promise((resolve) => setTimeout(resolve, 20))
}
const { createApp } = await import('mailwright/server')
const app = createApp(engine)
const health = await app.fetch(new Request('http://localhost/health'))
await engine.stop()
console.log(JSON.stringify({ health: health.status }))
`

/** Every line under a mark is one the compiler must refuse; where it does not, the mark itself is an error. */
const WRONG = `
import { createEngine, untrusted, type Engine, type Project } from 'mailwright'

export async function wrong(engine: Engine, project: Project, json: unknown) {
  // @ts-expect-error
  await engine.sending.send(project, { to: 'a@example.com', subjct: 'Hi' })
  // @ts-expect-error
  await engine.sending.send(project, { subject: 'Hi', body: 'Hi' })
  // @ts-expect-error
  await engine.sending.send(project, json)
  // @ts-expect-error
  await engine.sending.send(project, { to: 'a@example.com', scheduledAt: '2026-01-01' })
  // @ts-expect-error
  await engine.mails.list(project, { status: 'sent' })
  // @ts-expect-error
  await engine.events.track(project, { email: 'a@example.com' })
  // @ts-expect-error
  await engine.contacts.upsert(project, { subscribed: true })
  // @ts-expect-error
  await engine.contacts.list(project, { sort: 'name' })
  // @ts-expect-error
  await engine.contacts.jobs.bulk(project, 'subscribe', { contactIds: 'all' })
  // @ts-expect-error
  await engine.templates.create(project, { name: 'A', subject: 'B', body: 'C', type: 'OTHER' })
  // @ts-expect-error
  await engine.segments.create(project, { name: 'A', filters: { operator: 'XOR', conditions: [] } })
  // @ts-expect-error
  await engine.campaigns.create(project, { name: 'A', audienceType: 'SOME' })
  // @ts-expect-error
  await engine.workflows.addStep(project, 'id', { type: 'DELAY', config: { amount: 1, unit: 'weeks' } })
  // @ts-expect-error
  await engine.webhooks.create(project, { url: 'https://example.com', events: 'email.*' })
  // @ts-expect-error
  await engine.suppressions.add(project, { address: 'a@example.com' })
  // @ts-expect-error
  engine.on('email.bonce', () => {})
  // @ts-expect-error
  engine.on('email.bounce', ({ data }) => data.bouncedType)
  // @ts-expect-error
  engine.on('email.*', ({ data }) => data.link)
  engine.on('email.*', (event) => event.name === 'email.click' && event.data.link)
  engine.on('event:signed_up', ({ data }) => data.plan)
  engine.on('segment.pro.entry', ({ data }) => data.segmentName)
  // @ts-expect-error
  await createEngine({ trnasports: [] })
  await engine.sending.send(project, untrusted(json))
}
`

let folder: string
let sink: SmtpSink

beforeAll(async () => {
  sink = await startSmtpSink()
  folder = mkdtempSync(join(tmpdir(), 'mailwright-pack-'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'host-app', private: true, type: 'module' }))
  await run(
    'npm',
    ['install', '--omit=dev', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund', inject('tarball')],
    { cwd: folder },
  )
}, 180_000)

afterAll(async () => {
  await sink?.close()
  if (folder) rmSync(folder, { recursive: true, force: true })
})

describe('the packed package, installed into another project', () => {
  it('sends a mail with six lines of code and mounts its app', async () => {
    sink.clear()
    const cwd = mkdtempSync(join(folder, 'run-'))
    writeFileSync(join(cwd, 'main.mjs'), PROGRAM)
    const env = { ...process.env, SINK_PORT: String(sink.port) }
    const { stdout } = await run(process.execPath, ['main.mjs'], { cwd, env })
    expect(JSON.parse(stdout)).toMatchObject({ health: 200 })
    expect(sink.messages.map(({ to }) => to)).toEqual([['a@example.com']])
    expect(sink.messages[0]!.raw.toString()).toContain('Subject: Hi Ada')
  }, 180_000)

  it('sends what the README shows, and all that docs/embedding.md does', async () => {
    sink.clear()
    const readme = programsIn('README.md')
    expect(readme).toHaveLength(1)
    await runWithSink(readme)
    expect(sink.messages.map(({ to }) => to)).toEqual([['a@example.com']])
    sink.clear()
    // the page ends with what it does at SIGTERM: it sends what is due, and stops
    const end = `process.kill(process.pid, 'SIGTERM')`
    await runWithSink(
      [...programsIn('docs/embedding.md'), end].map((block) => block.replace('.listen(3000)', '.listen(0)')),
    )
    expect(sink.messages.map(({ to }) => to).toSorted()).toEqual([['ada@example.com'], ['bob@example.com']])
  }, 180_000)

  it('runs the tests that docs/testing.md shows, with vitest and with node:test', async () => {
    const written = (runner: string, file: string) => {
      const own = programsIn('docs/testing.md').filter((program) => program.includes(`from '${runner}'`))
      expect(own).toHaveLength(1)
      writeFileSync(join(folder, file), own.join('\n'))
    }
    const link = join(folder, 'node_modules/vitest')
    if (!existsSync(link)) symlinkSync(join(ROOT, 'node_modules/vitest'), link)
    written('vitest', 'mail.test.ts')
    const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json', '--outputFile=result.json']
    // this test's own runner tells what it starts that it runs in one
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !/^(NODE_ENV|TEST|VITEST)/.test(name)),
    )
    await run(process.execPath, vitest, { cwd: folder, env })
    expect(JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))).toMatchObject({
      numPassedTests: 3,
      numFailedTests: 0,
    })
    written('node:test', 'mail.node.js')
    const tap = await run(process.execPath, ['--test', '--test-reporter=tap', 'mail.node.js'], { cwd: folder, env })
    expect(tap.stdout).toContain('# pass 2\n# fail 0')
  }, 180_000)

  it.each([
    ['store-postgres', 'postgres', { url: 'postgres://a:b@127.0.0.1:1/c' }, 'pg@', 'postgres'],
    ['queue-postgres', 'postgresQueue', { url: 'postgres://a:b@127.0.0.1:1/c' }, 'pg@', 'postgres'],
    ['scheduler-postgres', 'postgresScheduler', { url: 'postgres://a:b@127.0.0.1:1/c' }, 'pg@', 'postgres'],
    ['mail-ses', 'ses', { region: 'eu-central-1' }, '@aws-sdk/client-sesv2@', 'ses'],
    ['identity-ses', 'sesIdentity', { region: 'eu-central-1' }, '@aws-sdk/client-sesv2@', 'ses'],
    ['blobs-s3', 's3', { bucket: 'acme', region: 'eu-central-1' }, '@aws-sdk/client-s3@', 's3'],
  ])('brings none of the packages of %s, which says how to install them', async (plugin, maker, options, name, part) => {
    const program = `import { ${maker} } from 'mailwright/plugins/${plugin}'
      const plugin = ${maker}(${JSON.stringify(options)})
      const log = { debug() {}, info() {}, warn() {}, error() {} }
      await plugin.open({ log }).catch(({ code, message }) => console.log(JSON.stringify({ code, message, problems: plugin.problems() })))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
    const { code, message, problems } = JSON.parse(stdout)
    expect({ code, problems }).toEqual({ code: 'CONFIG_INVALID', problems: [] })
    expect(message).toMatch(new RegExp(`^${plugin}: .*npm install .*${name}\\d.* npm run add ${part}`))
  })

  it('loads BullMQ for the Redis queue alone, which needs no other package', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      import { readFileSync } from 'node:fs'
      import { fileURLToPath } from 'node:url'
      let loads = 0
      registerHooks({ load(url, context, next) {
        if (url.startsWith('file:') && readFileSync(fileURLToPath(url), 'utf8').includes('bullmq/dist')) loads++
        return next(url, context)
      } })
      await import('mailwright')
      await import('mailwright/server')
      const { redisQueue } = await import('mailwright/plugins/queue-redis')
      const said = []
      const log = { debug() {}, info() {}, warn: (message) => said.push(message), error() {} }
      const kit = { log, clock: { now: () => new Date() } }
      const before = loads
      const { queue, close } = await redisQueue({ url: 'redis://127.0.0.1:1' }).open(kit)
      const refused = await queue.ring('mail').catch(({ code, message }) => code + ' ' + message)
      await close()
      console.log(JSON.stringify({ before, after: loads, said, refused }))`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual({
      before: 0,
      after: 1,
      said: ['queue: it cannot reach Redis and goes on trying; work is found by regular looks meanwhile'],
      refused: expect.stringMatching(/^SERVICE_UNAVAILABLE queue: it could not ring: connect ECONNREFUSED/),
    })
  })

  it('does not load h3 for whoever only sends', async () => {
    const script = `
      import { registerHooks } from 'node:module'
      const loaded = []
      registerHooks({ resolve(specifier, context, next) { loaded.push(specifier); return next(specifier, context) } })
      await import('mailwright')
      console.log(JSON.stringify(loaded.filter((name) => /^(h3|srvx|rate-limiter-flexible)/.test(name))))
    `
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual([])
  }, 180_000)

  describe('has types that a strict TypeScript project accepts', () => {
    beforeAll(() => {
      const modules = join(folder, 'node_modules')
      mkdirSync(join(modules, '@types'), { recursive: true })
      cpSync(join(ROOT, 'node_modules/@types/node'), join(modules, '@types/node'), { recursive: true })
      symlinkSync(join(ROOT, 'node_modules/@types/pg'), join(modules, '@types/pg'))
      // the example has a schema; the package itself brings no valibot
      for (const name of ['undici-types', 'valibot'])
        cpSync(join(ROOT, 'node_modules', name), join(modules, name), { recursive: true })
    })

    // with each the compiler reads all declarations anew: what has the same options is compiled at once
    it('that embeds the engine, also in checked JavaScript, and refuses wrong inputs of every room', async () => {
      const files = { 'main.ts': PROGRAM, 'checked.js': PROGRAM, 'wrong.ts': WRONG }
      expect(await compiled(files, { types: ['node'], allowJs: true, checkJs: true })).toBe('')
    }, 180_000)

    it('that does what the README and docs/embedding.md show, also with exact optional properties', async () => {
      const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, types: ['node'] }
      const [readme, embedding] = ['README.md', 'docs/embedding.md'].map((page) => programsIn(page).join('\n'))
      expect(await compiled({ 'readme.ts': readme ?? '', 'embedding.ts': embedding ?? '' }, strictest)).toBe('')
    }, 180_000)

    it.each([
      ['the default lib', {}],
      ['the types of Node alone', { lib: ['es2022'], types: ['node'] }],
    ])(
      'that has the example of a transport, with %s',
      async (_, options) => {
        const example = readFileSync(join(folder, 'node_modules/mailwright/examples/http-transport.ts'), 'utf8')
        expect(await compiled({ 'main.ts': example }, options)).toBe('')
      },
      60_000,
    )
  })
})

/** The TypeScript and JavaScript of a page of the installed package. */
function programsIn(page: string): string[] {
  const text = readFileSync(join(folder, 'node_modules/mailwright', page), 'utf8')
  const blocks = [...text.matchAll(/^```(?:ts|typescript|js|javascript|mjs)\n(.*?)^```/gms)]
  // recipes for packages that an app has beside ours
  return blocks.map(([, block = '']) => block).filter((block) => !/ from '(?:kysely|pino)'/.test(block))
}

/** Runs blocks of a page as one program in a fresh folder; its mail goes to the sink, and to no other server. */
async function runWithSink(blocks: readonly string[]): Promise<void> {
  const toSink = `smtp({ host: '127.0.0.1', port: ${sink.port}, tls: { rejectUnauthorized: false } })`
  const program = blocks.join('\n').replace(`smtp({ host: 'smtp.example.com' })`, toSink)
  expect(program).toContain(toSink)
  const cwd = mkdtempSync(join(folder, 'run-'))
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(join(ROOT, 'node_modules/pg'), join(cwd, 'node_modules/pg'))
  writeFileSync(join(cwd, 'main.ts'), program)
  await run(process.execPath, ['main.ts'], { cwd })
}

/** The compiler's errors in files of the host project; nothing when they are right. */
async function compiled(files: Readonly<Record<string, string>>, options: object): Promise<string> {
  const always = { target: 'es2023', module: 'nodenext', strict: true, noEmit: true, skipLibCheck: true }
  const config = { compilerOptions: { ...always, types: [], ...options }, files: Object.keys(files) }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compiling = run(join(ROOT, 'node_modules/.bin/tsc'), ['--singleThreaded', '-p', folder], { cwd: folder })
  return compiling.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}
