import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine, GivenSettings } from '../../config/library.ts'
import { Links } from '../../core/mail/links/links.ts'
import type { Activity } from '../../core/ports/store/emails.ts'
import type { Store } from '../../core/ports/store/store.ts'
import { postgres } from '../../plugins/store-postgres/index.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { engineWithSink } from '../support/engine.ts'
import { freshSqlite } from '../support/fresh-sqlite.ts'
import { type Postgres, startPostgres } from '../support/postgres.ts'
import type { SmtpSinkOptions } from '../support/smtp-sink.ts'
import { SettableClock } from '../support/store.ts'
import { until } from '../support/until.ts'

const SECRET = 'a secret of sixteen characters and more'
const links = new Links({ publicUrl: 'https://mail.example.net', secret: Buffer.from(SECRET) })
const PERSON = {
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
  address: '192.0.2.1',
  isPrefetch: false,
}
const MAIL = { to: 'ada@example.org', from: 'hello@example.com', subject: 'Hi {{ name }}', data: { name: 'Ada' } }
const BODY = '<a href="https://x.example/{{ name }}">x</a>'
type EmailMethods = Partial<Store['emails']>

async function running(settings: GivenSettings = {}, sinkOptions: SmtpSinkOptions = {}) {
  const given = { publicUrl: 'https://mail.example.net', secret: SECRET, ...settings }
  const { engine, project, sink } = await engineWithSink(given, sinkOptions)
  await engine.start()
  const send = async (change: object = {}) => {
    const { answer } = await engine.sending.send(project, { ...MAIL, body: BODY, ...change })
    const id = answer.emails[0]!.email
    return { id, token: links.ofMail({ projectId: project.id, emailId: id })!.pixel.split('/').at(-1)! }
  }
  const detail = (id: string) => engine.mails.get(project, id)
  const has = (id: string, status: string) =>
    until(`the mail is ${status}`, async () => (await detail(id)).email.status === status)
  const names = async (id: string) =>
    (await detail(id)).events.map(({ name }) => name).filter((name) => /open|click/.test(name))
  return { engine, project, sink, send, detail, has, names }
}

/** The SQLite store with methods of the ledger replaced; `change` is given the real ones. */
function storeWith(change: (emails: Store['emails']) => EmailMethods) {
  const plugin = freshSqlite()
  return {
    ...plugin,
    async open(kit: Parameters<typeof plugin.open>[0]) {
      const opened = await plugin.open(kit)
      const changed = change(opened.store.emails)
      const emails = new Proxy(opened.store.emails, {
        get: (target, key) => Reflect.get(changed, key) ?? Reflect.get(target, key).bind(target),
      })
      return { ...opened, store: { ...opened.store, emails } }
    },
  }
}

async function statusOf(engine: Engine, project: Parameters<Engine['mails']['get']>[0], id: string) {
  return (await engine.mails.get(project, id)).email.status
}

describe('an opening', () => {
  it('that comes before the result of the delivery is kept, and the status is the later one', async () => {
    const test: { seen?: () => void } = {}
    const opened = new Promise<void>((resolve) => {
      test.seen = resolve
    })
    const store = storeWith((emails) => ({
      record: async (results) => {
        await opened
        return emails.record(results)
      },
    }))
    const { engine, project, sink, send, has, names, detail } = await running({ store })
    const { id, token } = await send()
    await sink.waitFor(1)
    expect(await statusOf(engine, project, id)).toBe('SENDING')
    await engine.tracking.opened(token, PERSON)
    expect(await statusOf(engine, project, id)).toBe('SENDING')
    test.seen?.()
    await has(id, 'OPENED')
    expect((await detail(id)).email).toMatchObject({ opens: 1, clicks: 0, deliveredAt: expect.any(Date) })
    expect(await names(id)).toEqual(['email.open'])
  })

  it('has the moment it was asked for, whatever the store takes', async () => {
    const clock = new SettableClock()
    let failures = 1
    const store = storeWith((emails) => ({
      recordActivity: (activities) =>
        failures-- > 0 ? Promise.reject(new Error('the disk is full')) : emails.recordActivity(activities),
    }))
    const { engine, send, has, detail } = await running({ store, clock })
    const { id, token } = await send()
    await has(id, 'DELIVERED')
    const at = clock.now()
    await engine.tracking.opened(token, PERSON)
    clock.advance(60)
    await has(id, 'OPENED')
    const { email, events } = await detail(id)
    expect(email).toMatchObject({ opens: 1, openedAt: at, humanOpenedAt: at })
    expect(events.at(-1)).toMatchObject({ name: 'email.open', createdAt: at, data: { openedAt: at.toISOString() } })
  })
})

