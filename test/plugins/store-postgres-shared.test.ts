import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from 'pg'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { systemClock } from '../../core/ports/clock.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { DeliveryResult, Email } from '../../core/ports/store/emails.ts'
import type { Store } from '../../core/ports/store/store.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import {
  at,
  claimMails,
  contact,
  content,
  email,
  event,
  NOON,
  newProjectId,
  put,
  putContact,
  request,
  result,
  suppression,
} from '../contracts/store/records.ts'
import { freshDatabase } from '../support/fresh-database.ts'

let url: string

beforeAll(async () => {
  url = await freshDatabase()
})

describe('two stores on one PostgreSQL database', () => {
  it('know each other’s members, and a member whose session an operator ends is one again under its name', async () => {
    const [one, other] = await open(2)
    const member = await one!.workers!.join()
    expect(await other!.workers!.members()).toContain(member.name)
    const { session } = member
    await onServer((client) =>
      client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'mailwright worker' and datname = current_database()",
      ),
    )
    await expect.poll(() => member.session, { timeout: 10_000 }).toBe(session + 1)
    expect(await other!.workers!.members()).toContain(member.name)
    await member.leave()
  })

  it('make one first user, by the set-up links of either', async () => {
    const make = () =>
      createEngine({
        store: postgres({ url }),
        accounts: { passwordCost: 10 },
        projects: [{ name: 'Ours' }],
        log: silentLog,
      })
    const engines = [await make(), await make()]
    onTestFinished(async () => void (await Promise.all(engines.map((engine) => engine.stop()))))
    const links = await Promise.all(engines.map(({ accounts }) => accounts.firstUser.link('http://localhost')))
    const [first, second] = links.map((link) => link!.slice(link!.lastIndexOf('/') + 1))
    // each link in the process that did not make it
    const answers = await Promise.allSettled([
      engines[0]!.accounts.firstUser.setUp({ token: second!, email: 'ada@example.org', password: 'long enough' }),
      engines[1]!.accounts.firstUser.setUp({ token: first!, email: 'bob@example.org', password: 'long enough' }),
    ])
    const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'made'))
    expect(codes.sort()).toEqual(['CONFLICT', 'made'])
    expect(await engines[0]!.accounts.firstUser.works(first!)).toBe(false)
  })

  it('make one contact of one new address, and lose no change to it', async () => {
    const stores = await open(2)
    const projectId = newProjectId()
    await everyone(stores, 100, (store) => countUp(store, projectId, ['new@example.com']))
    const found = await stores[0]!.contacts.page(projectId, {}, { sort: 'email', dir: 'asc' }, { limit: 9 })
    expect(found).toMatchObject([{ email: 'new@example.com', data: { n: 100 } }])
  })

  it('count apart, and join what is old without changing a figure, also while it is written', async () => {
    const stores = await open(2)
    const [one, other] = [stores[0]!, stores[1]!]
    const projectId = newProjectId()
    const person = await putContact(one, projectId)
    const hour = { from: new Date('2025-06-01T12:00:00Z'), to: new Date('2025-06-01T13:00:00Z') }
    const track = (store: Store) => store.events.record([event(projectId, person.id, { name: 'paid' })])
    const figures = async () => [
      await other.analytics.figures(projectId, [hour]),
      await other.analytics.topEvents(projectId, hour, hour, 9),
    ]
    const rows = 'select count(*)::int as "rows" from "activity_counts" where "project_id" = $1'
    const kept = async () => (await onServer((client) => client.query(rows, [projectId]))).rows[0].rows
    await everyone(stores, 40, track)
    expect(await kept()).toBeGreaterThan(4)
    const before = await figures()
    expect(await one.analytics.joinParts(new Date('2025-06-01'), 1000)).toBe(0)
    while ((await one.analytics.joinParts(hour.to, 3)) > 0) expect(await figures()).toEqual(before)
    expect(await kept()).toBe(4)

    let writing = true
    const join = async () => {
      while ((await one.analytics.joinParts(hour.to, 5)) > 0 || writing);
    }
    const joined = join()
    await everyone(stores, 40, track).finally(() => (writing = false))
    await joined
    // the last look may have begun before the last write
    while ((await one.analytics.joinParts(hour.to, 5)) > 0);
    expect(await kept()).toBe(4)
    expect(await figures()).toMatchObject([[{ events: 80 }], [{ name: 'paid', count: 80 }]])
    expect(await other.analytics.recount(projectId, false)).toEqual([])
  })

  it('never claim the same mail', async () => {
    const [one, other] = await open(2)
    const projectId = newProjectId()
    const mails = Array.from({ length: 400 }, () => email(projectId))
    await put(one!, projectId, { emails: mails })
    const ids = mails.map(({ id }) => id)
    const due = { lane: 'transactional', projectIds: [projectId], share: 60 } as const
    const claims = await Promise.all(
      [one!, other!].flatMap((store, which) =>
        [1, 2, 3, 4].map(() => store.emails.claimDue(due, NOON, { token: `worker-${which}`, until: at(300) })),
      ),
    )
    const got = claims.flat().map(({ id }) => id)
    expect(new Set(got).size).toBe(got.length)
    const rest = await one!.emails.claimDue({ ...due, share: 400 }, NOON, { token: 'worker-2', until: at(300) })
    expect([...got, ...rest.map(({ id }) => id)].sort()).toEqual(ids)
    const page = await other!.emails.page(projectId, { status: 'SENDING' }, { limit: 400 })
    expect(page.map(({ attempts }) => attempts)).toEqual(ids.map(() => 1))
  })

  it('take a request under an idempotency key once', async () => {
    const stores = await open(2)
    const projectId = newProjectId()
    const outcomes = await everyone(stores, 40, (store, i) => {
      const answer = { by: i }
      const mail = email(projectId)
      return store.writeBatch.commit(
        request(projectId, () => ({ contacts: [], contents: [], emails: [mail], events: [], answer }), {
          idempotency: { key: 'once', fingerprint: 'same', since: new Date(0) },
        }),
      )
    })
    expect(outcomes.filter(({ outcome }) => outcome === 'taken')).toHaveLength(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'replayed')).toHaveLength(39)
    expect(
      new Set(outcomes.map((outcome) => JSON.stringify(outcome.outcome !== 'key-reused' && outcome.answer))).size,
    ).toBe(1)
    expect(await stores[1]!.emails.count(projectId, {})).toBe(1)
  })

  it('wait for each other where they change one contact, and neither misses the other', async () => {
    const [one, other] = await open(2)
    const projectId = newProjectId()
    const ada = await putContact(one!, projectId, { email: 'ada@example.com', data: { n: 1 } })
    let counted: Promise<unknown> | undefined
    await one!.transaction(async (tx) => {
      const held = await tx.contacts.lock(projectId, ada.id)
      counted = countUp(other!, projectId, ['ada@example.com'])
      await waiting(1)
      await tx.contacts.update({ ...held!, data: { n: 10 } })
    })
    await counted
    expect((await other!.contacts.find(projectId, ada.id))?.data).toEqual({ n: 11 })
  })

  it('never wait for each other in a circle, in whatever order they are asked', async () => {
    const before = await deadlocks()
    const stores = await open(3)
    const projectId = newProjectId()
    const known = await Promise.all(
      Array.from({ length: 12 }, (_, i) => putContact(stores[0]!, projectId, { email: `k${i}@example.com` })),
    )
    let expected = 0
    const work = async (store: Store, round: number, i: number) => {
      if (i % 4 === 3) return sendBack(store, projectId, some(known))
      // half of them are new in this round
      const fresh = Array.from({ length: 600 }, (_, n) => `r${round}-${n}@example.com`)
      const named = some([...fresh, ...known.map(({ email: address }) => address)])
      const ids = i % 4 === 0 ? some(known).map(({ id }) => id) : []
      expected += named.length + ids.length
      await countUp(store, projectId, named, ids)
    }
    await everyone(stores, 12, async (store, worker) => {
      for (let round = 0; round < 8; round++) await work(store, round, worker + round)
    })
    const all = await stores[0]!.contacts.page(projectId, {}, { sort: 'email', dir: 'asc' }, { limit: 10_000 })
    expect(new Set(all.map(({ email: address }) => address)).size).toBe(all.length)
    expect(all.reduce((sum, { data }) => sum + Number(data.n ?? 0), 0)).toBe(expected)
    expect(await stores[0]!.suppressions.count(projectId, NOON)).toBe(12)
    // PostgreSQL counts what a session met when the session ends
    await close(stores)
    expect(await deadlocks()).toBe(before)
  })

  it('write again what PostgreSQL undid to end a circle of waiting', async () => {
    const database = new URL(url).pathname.slice(1)
    await onServer((client) => client.query(`alter database ${database} set deadlock_timeout = '10ms'`))
    onTestFinished(() => onServer(async (client) => void (await client.query(`alter database ${database} reset all`))))
    const [store] = await open(1)
    const projectId = newProjectId()
    const ada = await putContact(store!, projectId)
    const mail = email(projectId, { contactId: ada.id, to: ada.email })
    await put(store!, projectId, { emails: [mail] })
    await claimMails(store!, [mail], NOON, { token: 't', until: at(300) })
    await store!.suppressions.put(suppression(projectId, ada.email))
    await onServer(async (rival) => {
      await rival.query("set deadlock_timeout = '1min'; begin")
      await rival.query('select from contacts where id = $1 for update', [ada.id])
      const recorded = await onServer(async (first) => {
        await first.query('begin')
        await first.query('select from suppressions where email = $1 for update', [ada.email])
        const result = store!.emails.record([bounced(mail, ada)])
        await waiting(1)
        // it wants the mail, whose writer will want the contact
        const ended = rival.query('update emails set updated_at = updated_at where id = $1', [mail.id])
        await waiting(2)
        await first.query('commit')
        await ended
        return { result }
      })
      await rival.query('commit')
      await recorded.result
    })
    expect((await store!.emails.find(projectId, mail.id))?.status).toBe('BOUNCED')
    expect((await store!.contacts.find(projectId, ada.id))?.subscribed).toBe(false)
  })

  it('go on when a process is killed in the middle of a transaction', async () => {
    const [store] = await open(1)
    const projectId = newProjectId()
    const ada = await putContact(store!, projectId, { email: 'ada@example.com', data: { n: 1 } })
    const holder = await holdInProcess(projectId, ada.id)
    const counted = countUp(store!, projectId, ['ada@example.com'])
    await waiting(1)
    holder.kill('SIGKILL')
    await counted
    expect((await store!.contacts.find(projectId, ada.id))?.data).toEqual({ n: 2 })
  })
})

