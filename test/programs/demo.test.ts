import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createEngine, silentLog } from '../../config/library.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { COMPILE_CACHE, MAIN, startServerProcess } from '../support/server-process.ts'

const CASES = [
  {
    name: 'SQLite',
    socket: async (folder: string) => ({ use: 'sqlite', options: { file: join(folder, 'mail.db') } }) as const,
  },
  { name: 'PostgreSQL', socket: async () => ({ use: 'postgres', options: { url: await freshDatabase() } }) as const },
]

const isSome = (count: number) => count > 0

// nothing else sees that a project added beside others has figures that hold, and that neither its making nor a server sends of it
describe.each(CASES)('mailwright demo on $name', { timeout: 120_000 }, ({ socket }) => {
  it('makes a project whose figures are right, leaves the others alone, and has nothing to send', async () => {
    const folder = freshFolder()
    const store = await socket(folder)
    const config = { store, projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }] }
    writeFileSync(join(folder, 'mailwright.config.json'), JSON.stringify(config))
    // a mail of another project that waits: an engine in the past must not take it
    const engine = await createEngine({
      store: store.use === 'sqlite' ? sqlite(store.options) : postgres(store.options),
      projects: config.projects,
      log: silentLog,
    })
    const [acme] = await engine.projects.list()
    if (acme === undefined) throw new Error('the project was not made')
    const mail = { to: 'ada@example.org', from: 'hi@acme.example', subject: 'Waits', body: '<p>Hi</p>' }
    await engine.sending.send(acme, mail)
    await engine.stop()

    const run = (...args: readonly string[]) =>
      spawnSync(process.execPath, [MAIN, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: process.env.PATH ?? '', ...COMPILE_CACHE },
      })
    const made = run('demo', '--contacts', '60', '--json')
    expect(made).toMatchObject({ status: 0 })
    const { name, secretKey } = JSON.parse(made.stdout)
    expect(name).toBe('Demo')
    for (const taken of ['Demo', 'Acme']) {
      const again = run('demo', '--contacts', '10', '--name', taken)
      expect(again).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('--name') })
    }
    expect(run('rebuild-stats', '--check')).toMatchObject({ status: 0 })

    const server = await startServerProcess(folder, config)
    const get = async <T>(path: string): Promise<T> => {
      const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${secretKey}` } })
      expect(answer.status, path).toBe(200)
      return (await answer.json()) as T
    }
    try {
      const { campaigns } = await get<{ campaigns: readonly { status: string }[] }>('/campaigns')
      expect(campaigns.map(({ status }) => status).sort()).toEqual(['DRAFT', ...Array(5).fill('SENT')])
      const { total } = await get<{ total: number }>('/contacts?limit=1')
      expect(total).toBe(60)
      const { workflows } = await get<{ workflows: readonly { id: string }[] }>('/workflows')
      const { executions } = await get<{ executions: object }>(`/workflows/${workflows[0]?.id}/stats`)
      // those that would have gone on after the end were ended
      expect(executions).toMatchObject({ running: 0, waiting: 0, failed: 0, cancelled: expect.toSatisfy(isSome) })
      expect(await get('/activity/upcoming')).toEqual({ activities: [] })
      const counts = await get<Readonly<Record<string, number>>>('/activity/stats')
      for (const what of ['Opened', 'Clicked', 'Bounced']) expect(counts[`totalEmails${what}`], what).toBeGreaterThan(0)
      const outbox = join(folder, 'data', 'outbox')
      // the other project's mail shows that the server delivers by now
      await expect.poll(() => readdirSync(outbox).length).toBe(1)
      await pause(2_000)
      expect(readdirSync(outbox)).toHaveLength(1)
    } finally {
      await server.stop()
    }
    expect(run('rebuild-stats', '--check')).toMatchObject({ status: 0 })
  })
})

it('mailwright demo in an empty folder makes the first project too, or a start would give the demo its name', () => {
  const folder = freshFolder()
  const env = { PATH: process.env.PATH ?? '', ...COMPILE_CACHE, PROJECT_NAME: 'Acme', TRUSTED_DOMAINS: 'acme.example' }
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8', env })
  const made = run('demo', '--contacts', '10')
  expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/"Acme".+sk_.+"Demo".+sk_/s) })
  const projects = JSON.parse(run('projects', 'list', '--json').stdout)
  expect(projects).toMatchObject([
    { name: 'Demo', trustedDomains: ['example.com'] },
    { name: 'Acme', trustedDomains: ['acme.example'] },
  ])
})