describe('a click', () => {
  it('leads on at once when the store takes its time, which the engine waits for before it ends', async () => {
    const written: Activity[] = []
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const store = storeWith((emails) => ({
      recordActivity: async (activities) => {
        await gate
        const outcomes = await emails.recordActivity(activities)
        written.push(...activities)
        return outcomes
      },
    }))
    const { engine, send, has } = await running({ store })
    const { id, token } = await send()
    await has(id, 'DELIVERED')
    expect(await engine.tracking.clicked(token, '0', PERSON)).toBe('https://x.example/Ada')
    expect(written).toEqual([])
    const stopped = engine.stop()
    goOn()
    await stopped
    expect(written).toMatchObject([{ emailId: id, kind: 'click', event: { data: { link: 'https://x.example/Ada' } } }])
  })

  it('is followed in a loop to the right place', async () => {
    const { engine, send, has } = await running()
    const body = '{% for p in items %}<a href="https://x.example/{{ p }}">{{ p }}</a>{% endfor %}'
    const { id, token } = await send({ body, data: { items: ['a', 'b', 'ü'] } })
    await has(id, 'DELIVERED')
    const targets = await Promise.all(['0', '1', '2', '3'].map((place) => engine.tracking.clicked(token, place)))
    expect(targets).toEqual(['https://x.example/a', 'https://x.example/b', 'https://x.example/ü', undefined])
  })

  it('never leads to what is no web address, whatever the data say', async () => {
    const { engine, send, has, sink } = await running()
    const body = '<a href="{{ url }}">x</a><a href="https://good.example/">y</a>'
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      '/path',
      'file:///etc/passwd',
      '',
    ]) {
      const { id, token } = await send({ body, data: { url } })
      await has(id, 'DELIVERED')
      const raw = sink.messages.at(-1)!.raw.toString()
      expect(raw).not.toContain(`/t/c/${token}/0`)
      expect(await engine.tracking.clicked(token, '0', PERSON)).toBeUndefined()
      expect(await engine.tracking.clicked(token, '1', PERSON)).toBe('https://good.example/')
    }
  })
})

describe('one address that asks without end', () => {
  it('still gets its answers, but is counted no more in that minute, and the log has one line of it', async () => {
    const warnings: unknown[] = []
    const log = {
      ...{ debug: () => {}, info: () => {}, error: () => {}, warn: (...line: unknown[]) => void warnings.push(line) },
      with: () => log,
    }
    const clock = new SettableClock()
    const { engine, send, has, detail } = await running({ clock, log, store: freshSqlite() })
    const { id, token } = await send()
    await has(id, 'DELIVERED')
    const many = (count: number) =>
      Promise.all(Array.from({ length: count }, () => engine.tracking.opened(token, PERSON)))
    for (let i = 0; i < 31; i++) await many(1000)
    expect(await engine.tracking.clicked(token, '0', PERSON)).toBe('https://x.example/Ada')
    expect((await detail(id)).email).toMatchObject({ opens: 30_000, clicks: 0 })
    expect(warnings).toHaveLength(1)
    await engine.tracking.opened(token, { ...PERSON, address: '192.0.2.2' })
    clock.advance(60)
    await many(1)
    expect((await detail(id)).email).toMatchObject({ opens: 30_002 })
  }, 60_000)
})

