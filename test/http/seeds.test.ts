import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import { installationSettings } from '../../config/mail-server.ts'
import { unsentResult } from '../../core/seeds/landing.ts'
import type { Seeds } from '../../core/seeds/seeds.ts'
import { roomBehind } from '../../core/start/asked-doors.ts'
import { ownProject, PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS, mailToken } from '../support/contact-links.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { type ImapServer, startImapServer } from '../support/imap-server.ts'
import { STRICT } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const CAMPAIGN = {
  ...{ name: 'News', subject: 'News for {{ name | default: "you" }}', body: '<p>News</p>' },
  ...{ from: 'news@example.com', audienceType: 'ALL' },
}

describe('the seed list', () => {
  let test: TestApp
  let sink: SmtpSink
  let plain: ImapServer
  let gmail: ImapServer
  let now = Date.now()

  beforeAll(async () => {
    sink = await startSmtpSink({
      recipients: {
        'gone@gmx.example': { code: 550, message: '5.1.1 no such user' },
        'busy@gmx.example': { code: 450, message: '4.2.1 mailbox busy' },
      },
    })
    plain = await startImapServer()
    plain.mailbox('Archive')
    plain.mailbox('Spamverdacht')
    gmail = await startImapServer({ capabilities: ['X-GM-EXT-1', 'SPECIAL-USE', 'LITERAL+'] })
    gmail.mailbox('[Gmail]/Spam').use = '\\Junk'
    gmail.mailbox('[Gmail]/All Mail').use = '\\All'
    atEndOfFile(() => Promise.all([sink.close(), plain.close(), gmail.close()]))
    const projects = [{ id: PROJECT, name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'] }]
    const given = { projects, transports: [toSink(sink)], installation: installationSettings({}) }
    const clock = { now: () => new Date(now) }
    test = await testApp(STRICT, {}, { ...LINK_SETTINGS, ...given, clock, egress: { allow: ['127.0.0.1'] } })
    await test.engine.start()
  })

  const ask = async (method: string, path: string, json?: unknown, expected = 200) => {
    const { status, body } = await test.ask(method, path, { json })
    expect(status, JSON.stringify(body)).toBe(expected)
    return body?.data ?? body
  }
  const mailbox = (address: string, server: ImapServer, more: object = {}) => ({
    ...{ address, host: '127.0.0.1', port: server.port, security: 'none', user: 'box', password: 'open sesame' },
    ...more,
  })
  /** Puts the mail to this address into a folder, as its receiver would. */
  const land = async (address: string, server: ImapServer, folder: string, more: object = {}) => {
    const mail = await until(`the mail to ${address}`, () => sink.messages.findLast(({ to }) => to.includes(address)))
    server.append(mail.raw, more, folder)
  }
  // the task runs each minute; the test does not wait for that
  const look = () => roomBehind<Seeds>(test.engine.seeds).lookAll(new AbortController().signal)

  it('says where the mail of a campaign lands, by whose mailbox and when, and counts none of it', async () => {
    const added = await ask('POST', '/seeds/mailboxes', mailbox('a@gmail.example', gmail), 201)
    expect(JSON.stringify(added)).not.toContain('sesame')
    for (const address of ['b@gmail.example', 'c@gmail.example'])
      await ask('POST', '/seeds/mailboxes', mailbox(address, gmail), 201)
    for (const address of ['d@gmx.example', 'e@gmx.example', 'late@gmx.example', 'gone@gmx.example'])
      await ask('POST', '/seeds/mailboxes', mailbox(address, plain), 201)
    expect(await ask('GET', '/seeds/mailboxes')).toHaveLength(7)
    const { id } = await ask('POST', '/campaigns', CAMPAIGN, 201)
    const begun = await ask('POST', `/campaigns/${id}/seed-tests`, { minutes: 2 }, 201)
    expect(begun).toMatchObject({ campaignId: id, variant: null, minutes: 2, waits: true })
    const date = new Date('2026-01-02T03:04:05Z')
    await land('a@gmail.example', gmail, 'INBOX', { labels: ['CATEGORY_PROMOTIONS'], date })
    await land('b@gmail.example', gmail, 'INBOX', { category: 'updates' })
    await land('c@gmail.example', gmail, '[Gmail]/All Mail')
    await land('c@gmail.example', gmail, '[Gmail]/Spam')
    await land('d@gmx.example', plain, 'Spamverdacht')
    await land('e@gmx.example', plain, 'INBOX')
    await until('the refused one ended', () => sink.messages.length >= 6)
    const tested = async () => (await ask('GET', `/campaigns/${id}/seed-tests`))[0]
    const outcomes = async () =>
      Object.fromEntries(
        (await tested()).results.map((each: { address: string; outcome: string }) => [each.address, each.outcome]),
      )
    await until('all but one landed', async () => {
      await look()
      return Object.values(await outcomes()).filter((outcome) => outcome === 'waiting').length === 1
    })
    const expected = {
      ...{ 'a@gmail.example': 'tab', 'b@gmail.example': 'tab', 'c@gmail.example': 'spam' },
      ...{ 'd@gmx.example': 'spam', 'e@gmx.example': 'inbox', 'gone@gmx.example': 'unsent' },
    }
    expect(await outcomes()).toEqual({ ...expected, 'late@gmx.example': 'waiting' })
    const [first] = (await tested()).results
    expect(first).toMatchObject({ folder: 'INBOX', tab: 'promotions', arrivedAt: date.toISOString(), problem: null })
    now += 3 * 60_000
    await look()
    expect(await outcomes()).toEqual({ ...expected, 'late@gmx.example': 'missing' })
    expect((await tested()).waits).toBe(false)
    // nothing was marked as read, and no mail has the mark of a test
    expect(gmail.flags().join()).not.toContain('Seen')
    const mail = await ask('GET', `/emails/${first.emailId}`)
    expect(mail).toMatchObject({ subject: 'News for you', campaignId: null })
    expect((await test.ask('GET', `/t/o/${mailToken(PROJECT, first.emailId)}`, { key: null })).status).toBe(200)
    // one to a person is counted, that of the list is not
    await ask('POST', `/campaigns/${id}/test`, { email: 'person@example.org' })
    const person = (await ask('GET', '/emails?search=person@example.org'))[0]
    await test.ask('GET', `/t/o/${mailToken(PROJECT, person.id)}`, { key: null })
    await until('it was opened', async () => (await ask('GET', `/emails/${person.id}`)).opens > 0)
    expect((await ask('GET', `/emails/${first.emailId}`)).opens).toBe(0)
    expect(await ask('GET', `/campaigns/${id}/stats`)).toMatchObject({ sent: 0, opened: 0, delivered: 0 })
    expect(await ask('GET', '/campaigns')).toMatchObject([{ status: 'DRAFT' }])
  })

  it('says why a mailbox cannot be read, and removes it with its password', async () => {
    const { id } = await ask('POST', '/campaigns', CAMPAIGN, 201)
    for (const each of await ask('GET', '/seeds/mailboxes'))
      await ask('DELETE', `/seeds/mailboxes/${each.id}`, undefined, 204)
    expect((await ask('POST', `/campaigns/${id}/seed-tests`, {}, 409)).error.message).toContain('no mailboxes')
    const { id: added } = await ask('POST', '/seeds/mailboxes', mailbox('f@gmx.example', plain), 201)
    await ask('POST', `/campaigns/${id}/seed-tests`, { minutes: 1 }, 201)
    const result = async () => (await ask('GET', `/campaigns/${id}/seed-tests`))[0].results[0]
    await until('it was sent', () => sink.messages.some(({ to }) => to.includes('f@gmx.example')))
    plain.before = (command) => (command.startsWith('LIST') ? 'not now' : undefined)
    await look()
    expect(await result()).toMatchObject({ outcome: 'waiting', problem: 'the server refuses: not now' })
    now += 2 * 60_000
    await look()
    expect(await result()).toMatchObject({ outcome: 'unreadable', problem: 'the server refuses: not now' })
    plain.before = () => undefined
    await ask('DELETE', `/seeds/mailboxes/${added}`, undefined, 204)
    await ask('DELETE', `/seeds/mailboxes/${added}`, undefined, 404)
  })

  it('says which mails did not leave this server, whether they wait or were never written', async () => {
    await ask('POST', '/seeds/mailboxes', mailbox('busy@gmx.example', plain), 201)
    const { id } = await ask('POST', '/campaigns', CAMPAIGN, 201)
    const begun = await ask('POST', `/campaigns/${id}/seed-tests`, { minutes: 1 }, 201)
    const [result] = begun.results
    const shown = async () => (await ask('GET', `/campaigns/${id}/seed-tests`))[0].results[0]
    await look()
    expect(await shown()).toMatchObject({ outcome: 'waiting', problem: null })
    now += 2 * 60_000
    await look()
    expect(await shown()).toMatchObject({ outcome: 'unsent', problem: 'it still waits to be sent' })
    // a test that a process began and ended before it wrote the mail, or while it does
    expect(unsentResult(result, undefined, false)).toBeUndefined()
    expect(unsentResult(result, undefined, true)).toMatchObject({ outcome: 'unsent', problem: 'it has no record' })
  })

  it('begins ten tests within an hour, however many are asked for at once, and no test of mail that cannot be sent', async () => {
    now += 2 * 3_600_000
    const { id } = await ask('POST', '/campaigns', CAMPAIGN, 201)
    const answers = await Promise.all(
      Array.from({ length: 13 }, () => test.ask('POST', `/campaigns/${id}/seed-tests`, { json: {} })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      ...Array.from({ length: 10 }, () => 201),
      ...Array.from({ length: 3 }, () => 429),
    ])
    expect(await ask('GET', `/campaigns/${id}/seed-tests`)).toHaveLength(10)
    now += 2 * 3_600_000
    const trusted = (trustedDomains: string[]) => [{ id: PROJECT, name: 'Acme', secretKey: SECRET, trustedDomains }]
    await test.engine.projects.applySettings(trusted([]))
    await ask('POST', `/campaigns/${id}/seed-tests`, {}, 403)
    await test.engine.projects.applySettings(trusted(['example.com']))
    expect(await ask('GET', `/campaigns/${id}/seed-tests`), 'none of the refused one').toHaveLength(10)
  })

  it('has no project wait for the mailboxes of another that do not answer', async () => {
    let isSilent = false
    const way = createServer((socket) => {
      socket.on('error', () => {})
      if (!isSilent) socket.pipe(connect(plain.port, '127.0.0.1')).pipe(socket)
    })
    await once(way.listen(0, '127.0.0.1'), 'listening')
    const [other, address] = [await ownProject(test), way.address()]
    const port = typeof address === 'object' && address ? address.port : 0
    const begin = async (as: Pick<TestApp, 'ask'>, to: object) => {
      expect((await as.ask('POST', '/seeds/mailboxes', { json: to })).status).toBe(201)
      const path = `/campaigns/${(await as.ask('POST', '/campaigns', { json: CAMPAIGN })).body.data.id}/seed-tests`
      await as.ask('POST', path, { json: {} })
      return async () => (await as.ask('GET', path)).body[0].results.at(-1).outcome
    }
    const held = await begin(test, mailbox('silent@gmx.example', plain, { port }))
    isSilent = true
    now += 1_000
    const outcome = await begin(other, mailbox('quick@gmx.example', plain))
    await land('quick@gmx.example', plain, 'INBOX')
    const end = new AbortController()
    const looking = roomBehind<Seeds>(test.engine.seeds).lookAll(end.signal)
    await until('the other is told', async () => (await outcome()) === 'inbox', 5_000)
    expect(await held()).toBe('waiting')
    end.abort()
    await looking
    way.close()
  })

  it('refuses a mailbox that does not work, and says which field is wrong', async () => {
    const refused = async (json: object, status = 422) => {
      const { error } = await ask('POST', '/seeds/mailboxes', json, status)
      return (error.errors ?? [])
        .map(({ field, message }: { field: string; message: string }) => `${field} ${message}`)
        .join()
    }
    const good = mailbox('g@gmx.example', plain)
    expect(await refused({ ...good, password: 'wrong' })).toMatch(
      /^password does not work: the server refuses the login/,
    )
    expect(await refused({ ...good, host: '10.1.2.3' })).toMatch(
      /^host does not work: it is at an address that may not/,
    )
    expect(await refused({ ...good, host: 'imap.gmx.net:993' })).toMatch(/^host must be a host name/)
    expect(await refused({ ...good, address: 'nobody' })).toMatch(/^address/)
    expect(await refused({ ...good, port: 9 })).toMatch(/^host does not work/)
    await ask('POST', '/seeds/mailboxes', good, 201)
    await refused(good, 409)
    // one project holds up no other: while one mailbox is tried, the project tries no second
    const silent = createServer((socket) => socket.on('error', () => {}))
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const address = silent.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const asked = once(silent, 'connection')
    const tried = refused(mailbox('h@gmx.example', plain, { port }))
    const [socket] = await asked
    await refused(mailbox('i@gmx.example', plain), 429)
    socket.destroy()
    expect(await tried).toMatch(/^host does not work/)
    silent.close()
    await ask('POST', '/campaigns/00000000-0000-7000-8000-000000000000/seed-tests', {}, 404)
  })
})
