import { randomBytes } from 'node:crypto'
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ZipFile } from 'yazl'
import { type HttpServer, listen } from '../../server/http/http-server.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { runBringOver } from '../support/run-bring-over.ts'

/** An audience of Mailchimp, with the columns that its exports have. */
const BEGIN = 'Email Address,First Name,Last Name,Interests,Marketing Permissions'
const OWN =
  'MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,LATITUDE,LONGITUDE,GMTOFF,DSTOFF,TIMEZONE,CC,REGION'
const END = 'LAST_CHANGED,LEID,EUID,NOTES,TAGS'
const CELLS = '2,2024-01-02 03:04:05,203.0.113.7,2024-01-02 03:05:00,203.0.113.7,52.5,13.4,1,2,Europe/Berlin,de,BE'
const LAST = '2024-05-06 07:08:09,11,abc123,'
const UNSUB = 'UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER'
const MAILCHIMP = {
  'audience/subscribed_email_audience_export_0a1b.csv': `${BEGIN},${OWN},${END}
ada@x.example,Ada,Lovelace,"News, Food\\, drink","Email, Direct Mail",${CELLS},${LAST},"""vip"",""2024"""
bob@x.example,"O'Neil ""B""",=1+1,News,,${CELLS},${LAST},
both@x.example,Both,,News,Email,${CELLS},${LAST},
`,
  'audience/unsubscribed_email_audience_export_0a1b.csv': `${BEGIN},${OWN},${UNSUB},${END}
left@x.example,Left,,News,Email,${CELLS},2024-03-01 10:00:00,Spring,9,NORMAL,,${LAST},
both@x.example,Both,,News,Email,${CELLS},2024-03-01 10:00:00,Spring,9,NORMAL,,${LAST},
`,
  'audience/cleaned_email_audience_export_0a1b.csv': `${BEGIN},${OWN},CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID,${END}
gone@x.example,Gone,,News,Email,${CELLS},2024-04-01 10:00:00,Spring,9,${LAST},
`,
  'templates/Welcome.html':
    '<html><head><title>Hi *|FNAME|*</title></head><body>*|IF:CITY|*In *|CITY|**|END:IF|* <a href="*|UNSUB|*">leave</a></body></html>',
  'campaigns/2024/Spring sale.html': '<p>Sale, *|FNAME|*. *|LIST:ADDRESS|*</p>',
  '__MACOSX/._x.csv': 'nothing',
}

/** The exports of the other services, with people of every state, and rows that are wrong. */
const FILES: Readonly<Record<string, string>> = {
  brevo: `CONTACT ID;EMAIL;FIRSTNAME;LASTNAME;SMS;EMAIL_BLACKLISTED;SMS_BLACKLISTED;LIST_IDS;ADDED_TIME;SCORE
1;in@x.example;Grête;;+49151;No;No;5,7;2024-01-02;007
2;left@x.example;Left;;;Yes;No;5;2024-01-02;1
3;blank@x.example;Blank;;;;;;2024-01-02;1
4;odd;Odd;;;No;No;;2024-01-02;1
5; LEFT@x.example;Left;;;No;No;5;2024-01-02;1
`,
  // the columns of Sendy's own export-csv.php, those of the list's fields last
  sendy: `"Name","Email","Joined","Last activity","Added via","Opt-in method","IP address","Country","Country code","Signed up from","Status","GDPR","City"
"Hopper, Grace","in@x.example","2024/01/02, 03:04AM","2024/01/02, 03:04AM","API","Single opt-in","203.0.113.7","Germany","DE","","Active","Yes","Arlington"
"Left","left@x.example","","","App interface","","","","","","Unsubscribed","Yes",""
"Gone","gone@x.example","","","App interface","","","","","","Bounced","Yes",""
"Spam","spam@x.example","","","App interface","","","","","","Marked as spam","Yes",""
"Wait","wait@x.example","","","App interface","Double opt-in","","","","","Unconfirmed","No",""
"Odd","odd@x.example","","","App interface","","","","","","Maybe","No",""
`,
  keila: `Email,First name,Last name,Data,Status,External ID
in@x.example,Grace,Hopper,"{""city"": ""Arlington"", ""langs"": [""cobol""]}",active,e1
left@x.example,Left,,,unsubscribed,
gone@x.example,Gone,,{},unreachable,
json@x.example,Json,,{no},active,
odd@x.example,Odd,,{},sleeping,
`,
  // the first five and the last as MailerLite's list of subscribers has them
  mailerlite: `Subscriber,Sent,Opens,Clicks,Subscribed,Name,Last name,City,Status,Groups,Signup IP,Location
in@x.example,12,3,1,2024-01-02 03:04:05,Grace,Hopper,Arlington,Active,"Weekly, VIP",203.0.113.7,Germany
left@x.example,12,3,1,2024-01-02 03:04:05,Left,,,Unsubscribed,Weekly,203.0.113.7,
gone@x.example,12,3,1,2024-01-02 03:04:05,Gone,,,Bounced,Weekly,203.0.113.7,
spam@x.example,12,3,1,2024-01-02 03:04:05,Spam,,,Junk,Weekly,203.0.113.7,
wait@x.example,0,0,0,,Wait,,,Unconfirmed,Weekly,,
odd@x.example,0,0,0,,Odd,,,Sleeping,Weekly,,
`,
}

