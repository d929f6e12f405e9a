import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { silentLog } from '../../config/library.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { bareDatabase, freshDatabase } from '../support/fresh-database.ts'

const MAIL = { to: 'ada@example.org', from: 'hi@example.com', subject: 'Your order', body: 'Thank you' }

it('the order and its mail are committed together, in order, and go out at once', async () => {
  const { engine, project, sink, run, send, result } = await world()
  await engine.start()
  await run('begin')
  await run(`insert into orders values ('Tea')`)
  const id = await send({ ...MAIL, data: { plan: 'pro' } })
  const several = await send({ ...MAIL, to: ['bob@example.org', { email: 'Ada@example.org' }], data: { plan: 'max' } })
  expect(await result(id)).toEqual({ id, status: 'WAITING', attempts: 0 })
  await expect(engine.mails.get(project, id)).rejects.toMatchObject({ code: 'EMAIL_NOT_FOUND' })
  await run('commit')
  await sink.waitFor(3)
  expect((await engine.mails.get(project, id)).email).toMatchObject({
    id,
    to: 'ada@example.org',
    lane: 'transactional',
  })
  await expect
    .poll(() => result(several))
    .toMatchObject({
      status: 'ACCEPTED',
      emails: [
        { id: several, to: 'bob@example.org' },
        { id: expect.any(String), to: 'ada@example.org' },
      ],
    })
  const { items } = await engine.contacts.list(project)
  expect(items.map(({ email, data }) => [email, data])).toContainEqual(['ada@example.org', { plan: 'max' }])
  // the mail itself is kept once
  expect(await run('select mail from mailwright.send_requests where mail is not null')).toEqual([])
})

it('a rollback leaves nothing, and a rollback to a savepoint takes back what came after it', async () => {
  const { engine, sink, run, send } = await world()
  await engine.start()
  await run('begin')
  await send(MAIL)
  await run('rollback')
  await run('begin')
  await send({ ...MAIL, to: 'first@example.org' })
  await run('savepoint here')
  await send(MAIL)
  await run('rollback to savepoint here')
  await run('commit')
  await engine.idle()
  expect(sink.messages.map(({ to }) => to)).toEqual([['first@example.org']])
  expect(await run('select * from mailwright.send_requests')).toHaveLength(1)
})

it('a mail that the engine refuses says why in its result and in the log, and others go out', async () => {
  const { engine, sink, send, result, logged } = await world()
  const ids = [
    await send({ ...MAIL, from: 'hi@other.example', to: 'one@example.org' }),
    await send({ ...MAIL, template: 'unknown', to: 'two@example.org' }),
    await send({ ...MAIL, to: 'nobody', subject: 5 }),
    await send(MAIL),
  ]
  await engine.start()
  await engine.idle()
  const results: unknown[] = []
  for (const id of ids) results.push(await result(id))
  expect(results).toMatchObject([
    { status: 'REFUSED', error: { code: 'DOMAIN_NOT_VERIFIED' } },
    { status: 'REFUSED', error: { code: 'TEMPLATE_NOT_FOUND' } },
    { status: 'REFUSED', error: { code: 'VALIDATION_ERROR', errors: [{ field: 'to' }, { field: 'subject' }] } },
    { status: 'ACCEPTED' },
  ])
  expect(sink.messages).toHaveLength(1)
  expect(logged.filter((line) => line.includes('was refused'))).toHaveLength(3)
})

it('the same key is one mail, also of transactions at the same time; another mail under it is refused, a refused one is not in the way', async () => {
  const { engine, sink, send, connect } = await world()
  const id = await send(MAIL, null, 'order-1')
  expect(await send(Object.fromEntries(Object.entries(MAIL).reverse()), null, 'order-1')).toBe(id)
  await expect(send({ ...MAIL, subject: 'Other' }, null, 'order-1')).rejects.toMatchObject({ code: '23505' })
  const [one, other] = [await connect(), await connect()]
  await one.run('begin')
  const first = await one.send(MAIL, null, 'order-2')
  const second = other.send(MAIL, null, 'order-2')
  await one.run('commit')
  expect(await second).toBe(first)
  const wrong = await send({ to: 'ada@example.org', template: 'unknown' }, null, 'order-3')
  await engine.start()
  await engine.idle()
  expect(await send(MAIL, null, 'order-1')).toBe(id)
  const again = await send({ to: 'ada@example.org', template: 'unknown' }, null, 'order-3')
  expect(again).not.toBe(wrong)
  await engine.idle()
  expect(sink.messages).toHaveLength(2)
})