describe('while PostgreSQL is away', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres({ own: true })
  })
  atEndOfFile(() => server.stop())

  it('what is known is followed, nobody is kept waiting, and what happened is written down afterwards', async () => {
    const lines: { readonly level: string; readonly message: string }[] = []
    const line = (level: string) => (message: string) => void lines.push({ level, message })
    const log = {
      ...{ debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
      with: () => log,
    }
    const { engine, send, has, detail, names } = await running({
      store: postgres({ url: await server.database() }),
      log,
    })
    const [known, unknown] = [await send(), await send()]
    for (const { id } of [known, unknown]) await has(id, 'DELIVERED')
    await engine.tracking.clicked(known.token, '0')
    await server.restart(async () => {
      expect(await engine.tracking.clicked(known.token, '0', PERSON)).toBe('https://x.example/Ada')
      await expect(engine.tracking.clicked(unknown.token, '0', PERSON)).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
      })
      await engine.tracking.opened(unknown.token, PERSON)
    })
    await has(known.id, 'CLICKED')
    await has(unknown.id, 'OPENED')
    expect((await detail(known.id)).email).toMatchObject({ clicks: 1, opens: 0 })
    expect((await detail(unknown.id)).email).toMatchObject({ clicks: 0, opens: 1 })
    expect([await names(known.id), await names(unknown.id)]).toEqual([['email.click'], ['email.open']])
  }, 30_000)
})

describe('while nothing can be written', () => {
  it('nobody notices but the log, which has one line of it', async () => {
    const lost: Record<string, unknown>[] = []
    const log = {
      ...{ debug: () => {}, info: () => {}, warn: () => {} },
      error: (message: string, fields: Record<string, unknown> = {}) => {
        if (message.includes('could not be stored')) lost.push(fields)
      },
      with: () => log,
    }
    const clock = new SettableClock()
    const broken = storeWith(() => ({ recordActivity: () => Promise.reject(new Error('the disk is full')) }))
    const { engine, send, has } = await running({ store: broken, log, clock })
    const { id, token } = await send()
    await has(id, 'DELIVERED')
    const openings = Array.from({ length: 20 }, () => engine.tracking.opened(token, PERSON))
    await Promise.all(openings)
    expect(await engine.tracking.clicked(token, '0', PERSON)).toBe('https://x.example/Ada')
    await engine.stop()
    expect(lost).toMatchObject([{ count: 1, error: { message: 'the disk is full' } }])
  }, 30_000)

  it('only ten thousand wait to be tried again; what comes then is lost at once, and logged', async () => {
    const lost: Record<string, unknown>[] = []
    const log = {
      ...{ debug: () => {}, info: () => {}, warn: () => {} },
      error: (message: string, fields: Record<string, unknown> = {}) => {
        if (message.includes('could not be stored')) lost.push(fields)
      },
      with: () => log,
    }
    let isBroken = true
    const away = storeWith((emails) => ({
      recordActivity: (...asked) =>
        isBroken ? Promise.reject(new Error('the disk is full')) : emails.recordActivity(...asked),
    }))
    const { engine, send, has, detail } = await running({ store: away, log })
    const { id, token } = await send()
    await has(id, 'DELIVERED')
    const open = (count: number) =>
      Array.from({ length: count }, (_, i) => {
        const address = `192.0.${i % 200}.${Math.floor(i / 200)}`
        return engine.tracking.opened(token, { ...PERSON, address })
      })
    // each answers after a moment, and goes on trying
    await Promise.all(open(10_000))
    expect(lost).toEqual([])
    await Promise.all(open(3))
    expect(lost).toMatchObject([{ count: 1, error: { message: 'the disk is full' } }])
    isBroken = false
    await until('those that waited are stored', async () => (await detail(id)).email.opens > 9_990)
    expect((await detail(id)).email.opens).toBeLessThanOrEqual(10_000)
  }, 60_000)
})