/** The data of the one who is subscribed, by the service. */
const DATA = {
  brevo: { firstName: 'Grête', phone: '+49151', SCORE: '007', ADDED_TIME: '2024-01-02' },
  sendy: {
    ...{ name: 'Hopper, Grace', City: 'Arlington', GDPR: 'Yes', Joined: '2024/01/02, 03:04AM', 'Added via': 'API' },
    ...{ 'Opt-in method': 'Single opt-in', 'IP address': '203.0.113.7', Country: 'Germany', 'Country code': 'DE' },
  },
  keila: { firstName: 'Grace', lastName: 'Hopper', city: 'Arlington', langs: ['cobol'], externalId: 'e1' },
  mailerlite: {
    ...{ name: 'Grace', lastName: 'Hopper', City: 'Arlington' },
    ...{ Subscribed: '2024-01-02 03:04:05', 'Signup IP': '203.0.113.7', Location: 'Germany' },
  },
}

const NEVER = { 'never confirmed, and so agreed to nothing': 1 }

describe('bringing files of other services over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bring-files-'))
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

  /** A project of its own, which nothing has come to. */
  async function target() {
    const key = `sk_${randomBytes(24).toString('hex')}`
    await test.engine.projects.applySettings([{ name: key, secretKey: key, trustedDomains: ['example.com'] }])
    const given = { MAILWRIGHT_URL: server.url, MAILWRIGHT_API_KEY: key }
    const get = async (path: string) => (await test.ask('GET', path, { key })).body
    const state = async () => {
      const { data } = await get('/contacts?limit=100&sort=email&dir=asc')
      const suppressed = (await get('/suppressions')).data
      return {
        people: data.map((each: Person) => `${nameOf(each)} ${each.subscribed}`),
        suppressed: suppressed.map((each: Person) => `${nameOf(each)} ${each.reason}`).sort(),
      }
    }
    const contact = async (name: string) => (await get(`/contacts?search=${name}@x.example`)).data[0]
    const leave = async (name: string) => {
      const { id } = await contact(name)
      await test.ask('PATCH', `/contacts/${id}`, { key, json: { subscribed: false } })
    }
    const run = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
      runBringOver(args, { ...given, ...more })
    return { get, state, contact, leave, run }
  }

  function fileOf(name: string, text: string | Buffer): string {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  async function zipOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
    const zip = new ZipFile()
    for (const [path, text] of Object.entries(files)) zip.addBuffer(Buffer.from(text), path)
    zip.end()
    await pipeline(zip.outputStream, createWriteStream(join(folder, name)))
    return join(folder, name)
  }

  it('reads a zip of Mailchimp: groups, tags, permissions, who left and what bounced, templates and campaigns', async () => {
    const { get, state, contact, run } = await target()
    const options = ['--groups', 'Interests', '--permission', 'Marketing Permissions', '--consent-text', 'News please']
    const args = ['mailchimp', await zipOf('mailchimp.zip', MAILCHIMP), ...options]

    const dry = await run([...args, '--dry-run', '--json'])
    expect({ ...dry, stdout: JSON.parse(dry.stdout) }).toMatchObject({
      code: 0,
      told: [],
      stdout: { dryRun: true, contacts: 5, topics: 2, suppressed: 1, templates: 2, refused: 0 },
    })
    expect(await state()).toEqual({ people: [], suppressed: [] })
    expect([(await get('/topics')).data, (await get('/templates')).templates]).toEqual([[], []])

    for (const _time of ['first', 'again']) {
      const { code, told } = await run([...args, '--json'])
      expect({ code, told }).toEqual({ code: 0, told: [] })
      expect(await state()).toEqual({
        people: ['ada true', 'bob false', 'both false', 'gone false', 'left false'],
        suppressed: ['gone BOUNCE'],
      })
    }
    expect((await contact('ada')).data).toEqual({
      ...{ firstName: 'Ada', lastName: 'Lovelace', tags: ['vip', '2024'], country: 'de', timezone: 'Europe/Berlin' },
      ...{ OPTIN_TIME: '2024-01-02 03:04:05', CONFIRM_TIME: '2024-01-02 03:05:00', REGION: 'BE' },
      ...{ OPTIN_IP: '203.0.113.7', CONFIRM_IP: '203.0.113.7', 'Marketing Permissions': 'Email, Direct Mail' },
    })
    expect((await contact('bob')).data).toMatchObject({ firstName: 'O\'Neil "B"', lastName: '=1+1' })
    const chosen = async (name: string): Promise<readonly Topic[]> => {
      const { topics } = await get(`/contacts/${name}@x.example/topics`)
      return topics.filter(({ subscribed }: Topic) => subscribed)
    }
    expect((await chosen('ada')).map(({ name, source }) => [name, source]).sort()).toEqual([
      ['Food, drink', 'import'],
      ['News', 'import'],
    ])
    for (const name of ['bob', 'left', 'gone', 'both']) expect(await chosen(name)).toEqual([])
    const { templates } = await get('/templates')
    expect(templates.map(({ name, subject, body }: Template) => [name, subject, body]).sort()).toEqual([
      ['Mailchimp: Spring sale', 'Spring sale', '<p>Sale, {{ firstName }}. </p>'],
      [
        ...['Welcome', 'Hi {{ firstName }}'],
        expect.stringContaining('{% if CITY %}In {{ CITY }}{% endif %} <a href="{{ unsubscribeUrl }}">'),
      ],
    ])
  }, 60_000)

  it.each([
    ['brevo', ['blank true', 'in true', 'left false'], [], ['odd'], {}],
    [
      ...(['sendy', ['gone false', 'in true', 'left false', 'spam false'], ['gone BOUNCE', 'spam COMPLAINT']] as const),
      ...([['odd@x.example'], NEVER] as const),
    ],
    ['keila', ['gone false', 'in true', 'left false'], ['gone BOUNCE'], ['json@x.example', 'odd@x.example'], {}],
    [
      ...(['mailerlite', ['gone false', 'in true', 'left false', 'spam false']] as const),
      ...([['gone BOUNCE', 'spam COMPLAINT'], ['odd@x.example'], NEVER] as const),
    ],
  ] as const)('reads what %s exports, and subscribes nobody who left', async (vendor, people, suppressed, refused, leftOut) => {
    const { state, contact, leave, run, get } = await target()
    const file = fileOf(`${vendor}.csv`, `\ufeff${FILES[vendor]?.replaceAll('\n', '\r\n')}`)
    const dry = await run([vendor, file, '--dry-run'])
    expect(dry.stdout).toMatch(/^Would bring \d contacts/)
    expect(dry.stdout).toContain('Nothing was written.')
    const counted = JSON.parse((await run([vendor, file, '--dry-run', '--json'])).stdout)
    expect(counted).toMatchObject({ contacts: people.length, suppressed: suppressed.length, refused: refused.length })
    expect(counted.leftOut).toEqual(leftOut)
    expect(await state()).toEqual({ people: [], suppressed: [] })

    const { code, told, stdout } = await run([vendor, file, '--json'])
    expect(code).toBe(1)
    expect(told).toHaveLength(refused.length)
    for (const who of refused) expect(told.join('\n')).toContain(who)
    const { dryRun: _, ...would } = counted
    expect(JSON.parse(stdout)).toEqual(would)
    expect(await state()).toEqual({ people, suppressed })
    expect((await contact('in')).data).toEqual(DATA[vendor])
    const segments: readonly Named[] = await get('/segments')
    expect(segments.map(({ name }) => name).sort()).toEqual(SEGMENTS[vendor])
    for (const { id } of segments) {
      expect((await get(`/segments/${id}/contacts`)).data).toMatchObject([{ email: 'in@x.example' }])
    }
    await leave('in')
    await run([vendor, file])
    expect((await contact('in')).subscribed).toBe(false)
  })

  it.each([
    [
      ...(['brevo', 'Hi {{ contact.FIRSTNAME|default:"there" }} {{contact.SMS}} {{ contact.SCORE }}'] as const),
      'Hi {{ firstName|default:"there" }} {{phone}} {{ SCORE }}',
      ...([
        '<a href="{{ unsubscribe }}">a</a>{{ mirror }}',
        '<a href="{{ unsubscribeUrl }}">a</a>{{ viewUrl }}',
      ] as const),
    ],
    [
      ...(['sendy', 'Hi [Name,fallback=friend] [Home town,fallback=] [Email] [a note]'] as const),
      'Hi {{ name | default: "friend" }} {{ data["Home town"] }} {{ email }} [a note]',
      '<unsubscribe>leave</unsubscribe> [webversion]',
      '<a href="{{ unsubscribeUrl }}">leave</a> {{ viewUrl }}',
    ],
    [
      ...([
        'keila',
        'Hi {{ contact.first_name }} {% if contact.data.city %}{{ contact.data.city }}{% endif %}',
      ] as const),
      'Hi {{ firstName }} {% if city %}{{ city }}{% endif %}',
      ...(['{{ unsubscribe_link }}', '{{ unsubscribeUrl }}'] as const),
    ],
    [
      ...(['mailerlite', "Hi {$name|default('friend')} {$last_name} {$email}"] as const),
      'Hi {{ name | default: "friend" }} {{ lastName }} {{ email }}',
      ...(['{$unsubscribe} {$url}', '{{ unsubscribeUrl }} {{ viewUrl }}'] as const),
    ],
  ] as const)('reads templates and campaigns in a zip of %s, with its placeholders', async (vendor, text, ours, links, ourLinks) => {
    const { get, run } = await target()
    const files = { 'list.csv': FILES[vendor] ?? '', 'templates/A.html': text, 'campaigns/B.html': links }
    await run([vendor, await zipOf(`${vendor}.zip`, files)])
    const { templates } = await get('/templates')
    const bodies = templates.map(({ name, body }: Template) => [name, body]).sort()
    const campaign = `${{ brevo: 'Brevo', sendy: 'Sendy', keila: 'Keila', mailerlite: 'MailerLite' }[vendor]}: B`
    expect(bodies).toEqual(
      [
        ['A', ours],
        [campaign, ourLinks],
      ].sort(),
    )
  })

  it('asks for the state where a file does not say it, and takes groups as topics', async () => {
    const { state, run, get } = await target()
    const file = fileOf('list.csv', 'Name,Email,Lists\nAnn,ann@x.example,"Weekly;Daily"\n')
    const unsaid =
      'list.csv: it does not say who is subscribed: Sendy exports each state by itself: give --status. Nothing was brought over.'
    expect(await run(['sendy', file])).toMatchObject({ code: 1, told: [unsaid, expect.anything()] })
    expect(await run(['sendy', file, '--status', 'bounced'])).toMatchObject({ code: 0 })
    expect(await state()).toEqual({ people: ['ann false'], suppressed: ['ann BOUNCE'] })
    const other = fileOf('list2.csv', 'Name,Email,Lists\nBea,bea@x.example,"Weekly;Daily"\n')
    expect(await run(['sendy', other, '--status', 'subscribed', '--as', 'topics'])).toMatchObject({ code: 0 })
    const { topics } = await get('/contacts/bea@x.example/topics')
    expect(topics.map(({ name }: Named) => name).sort()).toEqual(['Daily', 'Weekly'])
    expect(await run(['sendy', other, '--status', 'maybe'])).toMatchObject({ code: 64 })
  })

  it('says what is wrong with a file, and brings nothing', async () => {
    const { state, run } = await target()
    const mailchimp = 'Email Address,OPTIN_TIME\na@x.example,\n'
    const wrong: readonly (readonly [string, string, string | Buffer, readonly string[], string])[] = [
      ['keila', 'empty.csv', '', [], 'empty.csv: it is empty'],
      ['keila', 'bytes.csv', Buffer.from([1, 0, 2, 0, 0, 0]), [], 'bytes.csv: it '],
      ['brevo', 'columns.csv', 'Name;Phone\na;b\n', [], 'columns.csv: it '],
      [
        'brevo',
        'nothing.csv',
        'EMAIL;FIRSTNAME\na@x.example;A\n',
        [],
        'it does not say who is subscribed: export it with',
      ],
      ['mailchimp', 'a.csv', mailchimp, ['--groups', 'Interests'], 'it has no column Interests, which --groups names'],
      ['mailchimp', 'b.csv', mailchimp, ['--permission', 'Ok'], 'it has no column Ok, which --permission names'],
      ['mailerlite', 'broken.zip', 'PK\u0003\u0004 and no more', [], 'is no whole zip file'],
    ]
    for (const [vendor, name, text, more, message] of wrong) {
      const { code, told } = await run([vendor, fileOf(name, text), ...more])
      expect([name, code]).toEqual([name, 1])
      expect(told.join('\n')).toContain(message)
    }
    expect((await run(['keila', join(folder, 'missing.csv')])).told.join()).toContain('There is no file')
    const nothing = await zipOf('nothing.zip', { 'readme.md': 'hello' })
    expect((await run(['mailchimp', nothing])).told.join()).toContain('has no CSV file in it')
    expect(await run(['keila'])).toMatchObject({ code: 64 })
    expect(await state()).toEqual({ people: [], suppressed: [] })
  })

  it('refuses letters of an alphabet that it cannot tell, and reads them in the encoding that is named', async () => {
    const { contact, run } = await target()
    // "Иванова Анна" in Windows-1251
    const letters = Buffer.from('c8e2e0edeee2e020c0edede0', 'hex')
    const around = (before: string, after: string) => Buffer.concat([Buffer.from(before), letters, Buffer.from(after)])
    const keila = fileOf('cyrillic.csv', around('Email,First name,Status\nanna@x.example,', ',active\n'))
    const listmonk = fileOf('list.csv', around('email,name,status\nanna@x.example,', ',enabled\n'))
    for (const args of [['keila', keila] as const, ['listmonk', listmonk] as const]) {
      const { code, told } = await run(args)
      expect([code, told[0]]).toEqual([
        1,
        expect.stringMatching(/neither UTF-8 .* name its encoding .*--encoding`\)\. Nothing was/),
      ])
    }
    await run(['keila', keila, '--encoding', 'windows-1251'])
    expect((await contact('anna')).data).toEqual({ firstName: 'Иванова Анна' })
    await run(['listmonk', listmonk, '--encoding', 'windows-1251'])
    expect((await contact('anna')).data).toMatchObject({ name: 'Иванова Анна' })
    // from a spreadsheet of Western Europe
    const jose = fileOf('west.csv', Buffer.from('email,name,status\njose@x.example,Jos\xe9,enabled\n', 'latin1'))
    expect(await run(['listmonk', jose])).toMatchObject({ code: 0 })
    expect((await contact('jose')).data).toEqual({ name: 'José' })
  })

  it('brings the rest of a file that breaks off, and names the row', async () => {
    const { state, run } = await target()
    const file = fileOf('cut.csv', 'Email,Status\nin@x.example,active\n,active\n"cut@x.example,active\n')
    const { code, told } = await run(['keila', file])
    expect({ code, told }).toEqual({
      code: 1,
      told: [
        expect.stringMatching(/^refused: cut\.csv, row 3: it has no address/),
        expect.stringMatching(/^refused: cut\.csv, from row 4 on: /),
      ],
    })
    expect((await state()).people).toEqual(['in true'])
  })

  it('brings all that the API of Resend lists, page by page, and waits where it is asked too often', async () => {
    const { get, state, run } = await target()
    let asked = 0
    const resend = createServer(({ url = '', headers }, response) => {
      asked++
      const isTooMuch = asked % 7 === 0
      const page = RESEND[url]
      const status = headers.authorization !== 'Bearer re_x' ? 401 : isTooMuch ? 429 : page ? 200 : 404
      response.writeHead(status, { 'content-type': 'application/json', ...(isTooMuch && { 'retry-after': '1' }) })
      const name = status === 401 ? 'invalid_api_key' : status === 429 ? 'rate_limit_exceeded' : 'not_found'
      response.end(JSON.stringify(status === 200 ? page : { statusCode: status, name, message: 'No.' }))
    })
    await new Promise<void>((resolve) => resend.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void resend.close())
    const given = { RESEND_URL: `http://127.0.0.1:${(resend.address() as AddressInfo).port}`, RESEND_API_KEY: 're_x' }

    const refused = await run(['resend'], { ...given, RESEND_API_KEY: 're_wrong' })
    expect(refused).toMatchObject({
      code: 77,
      told: [expect.stringContaining('Resend refuses RESEND_API_KEY'), expect.anything()],
    })
    const dry = JSON.parse((await run(['resend', '--dry-run', '--json'], given)).stdout)
    expect(dry).toMatchObject({ contacts: 2, segments: 1, suppressed: 3, templates: 2, domains: 1 })
    expect(await state()).toEqual({ people: [], suppressed: [] })
    const { code, told } = await run(['resend', '--json'], given)
    const missing = 'refused: member nowhere@x.example of the segment Friends: there is no such contact here'
    expect({ code, told }).toEqual({ code: 1, told: [missing] })
    expect(await state()).toEqual({
      people: ['in true', 'left false'],
      suppressed: ['gone BOUNCE', 'no MANUAL', 'spam COMPLAINT'],
    })
    const { templates } = await get('/templates')
    expect(templates).toHaveLength(2)
    expect(templates.find(({ name }: Named) => name === 'Welcome')).toMatchObject({
      ...{ subject: 'Hi {{ firstName | default: "you" }}', body: '<p>{{ PRODUCT | default: "it" }}</p>' },
      ...{ from: 'hello@example.com', fromName: 'Acme', replyTo: 'help@example.com', type: 'TRANSACTIONAL' },
    })
    expect(templates.find(({ name }: Named) => name === 'Resend: Spring')).toMatchObject({ type: 'MARKETING' })
    const { projectId } = await get('/keys/@me')
    expect(await get(`/domains/project/${projectId}`)).toMatchObject([{ domain: 'news.resend-acme.example' }])
    const again = JSON.parse((await run(['resend', '--json'], given)).stdout)
    expect(again).toMatchObject({ templates: 0, domains: 0, segments: 0, left: 3 })
  }, 180_000)
})

/** The segments of the one who is subscribed, by the service. */
const SEGMENTS = { brevo: ['Brevo list 5', 'Brevo list 7'], sendy: [], keila: [], mailerlite: ['VIP', 'Weekly'] }

interface Named {
  readonly id: string
  readonly name: string
}
interface Topic extends Named {
  readonly subscribed: boolean
  readonly source: string
}
interface Template extends Named {
  readonly subject: string
  readonly body: string
}
interface Person {
  readonly email: string
  readonly subscribed?: boolean
  readonly reason?: string
}

function nameOf({ email }: Person): string {
  return email.split('@')[0] ?? ''
}

function list(...data: readonly object[]) {
  return { object: 'list', data, has_more: false }
}

/** The answers of Resend's API, by the paths that it documents. */
const RESEND: Readonly<Record<string, object>> = {
  '/topics?limit=100': list(),
  '/contacts?limit=100': { data: [{ id: 'c1', email: 'in@x.example', unsubscribed: false }], has_more: true },
  '/contacts?limit=100&after=c1': list({ id: 'c2', email: 'left@x.example', unsubscribed: true }),
  '/segments?limit=100': list({ id: 's1', name: 'Friends' }),
  '/segments/s1/contacts?limit=100': list(
    { id: 'c1', email: 'in@x.example' },
    { id: 'c9', email: 'nowhere@x.example' },
  ),
  '/suppressions?limit=100': list(
    { id: 'u1', email: 'gone@x.example', origin: 'bounce' },
    { id: 'u2', email: 'spam@x.example', origin: 'complaint' },
    { id: 'u3', email: 'no@x.example', origin: 'manual' },
  ),
  '/templates?limit=100': list({ id: 'm1', name: 'Welcome' }),
  '/templates/m1': {
    ...{ id: 'm1', name: 'Welcome', subject: 'Hi {{{FIRST_NAME|you}}}', html: '<p>{{{PRODUCT}}}</p>' },
    ...{ from: 'Acme <hello@example.com>', reply_to: ['help@example.com'] },
    variables: [{ key: 'PRODUCT', fallback_value: 'it', type: 'string' }],
  },
  '/broadcasts?limit=100': list({ id: 'b1', status: 'sent' }, { id: 'b2', status: 'draft' }),
  '/broadcasts/b1': {
    ...{ id: 'b1', name: 'Spring', subject: 'Spring', html: '<p>Sale</p>', status: 'sent' },
    sent_at: '2024-03-01 10:00:00',
  },
  '/domains?limit=100': list({ id: 'd1', name: 'news.resend-acme.example', status: 'verified' }),
}
