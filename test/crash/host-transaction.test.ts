import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { freshFile } from '../support/fresh-sqlite.ts'

const dist = (file: string) => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href)

/** The process of a host: an order and its mail in one transaction, and then nothing more until it is killed. */
const hostScript = (store: string, connect: string, isCommitted: boolean) => `
  import { createEngine, silentLog } from ${dist('config/library.js')}
  const engine = await createEngine({ store: ${store}, log: silentLog,
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }] })
  const [project] = await engine.projects.list()
  ${connect}
  await run('create table if not exists orders (item text)')
  await run('begin')
  await run("insert into orders values ('Tea')")
  const mail = { to: 'ada@example.org', from: 'hi@example.com', subject: 'Your order', body: 'Thank you' }
  await engine.sending.send(project, mail, { client, idempotencyKey: 'one' })
  ${isCommitted ? "await run('commit')" : ''}
  process.stdout.write('there')
  setInterval(() => {}, 1000)`

const HOSTS = {
  SQLite: async () => {
    const file = freshFile(join(freshFolder(), 'test.db'))
    return {
      store: sqlite({ file }),
      script: (isCommitted: boolean) =>
        hostScript(
          `(await import(${dist('plugins/store-sqlite/index.js')})).sqlite({ file: ${JSON.stringify(file)} })`,
          `const client = (await import(${dist('plugins/store-sqlite/index.js')})).openHandle(${JSON.stringify(file)})
          const run = (sql) => client.exec(sql)`,
          isCommitted,
        ),
    }
  },
  PostgreSQL: async () => {
    const url = await freshDatabase()
    return {
      store: postgres({ url }),
      script: (isCommitted: boolean) =>
        hostScript(
          `(await import(${dist('plugins/store-postgres/index.js')})).postgres({ url: ${JSON.stringify(url)} })`,
          `const { default: pg } = await import('pg')
          const client = new pg.Client(${JSON.stringify(url)})
          await client.connect()
          const run = (sql) => client.query(sql)`,
          isCommitted,
        ),
    }
  },
} as const

it.each([
  ['SQLite', false],
  ['SQLite', true],
  ['PostgreSQL', false],
  ['PostgreSQL', true],
] as const)('a host on %s that is killed leaves its mail exactly when it has committed: %s', async (name, isCommitted) => {
  const { store, script } = await HOSTS[name]()
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const child = spawn(process.execPath, ['--input-type=module', '-e', script(isCommitted)], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')

  const { engine, project, sink } = await engineWithSink({ store })
  expect((await engine.mails.list(project)).items).toHaveLength(isCommitted ? 1 : 0)
  expect((await engine.contacts.list(project)).items).toHaveLength(isCommitted ? 1 : 0)
  await engine.start()
  // the host runs it again under the same key
  const mail = { to: 'ada@example.org', from: 'hi@example.com', subject: 'Your order', body: 'Thank you' }
  expect(await engine.sending.send(project, mail, { idempotencyKey: 'one' })).toMatchObject({ replayed: isCommitted })
  await sink.waitFor(1)
  await engine.sending.send(project, { ...mail, to: 'last@example.org' })
  await sink.waitFor(2)
  expect(sink.messages.map(({ to }) => to[0])).toEqual(['ada@example.org', 'last@example.org'])
})
