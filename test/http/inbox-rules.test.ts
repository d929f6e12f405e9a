import { createTransport } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { ruling } from '../../core/inboxes/rules.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { STORES } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'

const LABELS = ['a', 'b', 'c'].map((name) => ({ name, colour: '#112233' }))

describe.each(STORES)('rules of an inbox, on $name', ({ store }) => {
  let test: TestApp
  let listener: SmtpListener
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
    test = await testApp({ store }, {}, { inbound: [plugin], dns: nodeDns({ servers: [dns.address] }) })
    await test.engine.start()
    return () => dns.close()
  })

  const ask = async (method: 'GET' | 'POST' | 'PATCH', path: string, json?: object) => {
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
