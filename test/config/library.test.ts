import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEngine, definePlugin, silentLog } from '../../config/library.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { configFolder, problemsOf } from './config-folder.ts'

it('an embedder gives only what differs', async () => {
  const folder = await configFolder()
  const engine = await createEngine({
    store: sqlite({ file: `${folder}/mail.db` }),
    blobs: disk({ directory: `${folder}/uploads` }),
    transports: [outbox({ directory: `${folder}/outbox` })],
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
  })
  try {
    await engine.start()
    expect(await engine.health()).toMatchObject({ ok: true })
  } finally {
    await engine.stop()
  }
})

it('an embedder is told all problems before anything is opened', async () => {
  const [first, second] = [outbox({ directory: 'nowhere' }), outbox({ directory: 'nowhere' })]
  const problems = problemsOf(createEngine({ projects: [{ name: '' }], transports: [first, second] }))
  expect((await problems).map((line) => line.split(':')[0])).toEqual(['projects[0].name', 'transports[1].name'])
})

it.each([
  [{ trnasports: [] }, 'trnasports: is not a known key (did you mean transports?)'],
  [{ delivery: { treads: 2 } }, 'delivery.treads: is not a known key (did you mean threads?)'],
  [
    { projects: [{ name: 'A', trustedDomain: [] }] },
    'projects[0].trustedDomain: is not a known key (did you mean trustedDomains?)',
  ],
  [
    { delivery: { throttle: { project: { perSecnod: 1 } } } },
    'delivery.throttle.project.perSecnod: is not a known key (did you mean perSecond?)',
  ],
  [{ transports: [{ nmae: 'main', plugin: outbox() }] }, 'transports[0].nmae: is not a known key (did you mean name?)'],
  [{ server: { port: 1 } }, 'server: is a key of config files alone (publicUrl stands by itself)'],
  [
    { log: console },
    'log: must have the methods debug, info, warn, error, with (consoleLog of mailwright/plugins/log-console makes one)',
  ],
  [{ clock: {} }, 'clock: must have the methods now'],
  [{ transports: 'smtp' }, 'transports: must be an array of transport plugins'],
  ['mail.db', 'settings: must be an object'],
])('settings nobody reads are refused in code as in files: %j', async (settings, told) => {
  const problems = await problemsOf(Reflect.apply(createEngine, undefined, [settings]))
  expect(problems).toContain(told)
})

it('warnings go to the standard error output unless a log is given', async () => {
  const folder = await configFolder()
  const written: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const stdout = vi.spyOn(process.stdout, 'write')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const check = () => Promise.reject(new Error('no relay'))
  const send = async () => ({ outcome: 'accepted' }) as const
  const transport = { concurrency: 1, send, check }
  const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], open: () => ({ transport }) })
  for (const log of [{}, { log: silentLog }]) {
    const engine = await createEngine({ store: sqlite({ file: `${folder}/mail.db` }), transports: [acme()], ...log })
    await engine.start()
    await engine.health()
    await engine.stop()
  }
  expect(written).toEqual([expect.stringMatching(/WARN .*transport=mail-acme error="no relay"/)])
  expect(stderr).toHaveBeenCalledTimes(1)
  expect(stdout).not.toHaveBeenCalled()
})

it('a host without a compiler is told of options that would do nothing, of what is no project, and of a wrong clock', async () => {
  const engine = await createEngine({
    store: sqlite({ file: ':memory:' }),
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
    log: silentLog,
  })
  onTestFinished(() => engine.stop())
  const [project] = await engine.projects.list()
  const mail = { to: 'ada@example.org', from: 'hi@acme.example', subject: 'Hi', body: 'Hi' }
  const wrong = (given: unknown) => given as never
  const event = { email: 'ada@example.org', event: 'ordered' }
  const failed = { code: 'VALIDATION_ERROR' }
  const named = (field: string, message: string) => ({ ...failed, fields: [{ field: `options.${field}`, message }] })
  const keyed = 'is not a known option (did you mean idempotencyKey?)'
  const inTransaction = 'is not a known option (there is client)'
  const send = (options: unknown, of: unknown = project) => engine.sending.send(wrong(of), mail, wrong(options))
  const refusals: [() => Promise<unknown>, object][] = [
    [() => send({ idempotencykey: 'order-1' }), named('idempotencykey', keyed)],
    [() => send(new Map()), { ...failed, fields: [{ field: 'options' }] }],
    // they would all be the key "null"
    [() => send({ idempotencyKey: null }), { code: 'BAD_REQUEST' }],
    [() => engine.sending.sendBatch(project!, { messages: [mail] }, wrong({ key: 'x' })), failed],
    [() => engine.contacts.upsert(project!, { email: mail.to }, wrong({ trx: {} })), named('trx', inTransaction)],
    [() => engine.events.track(project!, event, wrong({ idempotencyKeys: 'x' })), named('idempotencyKeys', keyed)],
    [() => engine.mails.resend(project!, project!.id, {}, wrong({ client: {} })), failed],
    [() => engine.campaigns.send(project!, project!.id, {}, wrong({ at: 'x' })), failed],
    [() => engine.submissions.send(project!, wrong({}), wrong({ key: 'x' })), failed],
    [() => engine.contacts.jobs.import(project!, { file: Buffer.from('email\n') }, wrong({ key: 'x' })), failed],
    [() => send({}, project!.id), { ...failed, message: expect.stringMatching(/^project: must be a project, as/) }],
    [() => send({}, null), { ...failed, message: expect.stringMatching(/^project: /) }],
    [() => send({}, { id: project!.id }), { ...failed, message: expect.stringMatching(/^project: /) }],
    [
      () => createEngine({ store: sqlite({ file: ':memory:' }), clock: { now: () => wrong(Date.now()) } }),
      {
        code: 'CONFIG_INVALID',
        fields: [{ field: 'clock.now', message: 'must answer a valid Date' }],
      },
    ],
  ]
  for (const [refused, error] of refusals) await expect(refused(), String(refused)).rejects.toMatchObject(error)
  expect((await engine.mails.list(project!)).items).toEqual([])
  // MikroORM would take these for other conditions
  const letter = { name: 'Letter', type: 'TRANSACTIONAL', from: mail.from, subject: 'Hi', body: 'Hi' } as const
  await engine.templates.create(project!, letter)
  await expect(engine.templates.list({ ...project!, id: wrong({}) })).rejects.toMatchObject(failed)
  await expect(engine.templates.get(project!, wrong({ $ne: 'x' }))).rejects.toMatchObject(failed)
})

it('the main door loads no HTTP library, and no plugin before it is needed', async () => {
  const loaded = await staticImports(new URL('../../config/library.ts', import.meta.url))
  expect(loaded).toContain('valibot')
  expect(loaded.filter((module) => /^h3\b|^srvx\b|\/server\/|\/plugins\//.test(module))).toEqual([])
})

/** Every module that is loaded along with this file: files by URL, packages by name. */
async function staticImports(start: URL): Promise<string[]> {
  const seen = new Set([start.href])
  for (const module of seen) {
    if (!module.startsWith('file:')) continue
    const text = await readFile(new URL(module), 'utf8')
    for (const [, names = '', from = ''] of text.matchAll(
      /^(?:import|export)\s+([\w*{},\s]*?)(?:from\s+)?'([^']+)'/gm,
    )) {
      if (!names.startsWith('type ')) seen.add(from.startsWith('.') ? new URL(from, module).href : from)
    }
  }
  return [...seen]
}