it('what the function cannot take is refused at once, by name', async () => {
  const { project, run, send } = await world([{ name: 'One' }, { name: 'Two' }])
  const says = (...given: Parameters<typeof send>) => send(...given).then(String, ({ message }: Error) => message)
  expect(await says([])).toBe('mailwright.send: mail must be a JSON object')
  expect(await says(null)).toBe('mailwright.send: mail must be a JSON object')
  for (const to of [undefined, null, '', []]) {
    expect(await says({ ...MAIL, to }, project.id)).toBe('mailwright.send: mail.to is required')
  }
  expect(await says(MAIL)).toBe('mailwright.send: project is required, since there are 2 projects')
  const none = '00000000-0000-7000-8000-000000000000'
  expect(await says(MAIL, none)).toBe(`mailwright.send: there is no project ${none}`)
  const key = 'mailwright.send: idempotency_key must be 1 to 255 printable ASCII characters'
  for (const wrong of ['', 'ä', 'a\n', 'x'.repeat(256)]) expect(await says(MAIL, project.id, wrong)).toBe(key)
  await send(MAIL, project.id, '~ '.repeat(127))
  const size = JSON.stringify(MAIL).length + 2 * Object.keys(MAIL).length - 1
  const filled = (bytes: number) => ({ ...MAIL, body: MAIL.body + 'x'.repeat(bytes - size) })
  await send(filled(20 * 1024 * 1024), project.id)
  expect(await says(filled(20 * 1024 * 1024 + 1), project.id)).toBe(
    'mailwright.send: mail must have at most 20 MB as JSON, not 20971521 bytes',
  )
  await run(`insert into mailwright.send_requests (id, project_id, size, status, attempts, due_at, created_at)
    select gen_random_uuid(), '${project.id}', 1, 'WAITING', 0, 'epoch', now() from generate_series(1, 49997)`)
  await send(MAIL, project.id)
  expect(await says(MAIL, project.id)).toBe('mailwright.send: 50000 mails wait to be accepted, and no more may')
})

it('a role with no other right may send, and only that, also where the tables are in public', async () => {
  for (const schema of ['mailwright', 'public']) {
    const url = await bareDatabase()
    const { engine, sink } = await engineWithSink({ store: postgres({ url, schema }) })
    const owner = await connection(url)
    const role = `mailwright_shop_${randomBytes(6).toString('hex')}`
    await owner.run(`create role ${role} login`)
    onTestFinished(async () => {
      const last = new Client(url)
      await last.connect()
      await last.query(`drop owned by ${role}; drop role ${role}`)
      await last.end()
    })
    await owner.run(`set role ${role}`)
    const call = `select ${schema}.send('${JSON.stringify(MAIL)}') as id`
    await expect(owner.run(call)).rejects.toMatchObject({ code: '42501' })
    await owner.run('reset role')
    await owner.run(`grant usage on schema ${schema} to ${role};
      grant execute on function ${schema}.send(jsonb, uuid, text), ${schema}.send_result(uuid) to ${role}`)
    await owner.run(`set role ${role}`)
    // what it puts before our tables and functions is not used
    await owner.run(`create temporary table projects (id uuid); create temporary table send_requests (id uuid)`)
    // nor operators that are put beside them, though these fit better than the system's own
    await owner.run(`reset role;
      create function ${schema}.taken(bigint, int) returns bigint language plpgsql as
        $$ begin raise exception 'runs with the rights of %', current_user; end $$;
      create operator ${schema}.% (leftarg = bigint, rightarg = int, function = ${schema}.taken);
      create operator ${schema}./ (leftarg = bigint, rightarg = int, function = ${schema}.taken);
      set role ${role}`)
    const [row] = await owner.run(call)
    await engine.start()
    await sink.waitFor(1)
    const asked = () => owner.run(`select ${schema}.send_result('${row?.id}') ->> 'status' as status`)
    await expect.poll(asked).toEqual([{ status: 'ACCEPTED' }])
    await expect(owner.run(`select * from ${schema}.emails`)).rejects.toMatchObject({ code: '42501' })
    await expect(owner.run(`select * from ${schema}.send_requests`)).rejects.toMatchObject({ code: '42501' })
    await owner.run('reset role')
  }
})

