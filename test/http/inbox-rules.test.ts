import { simpleParser } from 'mailparser'
import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { ruling } from '../../core/inboxes/rules.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const LABELS = ['a', 'b', 'c'].map((name) => ({ name, colour: '#112233' }))

describe.each([QUICK])('rules of an inbox, on $name', ({ store }) => {
  let test: TestApp
  let listener: SmtpListener
  let sink: SmtpSink
  let count = 0

  beforeAll(async () => {
    const dns = await startDnsServer({
      // mail of ours comes from elsewhere
      'strict.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      '_dmarc.strict.example': { TXT: ['v=DMARC1; p=reject'] },
      'soft.example': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
      '_dmarc.soft.example': { TXT: ['v=DMARC1; p=none'] },
      'good.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
      '_dmarc.good.example': { TXT: ['v=DMARC1; p=reject'] },
      'mail.good.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
    })
    const plugin = smtpListener((made) => {
      listener = made
    })
    const gone = { code: 550, message: '5.1.1 no such user here' }
    sink = await startSmtpSink({ recipients: { 'gone@elsewhere.example': gone } })
    const way = { inbound: [plugin], dns: nodeDns({ servers: [dns.address] }), transports: [toSink(sink)] }
    test = await testApp({ store }, {}, { ...way, publicUrl: 'https://mail.example.com' })
    await test.engine.start()
    return async () => {
      await dns.close()
      await sink.close()
    }
  })

  const ask = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, json?: object) => {
    const { status, text, body } = await test.ask(method, path, json === undefined ? {} : { json })
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }
  const inboxWith = (more: object) => {
    return ask('POST', '/inboxes', { name: 'Help', address: `rules${++count}@example.com`, labels: LABELS, ...more })
  }
  const come = (to: string, mail: object) =>
    createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail({
      ...{ to, from: 'ada@good.example', subject: `Hi ${++count}`, text: 'x' },
      ...mail,
    })
  /** The threads of the inbox by subject, once there are so many. */
  const filed = async (id: string, of: number) => {
    const all = await until(`${of} threads`, async () => {
      const lists = await Promise.all(
        ['inbox', 'archive', 'spam', 'trash'].map((folder) => ask('GET', `/inboxes/${id}/threads?folder=${folder}`)),
      )
      const found = lists.flatMap(({ data }) => data)
      return found.length >= of ? found : undefined
    })
    const rows = all.map(({ subject, folder, labels, assigneeId }: Record<string, string>) => [
      subject,
      { folder, labels, assigneeId },
    ])
    return Object.fromEntries(rows)
  }

  /** The mails that the mailbox got, once there are so many. */
  const got = async (mailbox: string, of: number) => {
    const all = await until(`${mailbox} has ${of} mails`, async () => {
      const found = sink.messages.filter(({ to }) => to.includes(mailbox))
      return found.length >= of ? found : undefined
    })
    return Promise.all(all.map(({ raw }) => simpleParser(raw)))
  }
  /** Presses the button of the link in the last mail to this mailbox. */
  const agree = async (mailbox: string, of = 1) => {
    const mail = (await got(mailbox, of)).at(-1)
    const [link = ''] = /https:\/\/mail\.example\.com\/forward\/[\w-]+/.exec(mail?.text ?? '') ?? []
    const path = new URL(link).pathname
    return { mail, path, press: () => test.ask('POST', path, { key: null, raw: 'confirm=yes', headers: FORM }) }
  }

  it('forward what comes in once the mailbox has agreed, and neither spam nor what comes back', async () => {
    const mailbox = `team${++count}@elsewhere.example`
    const inbox = await inboxWith({ forwardTo: mailbox, blocked: ['eve@good.example'] })
    expect(inbox).toMatchObject({ forwardTo: mailbox })
    expect(JSON.stringify(inbox)).not.toMatch(/forward(Token|ConfirmedAt)/)
    const self = await test.ask('PATCH', `/inboxes/${inbox.id}`, { json: { forwardTo: inbox.address } })
    expect([self.status, self.body.error.errors[0].field]).toEqual([422, 'forwardTo'])
    await come(inbox.address, { subject: 'Early' })
    await filed(inbox.id, 1)
    const first = await agree(mailbox)
    expect(first.mail?.subject).toBe(`Get the mail of ${inbox.address}?`)
    const page = await test.ask('GET', first.path, { key: null, headers: { 'accept-language': 'de' } })
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('An mich weiterleiten')])
    // opening it changes nothing; giving the same address anew ends the first link
    expect((await ask('GET', `/inboxes/${inbox.id}`)).forwardConfirmedAt).toBeUndefined()
    await ask('PATCH', `/inboxes/${inbox.id}`, { forwardTo: mailbox })
    const second = await agree(mailbox, 2)
    expect((await first.press()).status).toBe(404)
    expect((await test.ask('GET', `${first.path.slice(0, -3)}aaa`, { key: null })).status).toBe(404)
    expect((await second.press()).status).toBe(200)
    expect((await second.press()).status).toBe(200)
    expect((await ask('GET', `/inboxes/${inbox.id}`)).forwardConfirmedAt).toBeTypeOf('string')

    const attachments = [{ filename: 'plan.txt', content: 'the plan' }]
    const sent = await come(inbox.address, {
      ...{ from: 'Ada <ada@good.example>', replyTo: 'office@good.example', subject: '{{ blue }}?', attachments },
      html: '<p>Is {{ it }} there? {% if %}</p>',
    })
    const [, , forwarded] = await got(mailbox, 3)
    expect(forwarded).toMatchObject({
      subject: '{{ blue }}?',
      html: expect.stringContaining('Is {{ it }} there? {% if %}'),
    })
    expect([forwarded?.from?.text, forwarded?.replyTo?.text]).toEqual([
      `"Ada (Help)" <${inbox.address}>`,
      'office@good.example',
    ])
    expect(forwarded?.attachments.map(({ filename, content }) => [filename, String(content)])).toEqual([
      ['plan.txt', 'the plan'],
    ])
    expect([forwarded?.headers.get('auto-submitted'), forwarded?.references]).toEqual([
      'auto-generated',
      sent.messageId,
    ])

    // what is unwanted, of a machine, or was forwarded before stays
    await come(inbox.address, { subject: 'Blocked', from: 'eve@good.example' })
    await come(inbox.address, { subject: 'Spam', headers: { 'X-Spam-Flag': 'YES' } })
    await come(inbox.address, { subject: 'Away', headers: { 'Auto-Submitted': 'auto-replied' } })
    await come(inbox.address, { subject: 'Again', headers: { 'X-Mailwright-Forwarded': inbox.id } })
    await come(inbox.address, { subject: 'Own', from: mailbox })
    await come(inbox.address, { subject: 'Last' })
    const all = await got(mailbox, 4)
    expect(all.map(({ subject }) => subject)).toEqual([first.mail?.subject, first.mail?.subject, '{{ blue }}?', 'Last'])
    const { total } = await ask('GET', `/emails?search=${encodeURIComponent('tag:mailwright=forward')}`)
    expect(total).toBe(2)

    // a loop ends: at most 20 of a thread in an hour
    for (let i = 0; i < 22; i++) await come(inbox.address, { subject: 'Loop', inReplyTo: sent.messageId })
    await got(mailbox, 23)
    await come(inbox.address, { subject: 'Another thread' })
    const most = await got(mailbox, 24)
    expect(most.filter(({ subject }) => subject === 'Loop')).toHaveLength(19)
    await ask('PATCH', `/inboxes/${inbox.id}`, { forwardTo: null })
    expect((await ask('GET', `/inboxes/${inbox.id}`)).forwardTo).toBeUndefined()
  })

  it('forward only what a rule names, and a bounce of that is never its author’s', async () => {
    const mailbox = 'gone@elsewhere.example'
    const rules = [{ subject: 'invoice', forward: true }]
    const inbox = await inboxWith({ rules, forwardTo: mailbox })
    // the link never arrived: it is pressed in the ledger's own words
    const asked = await until('it is refused', async () => {
      const { data } = await ask('GET', `/emails?search=${encodeURIComponent(`to:${mailbox}`)}`)
      return data[0]?.status === 'BOUNCED' ? data[0] : undefined
    })
    await ask('DELETE', `/suppressions/${mailbox}`).catch(() => {})
    const { text } = await ask('GET', `/emails/${asked.id}`)
    const path = /\/forward\/[\w-]+/.exec(text)?.[0] ?? ''
    expect((await test.ask('POST', path, { key: null, raw: 'confirm=yes', headers: FORM })).status).toBe(200)
    const author = 'bob@good.example'
    await come(inbox.address, { subject: 'Hello', from: author })
    await come(inbox.address, { subject: 'Your invoice', from: author })
    const [bounced] = await until('it has bounced', async () => {
      const { data } = await ask('GET', `/emails?search=${encodeURIComponent(`to:${mailbox} tag:mailwright=forward`)}`)
      return data.every(({ status }: { status: string }) => status === 'BOUNCED') && data.length > 0 ? data : undefined
    })
    expect(bounced.subject).toBe('Your invoice')
    const { data: suppressed } = await ask('GET', '/suppressions?limit=100')
    const addresses = suppressed.map(({ email }: { email: string }) => email)
    expect([addresses.includes(mailbox), addresses.includes(author)]).toEqual([true, false])
  })

  it('labels, moves and assigns what they are for, and nothing else', async () => {
    const inbox = await inboxWith({
      rules: [
        { name: 'Shop', from: '@good.example', subject: 'INVOICE', labels: ['a'], assigneeId: 'u1' },
        { from: 'bob@good.example', labels: ['b'], folder: 'archive', assigneeId: 'u2' },
        { header: { name: 'X-Shop', contains: 'vip' }, labels: ['c'] },
        { list: true, folder: 'archive' },
        { from: '@soft.example', authentication: { method: 'dmarc', result: 'fail' }, labels: ['c'], folder: 'trash' },
        { from: '@good.example', authentication: { method: 'dmarc', result: 'fail' }, labels: ['b'] },
      ],
    })
    expect(inbox.rules).toHaveLength(6)
    const { address: to } = inbox
    await come(to, { from: 'Bob <BOB@good.example>', subject: 'Your invoice, 1' })
    await come(to, { from: 'ada@good.example', subject: 'invoice 2' })
    await come(to, { from: 'ada@mail.good.example', subject: 'invoice 3' })
    await come(to, { from: 'ada@notgood.example', subject: 'invoice 4' })
    await come(to, { from: 'bobby@good.example', subject: 'voice 5' })
    await come(to, { subject: '6', headers: { 'x-shop': 'A VIP of ours' } })
    await come(to, { subject: '7', headers: { 'X-Shops': 'vip' } })
    await come(to, { subject: '8', headers: { 'List-Id': '<news.good.example>' } })
    await come(to, { from: 'ada@soft.example', subject: '9' })
    const plain = { folder: 'inbox', labels: [], assigneeId: null }
    expect(await filed(inbox.id, 9)).toEqual({
      'Your invoice, 1': { folder: 'archive', labels: ['a', 'b'], assigneeId: 'u1' },
      'invoice 2': { folder: 'inbox', labels: ['a'], assigneeId: 'u1' },
      ...{ 'invoice 3': plain, 'invoice 4': plain, 'voice 5': plain },
      6: { ...plain, labels: ['c'] },
      ...{ 7: plain, 8: { ...plain, folder: 'archive' } },
      9: { ...plain, folder: 'trash', labels: ['c'] },
    })
    // the team's own choice stays, and no rule takes a label away
    const [thread] = (await ask('GET', `/inboxes/${inbox.id}/threads?label=a`)).data
    await ask('PATCH', `/threads/${thread.id}`, { assigneeId: 'u9', labels: ['a', 'b'] })
    await come(to, { from: 'ada@good.example', subject: 'Re: invoice 2' })
    const again = await until('it is filed', async () => {
      const found = await ask('GET', `/threads/${thread.id}`)
      return found.messageCount === 2 ? found : undefined
    })
    expect(again).toMatchObject({ assigneeId: 'u9', labels: ['a', 'b'], folder: 'inbox' })
  })

  it('put forged, marked and blocked mail into spam, each as it was set', async () => {
    const blocked = ['@spam.example', 'Eve@good.example']
    const careful = await inboxWith({ blocked })
    expect(careful.blocked).toEqual(['@spam.example', 'eve@good.example'])
    const open = await inboxWith({ filterSpam: false, rules: [{ subject: 'win', folder: 'archive' }] })
    for (const { address: to } of [careful, open]) {
      await come(to, { from: 'ada@strict.example', subject: 'forged' })
      await come(to, { from: 'ada@soft.example', subject: 'unproven' })
      await come(to, { subject: 'marked', headers: { 'X-Spam-Flag': 'YES' } })
      await come(to, { subject: 'scored', headers: { 'X-Spam-Status': 'Yes, score=9' } })
      await come(to, { subject: 'clean', headers: { 'X-Spam-Status': 'No, score=-1' } })
      await come(to, { from: 'eve@good.example', subject: 'eve' })
      await come(to, { from: 'x@spam.example', subject: 'win a car' })
      await come(to, { from: 'x@not.spam.example', subject: 'below' })
    }
    const folders = async (id: string) => {
      const threads: Record<string, { folder: string }> = await filed(id, 8)
      return Object.fromEntries(Object.entries(threads).map(([name, { folder }]) => [name, folder]))
    }
    expect(await folders(careful.id)).toEqual({
      ...{ forged: 'spam', unproven: 'inbox', marked: 'spam', scored: 'spam', clean: 'inbox', eve: 'spam' },
      ...{ 'win a car': 'spam', below: 'inbox' },
    })
    expect(await folders(open.id)).toEqual({
      ...{ forged: 'inbox', unproven: 'inbox', marked: 'inbox', scored: 'inbox', clean: 'inbox', eve: 'inbox' },
      ...{ 'win a car': 'archive', below: 'inbox' },
    })
  })

  it('start a workflow of the contact that wrote', async () => {
    const flow = await ask('POST', '/workflows', { name: 'Callback', eventName: 'wants.call' })
    await ask('POST', `/workflows/${flow.id}/steps`, { type: 'DELAY', config: { amount: 1, unit: 'days' } })
    await ask('PATCH', `/workflows/${flow.id}`, { enabled: true })
    const inbox = await inboxWith({ rules: [{ subject: 'call me', event: 'wants.call' }] })
    await come(inbox.address, { from: 'dora@good.example', subject: 'Please call me' })
    await come(inbox.address, { from: 'emil@good.example', subject: 'Please write' })
    await filed(inbox.id, 2)
    const { data } = await until('it runs', async () => {
      const page = await ask('GET', `/workflows/${flow.id}/executions`)
      return page.data.length > 0 ? page : undefined
    })
    expect(data).toHaveLength(1)
    const { events } = await ask('GET', '/events?eventName=wants.call')
    expect(events).toMatchObject([{ contact: { email: 'dora@good.example' }, data: { inboxId: inbox.id } }])
  })

  it.each([
    [{ rules: [{ labels: ['a'] }] }, 'rules.0'],
    [{ rules: [{ from: '@good.example' }] }, 'rules.0'],
    [{ rules: [{ from: 'good.example', folder: 'spam' }] }, 'rules.0.from'],
    [{ rules: [{ subject: 'x', folder: 'sent' }] }, 'rules.0.folder'],
    [{ rules: [{ subject: 'x', labels: ['a', 'odd'] }] }, 'rules.0.labels.1'],
    [{ rules: [{ subject: 'x', event: 'email.sent' }] }, 'rules.0.event'],
    [{ rules: [{ header: { name: 'a b' }, folder: 'spam' }] }, 'rules.0.header.name'],
    [
      { rules: [{ authentication: { method: 'arc', result: 'pass' }, folder: 'spam' }] },
      'rules.0.authentication.method',
    ],
    [{ rules: [{ subject: '', folder: 'spam' }] }, 'rules.0.subject'],
    [{ rules: [{ subject: 'x'.repeat(201), folder: 'spam' }] }, 'rules.0.subject'],
    [{ rules: Array(51).fill({ subject: 'x', folder: 'spam' }) }, 'rules'],
    [{ blocked: ['nobody'] }, 'blocked.0'],
    [{ blocked: Array(1001).fill('@x.example') }, 'blocked'],
  ])('are refused as %o', async (wrong, field) => {
    const json = { name: 'Help', address: 'wrong@example.com', labels: LABELS, ...wrong }
    const { status, body } = await test.ask('POST', '/inboxes', { json })
    expect([status, body.error.errors[0].field]).toEqual([422, field])
  })

  it('are taken at their bounds, and removed by null', async () => {
    const rules = Array.from({ length: 50 }, (_, i) => ({ subject: 'x'.repeat(199) + (i % 10), folder: 'spam' }))
    const blocked = Array.from({ length: 1000 }, (_, i) => `@d${i}.example`)
    const { id } = await inboxWith({ rules, blocked, filterSpam: false })
    expect(await ask('GET', `/inboxes/${id}`)).toMatchObject({ rules, blocked, filterSpam: false })
    const bare = await ask('PATCH', `/inboxes/${id}`, { rules: null, blocked: null, filterSpam: null })
    expect([bare.rules, bare.blocked, bare.filterSpam]).toEqual([undefined, undefined, undefined])
  })
})

it('decide in time that grows with the message and the rules alone', () => {
  const rules = Array.from({ length: 50 }, () => ({
    subject: `${'a'.repeat(199)}b`,
    header: { name: 'x', contains: 'y' },
  }))
  const inbox = { labels: [], rules, blocked: Array.from({ length: 1000 }, (_, i) => `@d${i}.example`) }
  const headers = Array.from({ length: 2_000 }, (_, i) => [`x${i}`, 'a'.repeat(900)] as const)
  const message = {
    from: 'a@b.example',
    recipients: [],
    subject: 'a'.repeat(2_000),
    headers,
    spf: '',
    dkim: '',
    dmarc: '',
  }
  const begun = performance.now()
  expect(ruling(inbox as never, message)).toMatchObject({ isBlocked: false, labels: [] })
  expect(performance.now() - begun).toBeLessThan(500)
})
