import { createTransport } from 'nodemailer'
import { createEngine, type Engine, type Inbox, type Project, type SearchThreadsInput } from '../config/library.ts'
import { smtpServer } from '../plugins/inbound-smtp/index.ts'
import { EmailRow } from '../plugins/kit/sql/entities/emails.ts'
import { MailWordsRow, ThreadMailRow, ThreadRow } from '../plugins/kit/sql/entities/inboxes.ts'
import { freePort } from '../test/support/server-process.ts'
import { until } from '../test/support/until.ts'
import { type BenchDatabase, type BenchStore, onDatabases } from './databases.ts'
import type { Figure } from './figure.ts'

/** When the first message came, and how many milliseconds later each next one: a million in some 290 days. */
const BEGAN = Date.UTC(2026, 0, 1)
const APART = 25_000
const RUNS = 21
const SEEDS = 200
/** How many rows are written at once. */
const PART = 50_000
/** Ten messages in three threads, as SQL of whole numbers: those of a message and of the last message of a thread. */
const THREAD_OF = '(n.i * 3 / 10)'
const LAST_OF = '((n.i * 10 + 9) / 3)'

type EntityLike = { readonly properties: object; readonly tableName?: string }

/** How quickly a large inbox is listed, opened and searched: ten messages in three threads. */
export function measureInbox(on: BenchStore, messages: number): Promise<readonly Figure[]> {
  return onDatabases(on, async (make) => {
    const database = await make()
    const port = await freePort()
    const inbound = [smtpServer({ host: '127.0.0.1', port })]
    const projects = [{ name: 'Bench', trustedDomains: ['example.com'] }]
    const first = await createEngine({ ...database.plugins, projects, inbound })
    await seed(first, port)
    await first.stop()
    await database.run(multiply(database, messages))
    await database.settle()
    const engine = await createEngine({ ...database.plugins, projects })
    try {
      const figures = await reads(engine, messages)
      return figures.map((figure) => ({ ...figure, what: `${figure.what}, ${on}` }))
    } finally {
      await engine.stop()
    }
  })
}

async function onlyOne(engine: Engine): Promise<{ readonly project: Project; readonly inbox: Inbox | undefined }> {
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  const { items } = await engine.inboxes.list(project, {})
  return { project, inbox: items[0]?.inbox }
}

/** Receives one message of each of the contents, of which the others are made. */
async function seed(engine: Engine, port: number): Promise<void> {
  const { project } = await onlyOne(engine)
  const { inbox } = await engine.inboxes.create(project, { name: 'Help', address: 'help@example.com' })
  await engine.start()
  const transport = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true, pool: true })
  for (let i = 0; i < SEEDS; i++) {
    await transport.sendMail({
      from: `Person ${i} <person${i}@friend.example>`,
      to: 'help@example.com',
      subject: `Question ${i} about the order`,
      text: `Hello,\n\nwhere is my order ${i}? ${'It has been a week, and nothing has come. '.repeat(10)}\n\nAda`,
    })
  }
  transport.close()
  await until('all are indexed', async () => {
    const { items } = await engine.inboxes.threads.list(project, inbox.id, { limit: '100', folder: 'inbox' })
    const found = await engine.inboxes.search.find(project, { q: `"order ${SEEDS - 1}"` })
    return items.length === 100 && found.length === 1
  })
}