/** Opens the database so many times, as so many processes do. */
async function open(count: number): Promise<readonly Store[]> {
  const opened = await Promise.all(
    Array.from({ length: count }, () => postgres({ url }).open({ log: silentLog, clock: systemClock })),
  )
  for (const { store, close: end } of opened) ends.set(store, async () => end?.())
  const stores = opened.map(({ store }) => store)
  onTestFinished(() => close(stores))
  return stores
}

const ends = new Map<Store, () => Promise<void>>()

async function close(stores: readonly Store[]): Promise<void> {
  for (const store of stores) {
    await ends.get(store)?.()
    ends.delete(store)
  }
}

/** Runs the work so many times at once, on each store in turn. */
function everyone<T>(stores: readonly Store[], times: number, work: (store: Store, i: number) => Promise<T>) {
  return Promise.all(Array.from({ length: times }, (_, i) => work(stores[i % stores.length]!, i)))
}

/** Adds one to `n` of each of these contacts; makes those that are missing, with 1. */
async function countUp(
  store: Store,
  projectId: ProjectId,
  addresses: readonly string[],
  contactIds: readonly string[] = [],
): Promise<void> {
  const words = content(projectId, { subject: addresses.join() })
  await store.writeBatch.commit(
    request(
      projectId,
      (known) => {
        const contacts = new Map<string, Contact>()
        const up = (found: Contact) => {
          const { data } = contacts.get(found.id) ?? found
          contacts.set(found.id, { ...found, data: { n: Number(data.n ?? 0) + 1 } })
        }
        for (const address of addresses) up(known.byAddress(address) ?? contact(projectId, { email: address }))
        for (const id of contactIds) up(known.byId(id)!)
        return { contacts: [...contacts.values()], contents: [words], emails: [], events: [], answer: null }
      },
      { addresses, contactIds },
    ),
  )
}

