import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http-server.ts'
import { OTHER_SECRET, SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

const PROGRAM = fileURLToPath(new URL('../../examples/bring-over.mjs', import.meta.url))

/** As listmonk writes them, with times as Go prints them. */
const LISTMONK = `uuid,email,name,attributes,status,created_at,updated_at
7b1c1f7e-0000-4000-8000-000000000001,grace@example.org,"Hopper, Grace","{""city"": ""Arlington"", ""langs"": [""cobol""]}",enabled,2024-01-02 03:04:05.678901 +0000 UTC,2024-01-02 03:04:05.678901 +0000 UTC
7b1c1f7e-0000-4000-8000-000000000002,linus@example.org,Linus,"{""zip"": ""00100""}",disabled,2024-01-02 03:04:05 +0000 UTC,2024-01-02 03:04:05 +0000 UTC
7b1c1f7e-0000-4000-8000-000000000003,spam@example.org,,{},blocklisted,2024-01-02 03:04:05 +0000 UTC,2024-01-02 03:04:05 +0000 UTC
`

describe('bringing an audience over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bring-over-'))
  let test: TestApp
  let server: HttpServer
  beforeAll(async () => {
    test = await testApp(QUICK)
    await test.engine.start()
    server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
  })
  afterAll(async () => {
    await server.close(0)
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (...args: readonly string[]) => {
    const env = {
      ...process.env,
      ...{ PLUNK_URL: server.url, PLUNK_KEY: SECRET, MAILWRIGHT_URL: server.url, MAILWRIGHT_KEY: OTHER_SECRET },
    }
    return promisify(execFile)(process.execPath, [PROGRAM, ...args], { env })
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

    for (const time of ['first', 'again']) {
      const { stderr } = await run('plunk')
      expect({ time, stderr }).toEqual({ time, stderr: '' })
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
    expect((await run('listmonk', file, '--segment', 'Weekly')).stderr).toBe('')
    const data = { name: 'Hopper, Grace', city: 'Arlington', langs: ['cobol'] }
    expect(await brought('grace@example.org')).toMatchObject({ subscribed: true, data })
    expect(await brought('linus@example.org')).toMatchObject({ subscribed: false, data: { zip: '00100' } })
    const suppressed = await test.ask('GET', '/suppressions', { key: OTHER_SECRET })
    expect(suppressed.body.data).toMatchObject([{ email: 'spam@example.org' }])
    expect((await run('listmonk', file, '--unsubscribed')).stderr).toBe('')
    expect(await brought('grace@example.org')).toMatchObject({ subscribed: false })
  })

  it('says how it is used', async () => {
    await expect(run('mailchimp')).rejects.toMatchObject({ code: 64, stderr: expect.stringContaining('Usage:') })
  })
})
