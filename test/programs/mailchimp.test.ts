import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { anewOnRetry } from '../support/anew-on-retry.ts'
import { SECRET, type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { COMPILE_CACHE, MAIN } from '../support/server-process.ts'

/** The columns that end each of the three files of an export. */
const OWN =
  'MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION'
const END = 'LAST_CHANGED,LEID,EUID,NOTES,TAGS'
const CELLS = '2,"2024-01-02 03:04:05",203.0.113.7,"2024-01-02 03:05:00",203.0.113.7,52.5,13.4,1,2,Europe/Berlin,de,BE'
const LAST = '"2024-05-06 07:08:09",11,abc123,'
const BEGIN = 'Email Address,First Name,Last Name,Interests,Products'

const SUBSCRIBED = `${BEGIN},${OWN},${END}
ada@mc.example,Ada,Lovelace,"News, Big Offers","Food\\, drink",${CELLS},${LAST},"""vip"",""2024"""
bob@mc.example,Bob,,News,,${CELLS},${LAST},
eve@mc.example,Eve,,,,${CELLS},${LAST},"""vip"""
`
const UNSUBSCRIBED = `${BEGIN},${OWN},UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,${END}
left@mc.example,Left,,"News, Big Offers","Food\\, drink",${CELLS},"2024-03-01 10:00:00",Spring,9,NORMAL,,${LAST},
`
const CLEANED = `${BEGIN},${OWN},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,${END}
gone@mc.example,Gone,,News,,${CELLS},"2024-04-01 10:00:00",Spring,9,${LAST},
`

/** The columns of the page, as they stand there. */
const PAGE = readFileSync(new URL('../../docs/coming-from-mailchimp.md', import.meta.url), 'utf8')
const COLUMNS = /^ *C='(\{.*\})'$/m.exec(PAGE)?.[1] ?? ''

describe('an export of Mailchimp, brought over as docs/coming-from-mailchimp.md says', () => {
  let folder: string
  let test: TestApp
  let server: HttpServer
  anewOnRetry(
    async () => {
      folder = mkdtempSync(join(tmpdir(), 'mailwright-mailchimp-'))
      test = await testApp(QUICK)
      await test.engine.start()
      server = await listen(test.app, { host: '127.0.0.1', port: 0 }, test.engine.log)
    },
    async () => {
      await server?.close(0)
      if (folder) rmSync(folder, { recursive: true, force: true })
    },
  )

  const imported = async (name: string, text: string, more: readonly string[] = []) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    const env = {
      ...{ PATH: process.env.PATH ?? '', MAILWRIGHT_URL: server.url, MAILWRIGHT_API_KEY: SECRET },
      ...COMPILE_CACHE,
    }
    const args = [MAIN, 'import', file, '--columns', COLUMNS, ...more, '--json']
    return promisify(execFile)(process.execPath, args, { env, maxBuffer: 1e8 })
  }
  const contact = async (name: string) => {
    const { body } = await test.ask('GET', `/contacts?search=${name}%40mc.example`)
    expect(body.data).toHaveLength(1)
    return body.data[0]
  }
  const topicsOf = async (name: string) => {
    const { body } = await test.ask('GET', `/contacts/${name}@mc.example/topics`)
    return body.topics.filter(({ subscribed }: { subscribed: boolean }) => subscribed).map(({ name: of }: Named) => of)
  }

  it('gives contacts their names, tags, zones and topics, and mails nobody who left or bounced', async () => {
    await imported('subscribed.csv', SUBSCRIBED, ['--make-topics'])
    await imported('unsubscribed.csv', UNSUBSCRIBED)
    await imported('cleaned.csv', CLEANED)
    const raw = new FormData()
    raw.set('file', new Blob([CLEANED]), 'cleaned.csv')
    raw.set('reason', 'BOUNCE')
    const url = `${server.url}/suppressions/import`
    const answer = await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${SECRET}` }, body: raw })
    expect([answer.status, await answer.json()]).toMatchObject([200, { createdCount: 1, failureCount: 0 }])

    const ada = await contact('ada')
    expect(ada).toMatchObject({ subscribed: true, data: { timezone: 'Europe/Berlin', country: 'de' } })
    expect((await topicsOf('ada')).toSorted()).toEqual(['Big Offers', 'Food, drink', 'News'])
    expect([await topicsOf('bob'), await topicsOf('eve')]).toEqual([['News'], []])
    for (const name of ['left', 'gone']) expect((await contact(name)).subscribed).toBe(false)
    expect([await topicsOf('left'), await topicsOf('gone')]).toEqual([[], []])
    expect((await test.ask('GET', '/suppressions')).body.data).toMatchObject([
      { email: 'gone@mc.example', reason: 'BOUNCE' },
    ])
    expect(ada.data).toEqual({
      ...{ firstName: 'Ada', lastName: 'Lovelace', tags: '"vip","2024"', country: 'de', timezone: 'Europe/Berlin' },
      ...{ OPTIN_TIME: '2024-01-02 03:04:05', CONFIRM_TIME: '2024-01-02 03:05:00', REGION: 'BE' },
      ...{ OPTIN_IP: '203.0.113.7', CONFIRM_IP: '203.0.113.7' },
    })
    const filter = { operator: 'AND', conditions: [{ field: 'data.tags', operator: 'contains', value: '"vip"' }] }
    const tagged = await test.ask('GET', `/contacts?sort=email&filter=${encodeURIComponent(JSON.stringify(filter))}`)
    expect(tagged.body.data.map(({ email }: { email: string }) => email)).toEqual(['ada@mc.example', 'eve@mc.example'])
    const mail = { subject: 'Hi {{ firstName | default: "friend" }}', body: '<p>{{ lastName }}</p>' }
    const { body } = await test.ask('POST', '/templates/render', { json: { ...mail, contactId: ada.id } })
    expect(body).toMatchObject({ subject: 'Hi Ada' })
  })
})

interface Named {
  readonly name: string
}