/** Writes the rows as the store would, all indexes included; by SMTP it would take many minutes. */
function* multiply({ sql, on }: BenchDatabase, messages: number): Generator<string> {
  const at = (i: string) => `(${BEGAN} + (${i})::bigint * ${APART})`.replace(on === 'SQLite' ? '::bigint' : '', '')
  const idOf = (i: string) => sql.id(at(i), i)
  const threadId = sql.id(String(BEGAN - APART), THREAD_OF)
  const moment = sql.moment(at('n.i'))
  const rows = (entity: EntityLike, seeds: string, own: Readonly<Record<string, string>>, from: number, to: number) => {
    const columns = columnsOf(entity)
    const values = columns.map((name) => own[name] ?? `s."${name}"`).join(', ')
    const list = columns.map((name) => `"${name}"`).join(', ')
    return `insert into ${entity.tableName} (${list}) select ${values}
      from ${sql.numbers(from, to)} join ${seeds} as s on s.place = n.i % ${SEEDS}`
  }
  for (const [name, table, key] of [
    ['mails', 'emails', 'id'],
    ['talks', 'threads', 'id'],
    ['parts', 'thread_mails', 'email_id'],
    ['texts', 'mail_words', 'email_id'],
  ]) {
    yield `create temp table ${name} as select row_number() over (order by ${key}) - 1 as place, * from ${table}`
    yield `create unique index ${name}_place on ${name} (place)`
  }
  const mail = { id: idOf('n.i'), created_at: moment, due_at: moment, updated_at: moment }
  const part = {
    thread_id: threadId,
    email_id: idOf('n.i'),
    at: moment,
    message_id: `'<m' || n.i || '@friend.example>'`,
  }
  // one message in 5,000 has the same rare word, all have those of the seeds
  const words = { email_id: idOf('n.i'), body: `s."body" || ' number' || (n.i % 5000)` }
  for (let from = 0; from < messages; from += PART) {
    const to = Math.min(from + PART, messages)
    yield rows(EmailRow, 'mails', mail, from, to)
    yield rows(ThreadMailRow, 'parts', part, from, to)
    yield rows(MailWordsRow, 'texts', words, from, to)
  }
  const last = sql.moment(at(LAST_OF))
  const talk = {
    id: sql.id(String(BEGAN - APART), 'n.i'),
    folder: `case when n.i % 3 = 0 then 'inbox' else 'archive' end`,
    message_count: '3',
    last_message_id: idOf(LAST_OF),
    last_message_at: last,
    created_at: last,
    updated_at: last,
  }
  const threads = Math.floor((messages * 3) / 10) - 1
  for (let from = 0; from < threads; from += PART)
    yield rows(ThreadRow, 'talks', talk, from, Math.min(from + PART, threads))
}

function columnsOf({ properties }: EntityLike): readonly string[] {
  return Object.keys(properties).map((name) => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`))
}

async function reads(engine: Engine, messages: number): Promise<readonly Figure[]> {
  const { project, inbox } = await onlyOne(engine)
  if (!inbox) throw new Error('the inbox was not made')
  const { threads, search } = engine.inboxes
  const some = (await search.find(project, { q: 'number1*', limit: 50 })).map(({ thread }) => thread.id)
  let next = 0
  const asked: readonly (readonly [what: string, work: () => Promise<number>])[] = [
    ['list of threads', () => listed({})],
    ['list of the unread', () => listed({ unread: 'true' })],
    ['inboxes with their unread', async () => (await engine.inboxes.list(project, {})).items.length],
    ['a thread with its messages', () => openThread(some[next++ % some.length] ?? '')],
    ['search: a word of one message in 5,000', () => found({ q: `number${next++ % 5000}` })],
    ['search: a word of all', () => found({ q: 'order' })],
    ['search: two words of all, in an inbox', () => found({ q: 'week order', inboxId: inbox.id })],
    ['search: a phrase', () => found({ q: '"order 137"' })],
    ['search: a beginning', () => found({ q: 'number49*' })],
    ['search: no hit', () => found({ q: 'nothinglikethis' })],
  ]
  const listed = async (more: object) =>
    (await threads.list(project, inbox.id, { folder: 'inbox', limit: '50', ...more })).items.length
  const found = async (query: SearchThreadsInput) => (await search.find(project, query)).length
  const openThread = async (id: string) => {
    await threads.get(project, id)
    return (await threads.messages(project, id, {})).items.length
  }
  const note = `${(messages / 1e6).toFixed(1)} million messages`
  const figures: Figure[] = []
  for (const [what, work] of asked) {
    const first = await work()
    figures.push({
      what: `inbox: ${what}, median`,
      value: await medianOf(work),
      unit: 'ms',
      note: `${note}, ${first} answered`,
    })
  }
  return figures
}

async function medianOf(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    const from = performance.now()
    await work()
    times.push(performance.now() - from)
  }
  return times.toSorted((a, b) => a - b)[Math.floor(RUNS / 2)] ?? Number.NaN
}