/** Half of them, in any order. */
function some<T>(of: readonly T[]): readonly T[] {
  const mixed = of.map((value) => ({ value, at: Math.random() })).sort((a, b) => a.at - b.at)
  return mixed.slice(0, of.length / 2).map(({ value }) => value)
}

/** Mail to these contacts comes back: their addresses are suppressed and they are unsubscribed. */
async function sendBack(store: Store, projectId: ProjectId, contacts: readonly Contact[]): Promise<void> {
  const mails = contacts.map(({ id }) => email(projectId, { contactId: id }))
  await put(store, projectId, { emails: mails })
  await claimMails(store, mails, NOON, { token: 't', until: at(300) })
  await store.emails.record(mails.map((mail, i) => bounced(mail, contacts[i]!)))
}

/** The result of a mail under the token `t` that suppresses its address and unsubscribes its contact. */
function bounced(mail: Email, { id, email: address }: Contact): DeliveryResult {
  const { projectId } = mail
  return result(mail, 't', {
    status: 'BOUNCED',
    suppress: suppression(projectId, address),
    unsubscribe: event(projectId, id, { name: 'contact.unsubscribed' }),
  })
}

/** Resolves when so many sessions of the database wait for a row of another. */
function waiting(count: number): Promise<void> {
  return onServer(async (client) => {
    const sql = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    while ((await client.query(sql)).rowCount !== count);
  })
}

/** How often PostgreSQL had to end a circle of waiting in this database. */
function deadlocks(): Promise<number> {
  return onServer(async (client) => {
    const { rows } = await client.query('select deadlocks from pg_stat_database where datname = current_database()')
    return Number(rows[0].deadlocks)
  })
}

async function onServer<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** A process that holds the contact in a transaction that does not end. */
async function holdInProcess(projectId: string, contactId: string) {
  const module = (path: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, '../..', path)).href)
  const script = `
    import { postgres } from ${module('plugins/store-postgres/index.ts')}
    import { silentLog } from ${module('core/ports/log.ts')}
    import { systemClock } from ${module('core/ports/clock.ts')}
    const { store } = await postgres({ url: ${JSON.stringify(url)} }).open({ log: silentLog, clock: systemClock })
    await store.transaction(async (tx) => {
      const held = await tx.contacts.lock(${JSON.stringify(projectId)}, ${JSON.stringify(contactId)})
      await tx.contacts.update({ ...held, data: { n: 99 } })
      console.log('held')
      await new Promise((resolve) => setTimeout(resolve, 60_000))
    })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  expect(String(said).trim()).toBe('held')
  return child
}