it('every function of ours finds its operators in the system alone', async () => {
  const { engine, project, run } = await world()
  await engine.start()
  const functions = `from pg_proc where pronamespace = 'mailwright'::regnamespace`
  expect((await run(`select count(*)::int ${functions}`))[0]?.count).toBeGreaterThan(10)
  const open = `proconfig is distinct from array['search_path=pg_catalog, pg_temp']`
  expect(await run(`select proname ${functions} and ${open}`)).toEqual([])
  // the functions for times call each other
  await engine.contacts.upsert(project, { email: 'ada@example.org', data: { at: '2026-01-01', unix: '1767225600' } })
  const filters = {
    operator: 'AND',
    conditions: [{ field: 'data.unix', operator: 'olderThan', value: 1, unit: 'days' }],
  }
  expect((await engine.segments.create(project, { name: 'Old', filters: filters as never })).memberCount).toBe(1)
})

it('a mail over a quota waits until there is room, and is refused after a day of tries, whatever it waited before', async () => {
  const { engine, sink, run, send, result } = await world([{ name: 'Test', quotas: { daily: 1 } }])
  await send(MAIL)
  await engine.start()
  await sink.waitFor(1)
  const late = await send({ ...MAIL, to: 'late@example.org' })
  const tried = async (attempts: number) => {
    await expect.poll(() => result(late), { timeout: 10_000 }).toMatchObject({ status: 'WAITING', attempts })
    await expect
      .poll(() => run(`select 1 from mailwright.send_requests where due_at > now() and lease_token is null`))
      .toHaveLength(1)
  }
  const again = (change: string) =>
    run(`update mailwright.send_requests set due_at = 'epoch', ${change} where status = 'WAITING'`)
  await tried(1)
  // no worker ran for two days
  await again(`created_at = now() - interval '2 days'`)
  await tried(2)
  await again('attempts = 299')
  await expect
    .poll(() => result(late), { timeout: 10_000 })
    .toMatchObject({
      status: 'REFUSED',
      error: { code: 'QUOTA_EXCEEDED' },
    })
  expect(sink.messages).toHaveLength(1)
})

it('a mail whose result was lost is not sent again, also when answers are forgotten', async () => {
  const { engine, project, sink, run, send, result } = await world()
  await engine.start()
  const id = await send(MAIL)
  await sink.waitFor(1)
  await expect.poll(() => result(id)).toMatchObject({ status: 'ACCEPTED' })
  await run('delete from mailwright.idempotency_answers')
  await run(`update mailwright.send_requests set status = 'WAITING', mail = '${JSON.stringify(MAIL)}', done_at = null`)
  await expect.poll(() => result(id)).toMatchObject({ status: 'ACCEPTED', emails: [{ id, to: 'ada@example.org' }] })
  expect((await engine.mails.list(project)).items).toHaveLength(1)
})

it('does what docs/send-by-sql.md shows', async () => {
  const page = readFileSync('docs/send-by-sql.md', 'utf8')
  const blocks = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql = '']) => sql)
  expect(blocks).toHaveLength(4)
  const { engine, sink, run } = await world()
  await engine.start()
  await run('drop table orders; drop role if exists shop')
  for (const sql of blocks) await run(sql)
  await run('drop owned by shop; drop role shop')
  await sink.waitFor(2)
  expect(sink.messages.map(({ raw }) => /^Subject: (.*)$/m.exec(String(raw))?.[1]?.trim()).sort()).toEqual([
    'Your order, Ada',
    'Your receipt',
  ])
})

async function world(projects: readonly object[] = [{ name: 'Test' }]) {
  const url = await freshDatabase()
  const logged: string[] = []
  const log = { ...silentLog, warn: (message: string) => void logged.push(message) }
  const made = await engineWithSink({
    store: postgres({ url }),
    projects: projects.map((each) => ({ name: 'Test', trustedDomains: ['example.com'], ...each })),
    log: { ...log, with: () => log },
  })
  const host = await connection(url)
  await host.run('create table orders (item text)')
  return { ...made, ...host, logged, connect: () => connection(url) }
}

/** A connection of a program that knows nothing but SQL. */
async function connection(url: string) {
  const client = new Client(url)
  await client.connect()
  onTestFinished(() => client.end())
  const run = async (sql: string) => (await client.query(sql)).rows as readonly Readonly<Record<string, unknown>>[]
  const send = async (mail: unknown, project: string | null = null, key: string | null = null): Promise<string> => {
    const given = [mail === null ? null : JSON.stringify(mail), project, key]
    return (await client.query('select mailwright.send($1, $2, $3) as id', given)).rows[0].id
  }
  const result = async (id: string): Promise<unknown> =>
    (await client.query('select mailwright.send_result($1) as result', [id])).rows[0].result
  return { run, send, result }
}
