import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshDatabase } from '../support/fresh-database.ts'

const dist = (file: string) => JSON.stringify(new URL(`../../dist/${file}`, import.meta.url).href)

const MAIL = { to: ['ada@example.org', 'bob@example.org'], from: 'hi@example.com', subject: 'Order', body: 'Thank you' }

/** A worker that can send nothing, so that all mail is left to the next one. */
const workerScript = (url: string) => `
  import { createEngine, silentLog } from ${dist('config/library.js')}
  const { postgres } = await import(${dist('plugins/store-postgres/index.js')})
  const { smtp } = await import(${dist('plugins/mail-smtp/index.js')})
  const engine = await createEngine({ store: postgres({ url: ${JSON.stringify(url)} }), log: silentLog,
    transports: [smtp({ host: '127.0.0.1', port: 1 })], projects: [{ name: 'Test', trustedDomains: ['example.com'] }] })
  await engine.start()`

/*
 * Accepting a mail sent by SQL and noting that it is accepted are two commits. No other test stops a process between them,
 * where a mail would be sent twice, or within the first, where it would be lost.
 */
it.each([
  ['while a mail that was sent by SQL is being accepted', 'insert', 'emails', ''],
  ['between accepting it and noting that', 'update', 'send_requests', `when (new.status = 'ACCEPTED')`],
])('a worker that is killed %s loses nothing and doubles nothing', async (_when, write, table, condition) => {
  const url = await freshDatabase()
  const host = new Client(url)
  await host.connect()
  onTestFinished(() => host.end())
  const asked = async (sql: string) => (await host.query(sql)).rows[0]
  const slow = `pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
  const child = spawn(process.execPath, ['--input-type=module', '-e', workerScript(url)], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await expect
    .poll(() => asked('select count(*)::int as n from mailwright.projects'), { timeout: 60_000 })
    .toEqual({ n: 1 })
  await host.query(`create function public.sleep() returns trigger language plpgsql as
      $$ begin perform pg_sleep(600); return new; end $$;
    create trigger slow before ${write} on mailwright.${table} for each row ${condition} execute function public.sleep()`)
  const { id } = await asked(`select mailwright.send('${JSON.stringify(MAIL)}') as id`)
  await expect.poll(() => asked(`select count(*)::int as n from ${slow}`), { timeout: 30_000 }).toEqual({ n: 1 })
  child.kill('SIGKILL')
  await once(child, 'exit')
  // the server notices only when the statement ends that it has lost its client
  await host.query(`select pg_terminate_backend(pid) from ${slow}; drop trigger slow on mailwright.${table}`)

  const { engine, project, sink } = await engineWithSink({ store: postgres({ url }) })
  await engine.start()
  const result = () => asked(`select mailwright.send_result('${id}') as result`)
  await expect.poll(result, { timeout: 90_000 }).toMatchObject({ result: { status: 'ACCEPTED', attempts: 2 } })
  const { result: said } = await result()
  const { items } = await engine.mails.list(project)
  expect(items.map((mail) => ({ id: mail.id, to: mail.to })).sort((a, b) => a.to.localeCompare(b.to))).toEqual(
    said.emails,
  )
  expect(said.emails.map(({ to }: { to: string }) => to)).toEqual(MAIL.to)
  await sink.waitFor(2, 90_000)
  expect(sink.messages.map(({ to }) => to[0]).sort()).toEqual(MAIL.to)
})
