import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { runBringOver } from '../support/run-bring-over.ts'

/** As listmonk writes them, with times as Go prints them. */
const LISTMONK = `uuid,email,name,attributes,status,created_at,updated_at
7b1c1f7e-0000-4000-8000-000000000001,grace@example.org,"Hopper, Grace","{""city"": ""Arlington"", ""langs"": [""cobol""]}",enabled,2024-01-02 03:04:05.678901 +0000 UTC,2024-01-02 03:04:05.678901 +0000 UTC
7b1c1f7e-0000-4000-8000-000000000002,linus@example.org,Linus,"{""zip"": ""00100""}",disabled,2024-01-02 03:04:05 +0000 UTC,2024-01-02 03:04:05 +0000 UTC
7b1c1f7e-0000-4000-8000-000000000003,spam@example.org,,{},blocklisted,2024-01-02 03:04:05 +0000 UTC,2024-01-02 03:04:05 +0000 UTC
`

describe('bringing an audience over', () => {
  let folder: string
  let test: TestApp
  let server: HttpServer
  anewOnRetry(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'mailwright-bring-over-'))
      test = await testApp(QUICK)
      await test.engine.start()
      server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    },
    async () => {
      await server?.close(0)
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  )

  const run = (args: readonly string[], given: Readonly<Record<string, string>> = {}) => {
    const known = {
      PLUNK_URL: server.url,
      PLUNK_KEY: SECRET,
      MAILWRIGHT_URL: server.url,
      MAILWRIGHT_API_KEY: OTHER_SECRET,
    }
    return runBringOver(args, { ...known, ...given })
  }
  const brought = async (email: string) => {
    const { body } = await test.ask('GET', `/contacts?search=${encodeURIComponent(email)}`, { key: OTHER_SECRET })
    expect(body.data).toHaveLength(1)
    return body.data[0]
  }

  it('from Plunk keeps types, subscriptions, templates and segments, also when it is run again', async () => {
    const people = [
      { email: 'ada@example.org', data: { name: 'Ada', seats: 3, paid: true } },
      { email: 'bob@example.org', subscribed: false, data: { name: 'Bob "B", Jr.' } },
      { email: 'eve@example.org', data: { zip: '00100', phone: '+49 1', code: 'TRUE', tags: ['a', 'b'] } },
    ]
    for (const json of people) await test.ask('POST', '/contacts', { json })
    const template = { name: 'Hello', subject: 'Hi {{ name }}', body: '<p>Hi</p>', type: 'TRANSACTIONAL' }
    await test.ask('POST', '/templates', { json: template })
    const filters = { operator: 'AND', conditions: [{ field: 'data.paid', operator: 'equals', value: true }] }
    await test.ask('POST', '/segments', { json: { name: 'Paying', filters } })
    const friends = await test.ask('POST', '/segments', { json: { name: 'Friends', type: 'STATIC' } })
    await test.ask('POST', `/segments/${friends.body.id}/members`, { json: { emails: ['bob@example.org'] } })

    const dry = await run(['plunk', '--dry-run', '--json'])
    expect({ ...dry, stdout: JSON.parse(dry.stdout) }).toMatchObject({
      code: 0,
      told: [],
      stdout: { dryRun: true, contacts: 3, templates: 1, segments: 2, members: 1, refused: 0 },
    })
    expect((await test.ask('GET', '/templates', { key: OTHER_SECRET })).body.templates).toEqual([])
    expect((await test.ask('GET', '/contacts/count', { key: OTHER_SECRET })).text).not.toMatch(/[1-9]/)
    for (const time of ['first', 'again']) {
      const { code, told } = await run(['plunk'])
      expect({ time, code, told }).toEqual({ time, code: 0, told: [] })
      for (const { email, subscribed = true, data } of people)
        expect(await brought(email)).toMatchObject({ email, subscribed, data })
      const templates = await test.ask('GET', '/templates', { key: OTHER_SECRET })
      expect(templates.body.templates).toMatchObject([template])
      const segments = await test.ask('GET', '/segments', { key: OTHER_SECRET })
      expect(segments.text).toContain('"data.paid"')
      const copy = segments.body.find(({ name }: { name: string }) => name === 'Friends')
      const members = await test.ask('GET', `/segments/${copy.id}/contacts`, { key: OTHER_SECRET })
      expect(members.body.data).toMatchObject([{ email: 'bob@example.org' }])
    }
  })

  it('from listmonk reads its export: attributes, statuses, and a list as a segment', async () => {
    const file = join(folder, 'subscribers.csv')
    writeFileSync(file, LISTMONK)
    expect(await run(['listmonk', file, '--segment', 'Weekly', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /^Would bring 3 contacts, 0 templates, 1 segments with 1 members added, 1 addresses suppressed,.*Nothing was written/s,
      ),
    })
    expect((await test.ask('GET', '/suppressions', { key: OTHER_SECRET })).body.data).toEqual([])
    expect(await run(['listmonk', file, '--segment', 'Weekly'])).toEqual({
      code: 0,
      told: [],
      stdout: expect.stringMatching(
        /^3 contacts, 0 templates, 1 segments with 1 members added, 1 addresses suppressed,/,
      ),
    })
    const data = { name: 'Hopper, Grace', city: 'Arlington', langs: ['cobol'] }
    expect(await brought('grace@example.org')).toMatchObject({ subscribed: true, data })
    expect(await brought('linus@example.org')).toMatchObject({ subscribed: false, data: { zip: '00100' } })
    const suppressed = await test.ask('GET', '/suppressions', { key: OTHER_SECRET })
    expect(suppressed.body.data).toMatchObject([{ email: 'spam@example.org' }])
    expect(await run(['listmonk', file, '--unsubscribed'])).toMatchObject({ code: 0, told: [] })
    expect(await brought('grace@example.org')).toMatchObject({ subscribed: false })
  })

  it('from listmonk takes a list as a topic, which is left alone by those who left the list', async () => {
    const file = join(folder, 'weekly.csv')
    const rows = ['stays', 'left', 'back'].map((name) => `${name}@topic.example,,,enabled`)
    writeFileSync(file, `email,name,attributes,status\n${rows.join('\n')}\noff@topic.example,,,disabled\n`)
    const chosen = async (name: string) => {
      const { body } = await test.ask('GET', `/contacts/${name}@topic.example/topics`, { key: OTHER_SECRET })
      return [body.subscribed, body.topics[0].subscribed, body.topics[0].source]
    }
    expect(await run(['listmonk', file, '--topic', 'Weekly'])).toMatchObject({
      code: 0,
      told: [],
      stdout: expect.stringMatching(/^4 contacts, .*1 topics/),
    })
    expect([await chosen('stays'), await chosen('off')]).toEqual([
      [true, true, 'import'],
      [false, false, null],
    ])
    writeFileSync(file, 'email,name,attributes,status\nleft@topic.example,,,enabled\n')
    expect(await run(['listmonk', file, '--topic', 'Weekly', '--unsubscribed'])).toMatchObject({ code: 0, told: [] })
    expect(await chosen('left')).toEqual([true, false, 'import'])
    // being in a list once more brings no contact back
    expect(await run(['listmonk', file, '--topic', 'Weekly'])).toMatchObject({ code: 0 })
    expect(await chosen('left')).toEqual([true, false, 'import'])
  })

  it('subscribes nobody again who left here since', async () => {
    const file = join(folder, 'again.csv')
    writeFileSync(file, 'email,name,attributes,status\nleft@example.org,Left,,enabled\n')
    expect(await run(['listmonk', file])).toMatchObject({ code: 0 })
    const { id } = await brought('left@example.org')
    await test.ask('PATCH', `/contacts/${id}`, { key: OTHER_SECRET, json: { subscribed: false } })
    expect(await run(['listmonk', file])).toMatchObject({ code: 0 })
    expect(await brought('left@example.org')).toMatchObject({ subscribed: false })
  })

  it('names each row that is refused with the reason, also more than an import names, and brings the rest', async () => {
    const bad = Array.from({ length: 230 }, (_, i) => `nobody${i},,,enabled`)
    const lines = [
      'email,name,attributes,status',
      ...bad,
      'fine@example.org,Fine,"{""a"": [1, ""x""]}",enabled',
      'json@example.org,,{no json},enabled',
      'list@example.org,,[1],blocklisted',
      ',Empty,{},enabled',
      'last@example.org,Last,,enabled',
    ]
    const file = join(folder, 'bad.csv')
    writeFileSync(file, `${lines.join('\n')}\n`)
    const { code, told, stdout } = await run(['listmonk', file, '--segment', 'Bad', '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ contacts: 2, suppressed: 1, members: 2, refused: 233 })
    expect(told.filter((line) => /^refused: nobody\d+: \S/.test(line))).toHaveLength(230)
    expect(told.filter((line) => !line.includes('nobody'))).toEqual([
      expect.stringMatching(/^refused: row 233 \(json@example\.org\): its attributes are no object in JSON/),
      expect.stringMatching(/^refused: row 234 \(list@example\.org\): its attributes/),
      'refused: row at line 235: it has no address',
    ])
    expect(await brought('fine@example.org')).toMatchObject({ data: { name: 'Fine', a: [1, 'x'] } })
    expect(await brought('last@example.org')).toMatchObject({ subscribed: true })
  })

  it('takes what Plunk documents and Mailwright calls otherwise, shows the warnings, and goes on after a refusal', async () => {
    const condition = (field: string) => ({ logic: 'AND', groups: [{ filters: [{ field, operator: 'triggered' }] }] })
    const answers: Readonly<Record<string, unknown>> = {
      '/contacts': {
        data: [
          { id: '1', email: 'plunk@example.org', subscribed: true, data: { plan: 'pro' } },
          { id: '2', email: 'no address', subscribed: true, data: {} },
          { id: '3', email: 'big@example.org', subscribed: true, data: { text: 'x'.repeat(200_000) } },
        ],
        hasMore: false,
        total: 3,
      },
      '/templates': {
        data: [
          { name: 'Plain', subject: 'Hi', body: '<p>Hi</p>', type: 'HEADLESS', from: 'me@other.example' },
          { name: 'Foreign', subject: 'Hi', body: '<p>Hi</p>', type: 'MARKETING', from: 'me@foreign.example' },
        ],
        totalPages: 1,
      },
      '/segments': [
        { id: 's1', name: 'Openers', type: 'DYNAMIC', condition: condition('email.opened') },
        { id: 's2', name: 'Clickers', type: 'DYNAMIC', condition: condition('email.clicked') },
        { id: 's3', name: 'Odd', type: 'DYNAMIC', condition: condition('no.such.field') },
        { id: 's4', name: 'Few', type: 'STATIC' },
      ],
      '/segments/s4/contacts': {
        contacts: [{ email: 'plunk@example.org' }, { email: 'gone@example.org' }],
        totalPages: 1,
      },
    }
    const tried = new Set<string>()
    const plunk = createServer((request, response) => {
      const [path = ''] = (request.url ?? '').split('?')
      // each is asked for too often once
      const status = tried.has(path) ? 200 : 429
      tried.add(path)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(status === 200 ? answers[path] : {}))
    })
    await new Promise<void>((resolve) => plunk.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void plunk.close())
    const url = `http://127.0.0.1:${(plunk.address() as AddressInfo).port}`
    const { code, told, stdout } = await run(['plunk', '--json'], { PLUNK_URL: url })
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 1,
      contacts: 1,
      templates: 1,
      segments: 3,
      members: 1,
    })
    expect(told).toEqual([
      expect.stringMatching(/^refused: no address: \S/),
      expect.stringMatching(/^refused: big@example\.org: \S/),
      expect.stringMatching(/^template Plain: .*HEADLESS was taken as MARKETING/),
      expect.stringMatching(/^refused: template Foreign: .*foreign\.example is not verified/),
      expect.stringMatching(/^refused: segment Odd: \S/),
      'refused: member gone@example.org of the segment Few: there is no such contact here',
    ])
    const { body } = await test.ask('GET', '/segments', { key: OTHER_SECRET })
    const names = body.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['Openers', 'Clickers', 'Few']))
  })

  it('says at once all that it needs, and what a wrong file lacks', async () => {
    const { code, told } = await run(['plunk'], { PLUNK_KEY: '', MAILWRIGHT_API_KEY: '', MAILWRIGHT_URL: '' })
    expect({ code, told: told.length }).toEqual({ code: 78, told: 3 })
    expect(told.join()).toMatch(/MAILWRIGHT_URL.*MAILWRIGHT_API_KEY.*PLUNK_KEY is missing/)
    const file = join(folder, 'other.csv')
    writeFileSync(file, 'address,state\na@example.org,enabled\n')
    const other = await run(['listmonk', file])
    expect(other).toMatchObject({
      code: 1,
      told: [expect.stringContaining('no column email and none status'), expect.anything()],
    })
    expect(await run(['mailchimp'])).toMatchObject({ code: 64 })
  })

  it('from Resend brings topics with what contacts chose of them, and nobody back', async () => {
    const choice = (id: string, subscription: string) => ({ id, name: id, subscription })
    const pages: Readonly<Record<string, object>> = {
      '/topics?limit=100': {
        data: [
          { id: 't1', name: 'Resend News', default_subscription: 'opt_in' },
          { id: 't2', name: 'Resend Offers', default_subscription: 'opt_out' },
        ],
        has_more: false,
      },
      '/contacts?limit=100': {
        data: [{ id: 'c1', email: 'r1@example.org', first_name: 'Ann', unsubscribed: false, properties: { seats: 3 } }],
        has_more: true,
      },
      '/contacts?limit=100&after=c1': {
        data: [
          { id: 'c2', email: 'r2@example.org', first_name: null, unsubscribed: true },
          { id: 'c3', email: 'r3@example.org', last_name: 'Lee', unsubscribed: false },
        ],
        has_more: false,
      },
      '/contacts/c1/topics?limit=100': { data: [choice('t1', 'opt_out'), choice('t2', 'opt_in')], has_more: false },
      '/contacts/c2/topics?limit=100': { data: [choice('t1', 'opt_in'), choice('t2', 'opt_in')], has_more: false },
      '/contacts/c3/topics?limit=100': { data: [choice('t2', 'opt_in'), choice('t9', 'opt_in')], has_more: false },
    }
    const resend = createServer(({ url = '', headers }, response) => {
      const page = headers.authorization === 'Bearer re_x' ? pages[url] : undefined
      response.writeHead(page ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(page ?? {}))
    })
    await new Promise<void>((resolve) => resend.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void resend.close())
    const key = OTHER_SECRET
    const before = await test.ask('POST', '/contacts', { json: { email: 'r3@example.org' }, key })
    await test.ask('PATCH', `/contacts/${before.body.id}`, { json: { subscribed: false }, key })
    const url = `http://127.0.0.1:${(resend.address() as AddressInfo).port}`
    const given = { RESEND_URL: url, RESEND_API_KEY: 're_x' }
    const { code, stdout, told } = await run(['resend', '--json'], given)
    expect({ code, told, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      told: [],
      contacts: 3,
      topics: 2,
      refused: 0,
    })
    const chosen = async (email: string) => {
      const { topics } = (await test.ask('GET', `/contacts/${email}/topics`, { key })).body
      return topics.flatMap(
        ({ name, source, subscribed }: { name: string; source: string | null; subscribed: boolean }) =>
          source === null ? [] : [`${name} ${subscribed}`],
      )
    }
    expect(await brought('r1@example.org')).toMatchObject({ subscribed: true, data: { firstName: 'Ann', seats: 3 } })
    expect(await chosen('r1@example.org')).toEqual(['Resend News false', 'Resend Offers true'])
    expect(await brought('r2@example.org')).toMatchObject({ subscribed: false, leftBy: 'import' })
    expect(await chosen('r2@example.org')).toEqual([])
    expect(await brought('r3@example.org')).toMatchObject({
      subscribed: false,
      leftBy: 'api',
      data: { lastName: 'Lee' },
    })
    expect(await chosen('r3@example.org')).toEqual([])
    expect((await run(['resend'], { ...given, RESEND_URL: 'nowhere' })).told.join()).toContain('RESEND_URL must be')
    expect(JSON.parse((await run(['resend', '--json'], given)).stdout)).toMatchObject({ contacts: 3, topics: 0 })
  })
})
