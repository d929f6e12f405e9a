import { connect } from 'node:net'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { ReturnPaths } from '../../core/mail/links/ways-back.ts'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { smtpServer } from '../../plugins/inbound-smtp/index.ts'
import type { SmtpListener } from '../../plugins/inbound-smtp/smtp-listener.ts'
import { OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { GLUED } from '../support/contact-links.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { kitOf } from '../support/kit.ts'
import { ANY, isSwapped, STRICT } from '../support/matrix.ts'
import { smtpListener } from '../support/smtp-listener.ts'
import { until } from '../support/until.ts'

const SECRET_TEXT = 'a secret that tests know'
const LATE_SECRET = `sk_${'e'.repeat(48)}`

for (const store of [STRICT]) {
  describe(`received mail on ${store.name}`, () => {
    // how a mail is read no store decides
    const isStricter = store.name === 'PostgreSQL'
    let test: TestApp
    let listener: SmtpListener
    let dns: DnsServer
    const send = (mail: SendMailOptions) =>
      createTransport({ host: '127.0.0.1', port: listener.port, secure: false, ignoreTLS: true }).sendMail(mail)
    const emails = async (query = '') => (await test.ask('GET', `/emails?status=RECEIVED${query}`)).body
    const received = async (count: number) => {
      await until(`${count} received mails`, async () => (await emails()).total === count, 20_000)
      return (await emails()).data[0]
    }

    let count = 0
    /** How far the engine's clock is ahead, in milliseconds. */
    let ahead = 0

    beforeAll(async () => {
      dns = await startDnsServer({
        'friend.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
        '_dmarc.friend.example': { TXT: ['v=DMARC1; p=reject'] },
      })
      const plugin = smtpListener((made) => {
        listener = made
      })
      test = await testApp(
        store,
        {},
        {
          ...{
            inbound: [plugin],
            dns: nodeDns({ servers: [dns.address] }),
            publicUrl: 'https://mail.example',
            secret: SECRET_TEXT,
            clock: { now: () => new Date(Date.now() + ahead) },
          },
        },
      )
      await test.engine.start()
      return () => dns.close()
    })

    it('is stored as an e-mail with its words and becomes an event of its sender', async () => {
      await send({
        ...{ from: 'Ada Lovelace <ada@friend.example>', to: 'Help <help@example.com>', subject: 'Gruß {{ name }}' },
        ...{ text: 'Hello there', html: '<p>Hello <b>there</b></p>', headers: { 'X-Note': 'seven' } },
        attachments: [{ filename: 'Löffel.txt', content: 'spoon', contentType: 'text/plain' }],
      })
      const email = await received(1)
      expect(email).toMatchObject({ to: 'help@example.com', sourceType: 'INBOUND', status: 'RECEIVED' })
      const detail = (await test.ask('GET', `/emails/${email.id}`)).body
      expect(detail).toMatchObject({
        ...{ from: 'ada@friend.example', fromName: 'Ada Lovelace', subject: 'Gruß {{ name }}' },
        ...{ body: '<p>Hello <b>there</b></p>', text: 'Hello there' },
        events: [{ name: 'email.received' }],
      })
      const { data } = detail.events[0]
      expect(data).toMatchObject({
        ...{ messageId: expect.stringMatching(/^<.*@friend\.example>$/), from: 'ada@friend.example' },
        ...{ fromName: 'Ada Lovelace', to: ['help@example.com'], subject: 'Gruß {{ name }}', text: 'Hello there' },
        ...{ spf: 'pass', dkim: 'none', dmarc: 'pass', autoReply: false, truncated: false },
        headers: { 'x-note': 'seven', from: expect.stringContaining('ada@friend.example') },
        attachments: [{ filename: 'Löffel.txt', contentType: 'text/plain', size: 5, url: expect.any(String) }],
      })
      expect(new Date(data.receivedAt).toISOString()).toBe(data.receivedAt)
      const contact = (await test.ask('GET', `/contacts/${email.contactId}`)).body
      expect(contact).toMatchObject({ email: 'ada@friend.example', subscribed: false })
      const path = new URL(data.attachments[0].url).pathname
      for (const sign of GLUED) {
        const { status, text } = await test.ask('GET', path + sign, { key: null })
        expect([sign, status, text]).toEqual([sign, 200, 'spoon'])
      }
      const file = await test.ask('GET', path, { key: null })
      expect([file.status, file.text, file.headers.get('content-type')]).toEqual([200, 'spoon', 'text/plain'])
      expect((await test.ask('GET', path.replace(/.\/0$/, 'x/0'), { key: null })).status).toBe(404)
      // the other project that has the domain got it too
      expect((await test.ask('GET', '/emails?status=RECEIVED', { key: OTHER_SECRET })).body.total).toBe(1)
    })

    it('comes in by the dozen at once: each message is one e-mail and one event, each new author one contact', async () => {
      const before = (await emails()).total
      const of = (i: number) => ({
        ...{ envelope: { from: `p${i % 3}@crowd.example`, to: ['help@example.com'] }, remoteAddress: '127.0.0.1' },
        ...{ helo: 'x', tls: false, receivedAt: new Date() },
        raw: Buffer.from(`From: p${i % 3}@crowd.example\r\nSubject: n${i}\r\n\r\nx\r\n`),
      })
      await Promise.all(Array.from({ length: 60 }, (_, i) => test.engine.inbound.deliver(of(i))))
      await received(before + 60)
      const { data } = await emails('&limit=60')
      const details = await Promise.all(
        data.map(async ({ id }: { id: string }) => (await test.ask('GET', `/emails/${id}`)).body),
      )
      expect(details.map(({ subject }) => subject).sort()).toEqual(Array.from({ length: 60 }, (_, i) => `n${i}`).sort())
      expect(details.every(({ events }) => events.length === 1)).toBe(true)
      expect((await test.ask('GET', '/contacts?search=crowd.example')).body.total).toBe(3)
      expect(test.lines.filter(({ message }) => message.startsWith('could not read'))).toEqual([])
    })

    it('that was fetched again has one record, whatever moment the mailbox names, but other words under its key are another', async () => {
      const before = (await emails()).total
      const fetched = (hour: number, subject: string, key = 'one') => ({
        ...{ envelope: { from: 'again@crowd.example', to: ['help@example.com'] }, remoteAddress: '', helo: '' },
        ...{ tls: false, receivedAt: new Date(Date.UTC(2026, 1, 1, hour)), fetched: { key } },
        raw: Buffer.from(`From: again@crowd.example\r\nSubject: ${subject}\r\n\r\nx\r\n`),
      })
      await test.engine.inbound.deliver(fetched(1, 'first'))
      await received(before + 1)
      // the second at once, which are read together
      const again = [fetched(1, 'first'), fetched(2, 'first'), fetched(3, 'second'), fetched(4, 'second')]
      await Promise.all(again.map((message) => test.engine.inbound.deliver(message)))
      await received(before + 2)
      await test.engine.inbound.deliver(fetched(5, 'first'))
      await test.engine.inbound.deliver(fetched(6, 'first', 'two'))
      await received(before + 3)
      const { data } = await emails('&limit=100')
      const ids = data
        .filter(({ from }: { from: string }) => from.includes('again@'))
        .map(({ id }: { id: string }) => id)
      const details = await Promise.all(ids.map(async (id: string) => (await test.ask('GET', `/emails/${id}`)).body))
      expect(details.map(({ subject }) => subject).sort()).toEqual(['first', 'first', 'second'])
      expect(details.every(({ events }) => events.length === 1)).toBe(true)
    })

    it('judges what comes back as a live reply is judged, and takes receipts and complaints for what they are', async () => {
      const kit = kitOf(() => new Date(), { feedback: { returnPathHost: 'bounces.example.net' } })
      const paths = new ReturnPaths({ secret: Buffer.from(SECRET_TEXT) }, kit)
      const dsn = (to: string, status: string, said: string) => [
        ...['From: mailer-daemon@target.example', 'Subject: failed', 'MIME-Version: 1.0'],
        ...['Content-Type: multipart/report; report-type=delivery-status; boundary=b', '', '--b'],
        ...[
          'Content-Type: text/plain',
          '',
          'This is the mail system.',
          '--b',
          'Content-Type: message/delivery-status',
          '',
        ],
        ...['Reporting-MTA: dns; mx.target.example', '', `Final-Recipient: rfc822; ${to}`, 'Action: failed'],
        ...[`Status: ${status}`, `Diagnostic-Code: smtp; ${said}`, '', '--b--', ''],
      ]
      const nested = "5.1.0 - Unknown address error 550-'5.2.2 <them>... Mailbox Full' (delivery attempts: 0)"
      const receipt = (to: string) => [
        ...[`From: ${to}`, 'Subject: Not read: Hi', 'MIME-Version: 1.0'],
        ...['Content-Type: multipart/report; report-type=disposition-notification; boundary=m', '', '--m'],
        ...['Content-Type: text/plain', '', 'It was deleted without being read. 550 user unknown', '--m'],
        ...['Content-Type: message/disposition-notification', '', `Final-Recipient: rfc822; ${to}`],
        ...['Disposition: automatic-action/MDN-sent-automatically; deleted', 'Failure: 550 user unknown', '--m--', ''],
      ]
      const cases: readonly (readonly [string, string, (to: string) => readonly string[]])[] = [
        ['microsoft', 'BOUNCED', (to) => dsn(to, '5.4.1', '550 5.4.1 Recipient address rejected: Access denied. [x]')],
        ['exim', 'BOUNCED', (to) => dsn(to, '5.0.0', 'Unrouteable address')],
        ['nested', 'FAILED', (to) => dsn(to, '5.1.0', nested)],
        ['nul', 'BOUNCED', (to) => dsn(to, '5.1.1', '550 5.1.1 no\0 such user')],
        ['unclear', 'FAILED', (to) => dsn(to, '5.0.0', '554 Transaction failed')],
      ]
      for (const [name, status, made] of cases) {
        const to = `${name}@judged.example`
        const json = { to, from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
        const [{ email: id }] = (await test.ask('POST', '/v1/send', { json })).body.data.emails
        const mail = async () => (await test.ask('GET', `/emails/${id}`)).body
        await until('it is sent', async () => (await mail()).status === 'DELIVERED')
        // a receipt changes nothing, so the report after it still counts
        for (const lines of [receipt(to), made(to)])
          await send({ envelope: { from: '', to: [paths.of(id) ?? ''] }, raw: lines.join('\r\n') })
        await until(`${name} is ${status}`, async () => (await mail()).status !== 'DELIVERED')
        expect((await mail()).error ?? '').not.toContain('without being read')
        expect((await mail()).status).toBe(status)
      }
      const { data } = (await test.ask('GET', '/suppressions')).body
      const suppressed = data
        .map(({ email }: { email: string }) => email)
        .filter((email: string) => /judged/.test(email))
      expect(suppressed.toSorted()).toEqual(['exim', 'microsoft', 'nul'].map((name) => `${name}@judged.example`))
    })

    if (isStricter)
      it('leaves the subscription of a known sender, and makes nobody of a machine', async () => {
        await test.ask('POST', '/contacts', { json: { email: 'grace@friend.example', subscribed: true } })
        const before = (await emails()).total
        await send({ from: 'grace@friend.example', to: 'help@example.com', subject: 'Known', text: 'x' })
        const known = await received(before + 1)
        expect((await test.ask('GET', `/contacts/${known.contactId}`)).body.subscribed).toBe(true)
        const auto = { from: 'away@friend.example', to: 'help@example.com', text: 'x' }
        await send({ ...auto, subject: 'Out of office', headers: { 'Auto-Submitted': 'auto-replied' } })
        const machine = await received(before + 2)
        expect(machine.contactId).toBeNull()
        expect((await test.ask('GET', `/emails/${machine.id}`)).body).toMatchObject({
          subject: 'Out of office',
          events: [{ name: 'email.received', contactId: null, data: { autoReply: true } }],
        })
      })

    if (isStricter)
      it('cuts what is too long for an event, and keeps it whole in the e-mail', async () => {
        const before = (await emails()).total
        const text = `${'Zürich "quoted"\n'.repeat(4000)}end`
        await send({ from: 'long@friend.example', to: 'help@example.com', subject: 'Long', text })
        const { id } = await received(before + 1)
        const detail = (await test.ask('GET', `/emails/${id}`)).body
        expect(detail.text.trim()).toBe(text)
        const { data } = detail.events[0]
        expect(data.truncated).toBe(true)
        expect(text.startsWith(data.text.slice(0, 100))).toBe(true)
        expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(32 * 1024)
      })

    if (isStricter)
      it('lists all of its attachments in the e-mail, more than fit into its event', async () => {
        const before = (await emails()).total
        const attachments = Array.from({ length: 120 }, (_, i) => ({ filename: `part ${i}.txt`, content: `part ${i}` }))
        const to = ['help@example.com', 'sales@example.com']
        const auto = { from: 'scanner@friend.example', to, text: 'x', headers: { 'Auto-Submitted': 'auto-generated' } }
        await send({ ...auto, subject: 'Scan', attachments })
        const { id, ...listed } = await received(before + 1)
        expect(listed).not.toHaveProperty('attachments')
        const detail = (await test.ask('GET', `/emails/${id}`)).body
        expect(detail).toMatchObject({
          ...{
            events: [{ data: { truncated: true } }],
            to: 'help@example.com',
            recipients: to,
            spf: 'pass',
            dkim: 'none',
            dmarc: 'pass',
          },
          headers: { 'auto-submitted': 'auto-generated', subject: 'Scan' },
        })
        expect(detail.attachments).toHaveLength(120)
        const last = detail.attachments[119]
        expect(last).toEqual({ filename: 'part 119.txt', contentType: 'text/plain', size: 8, url: expect.any(String) })
        const file = await test.ask('GET', new URL(last.url).pathname, { key: null })
        expect([file.status, file.text]).toEqual([200, 'part 119'])
      })

    it('is linked to the mail it answers, once, while notes of absence and other projects are left aside', async () => {
      const ada = `ada${++count}@friend.example`
      const { body: contact } = await test.ask('POST', '/contacts', { json: { email: ada, subscribed: true } })
      const audienceFilter = {
        logic: 'AND',
        groups: [{ filters: [{ field: 'email', operator: 'equals', value: ada }] }],
      }
      const json = { name: 'N', subject: 'News', body: '<p>Hi</p>', from: 'news@example.com', audienceType: 'FILTERED' }
      const campaign = (await test.ask('POST', '/campaigns', { json: { ...json, audienceFilter } })).body.data.id
      await test.ask('POST', `/campaigns/${campaign}/send`, { json: {} })
      const sent = async () => (await test.ask('GET', `/campaigns/${campaign}/recipients`)).body
      await until('it is sent', async () => (await sent()).data[0]?.sentAt !== undefined)
      const [{ id }] = (await sent()).data
      const workflow = (await test.ask('POST', '/workflows', { json: { name: 'R', eventName: 'email.replied' } })).body
      await test.ask('POST', `/workflows/${workflow.id}/steps`, {
        json: { type: 'EXIT', afterStepId: workflow.steps[0].id },
      })
      await test.ask('PATCH', `/workflows/${workflow.id}`, { json: { enabled: true } })
      const before = (await emails()).total
      const reply = {
        ...{ from: `Ada <private${count}@friend.example>`, to: 'news@example.com', subject: 'Re: News', text: 'Yes' },
        ...{ inReplyTo: `<${id}@example.com>`, references: [`<${id}@example.com>`] },
        messageId: `<reply${count}@friend.example>`,
      }
      const absence = {
        ...reply,
        messageId: `<away${count}@friend.example>`,
        headers: { 'Auto-Submitted': 'auto-replied' },
      }
      await send(absence)
      await received(before + 1)
      expect((await test.ask('GET', `/emails/${id}`)).body.repliedAt).toBeUndefined()
      await send(reply)
      await received(before + 2)
      await send({ ...reply, to: 'help@example.com' })
      await received(before + 3)
      const answered = (await test.ask('GET', `/emails?inReplyTo=${id}`)).body
      expect(answered).toMatchObject({
        total: 1,
        data: [{ inReplyTo: id, subject: 'Re: News', to: 'news@example.com' }],
      })
      const mail = (await test.ask('GET', `/emails/${id}`)).body
      expect(mail.repliedAt).toBe(answered.data[0].createdAt)
      const replied = mail.events.filter(({ name }: { name: string }) => name === 'email.replied')
      expect(replied).toMatchObject([
        {
          ...{ contactId: contact.id, emailId: id },
          data: {
            ...{ emailId: id, campaignId: campaign, templateId: null, sourceType: 'CAMPAIGN', subject: 'Re: News' },
            ...{ replyId: answered.data[0].id, from: `private${count}@friend.example`, fromName: 'Ada' },
            ...{ messageId: reply.messageId, repliedAt: mail.repliedAt },
          },
        },
      ])
      const detail = (await test.ask('GET', `/emails/${answered.data[0].id}`)).body
      expect(detail.events).toMatchObject([{ name: 'email.received', data: { inReplyTo: id } }])
      expect((await test.ask('GET', `/campaigns/${campaign}/stats`)).body).toMatchObject({ replied: 1 })
      for (const [query, total] of [
        ['replied=true', 1],
        ['replied=false', 0],
      ] as const) {
        const people = (await test.ask('GET', `/campaigns/${campaign}/recipients?${query}`)).body
        expect({ query, total: people.total }).toEqual({ query, total })
      }
      const runs = async () => (await test.ask('GET', `/workflows/${workflow.id}/executions`)).body
      await until('the workflow has run', async () => (await runs()).data?.length > 0)
      expect((await runs()).data).toMatchObject([{ contactId: contact.id }])
      // the other project has the domain, too, and got all three
      const others = (await test.ask('GET', '/emails?status=RECEIVED&limit=3', { key: OTHER_SECRET })).body.data
      expect(others.map(({ inReplyTo }: { inReplyTo?: string }) => inReplyTo)).toEqual([
        undefined,
        undefined,
        undefined,
      ])
      const names = (await test.ask('GET', '/events/names', { key: OTHER_SECRET })).body.eventNames
      expect(names).not.toContain('email.replied')
      const filter = { logic: 'AND', groups: [{ filters: [{ field: 'email.replied', operator: 'triggered' }] }] }
      const found = await test.ask('GET', `/contacts?filter=${encodeURIComponent(JSON.stringify(filter))}`)
      expect(found.body.data.map(({ email }: { email: string }) => email)).toEqual([ada])
    })

    it('tells a sent mail of its bounce, which is no received mail', async () => {
      const before = (await emails()).total
      const json = { to: 'gone@target.example', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
      const [{ email: id }] = (await test.ask('POST', '/v1/send', { json })).body.data.emails
      const mail = async () => (await test.ask('GET', `/emails/${id}`)).body
      await until('it is sent', async () => (await mail()).status === 'DELIVERED' || (await mail()).status === 'SENT')
      const kit = kitOf(() => new Date(), { feedback: { returnPathHost: 'bounces.example.net' } })
      const paths = new ReturnPaths({ secret: Buffer.from(SECRET_TEXT) }, kit)
      const to = paths.of(id) ?? ''
      const report = [
        ...['From: mailer-daemon@target.example', `To: ${to}`, 'Subject: failed', 'MIME-Version: 1.0'],
        ...['Content-Type: multipart/report; report-type=delivery-status; boundary=b', '', '--b'],
        ...['Content-Type: text/plain', '', 'No such user', '--b', 'Content-Type: message/delivery-status', ''],
        ...['Reporting-MTA: dns; mx.target.example', '', 'Final-Recipient: rfc822; gone@target.example'],
        ...['Action: failed', 'Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 no such user', '', '--b--', ''],
      ].join('\r\n')
      await send({ envelope: { from: '', to: [to] }, raw: report })
      await until('it bounced', async () => (await mail()).status === 'BOUNCED', 20_000)
      const { data: listed } = (await test.ask('GET', '/suppressions')).body
      expect(listed).toContainEqual(expect.objectContaining({ email: 'gone@target.example' }))
      expect((await emails()).total).toBe(before)
      // one that is made up is refused
      const forged = to.replace(/.@/, (end) => (end === '0@' ? '1@' : '0@'))
      const bounce = (recipient: string) => send({ envelope: { from: '', to: [recipient] }, raw: report })
      await expect(bounce(forged)).rejects.toThrow(/550 5\.1\.1 .*this return path was not signed here/)
      const unknown = paths.of('01900000-0000-7000-8000-000000000001') ?? ''
      await expect(bounce(unknown)).rejects.toThrow(/550 5\.1\.1 .*of a mail that is not kept any more/)
      await expect(bounce('somebody@bounces.example.com')).rejects.toThrow(/550 5\.1\.1 .*takes bounces alone/)
    })

    if (isStricter)
      it('reaches the postmaster of the host, also where no domain is named, and of no other host', async () => {
        const before = (await emails()).total
        const to = (recipient: string) =>
          send({ envelope: { from: 'a@friend.example', to: [recipient] }, raw: 'From: a@friend.example\r\n\r\nx\r\n' })
        await to('Postmaster')
        expect((await received(before + 1)).to).toBe('postmaster@mx.example.com')
        await expect(to('postmaster@mx.elsewhere.example')).rejects.toThrow(/550 5\.1\.1/)
        await expect(to('help@mx.example.com')).rejects.toThrow(/550 5\.1\.1/)
      })

    if (isStricter)
      it('is refused for recipients that are none of ours', async () => {
        await expect(send({ from: 'a@friend.example', to: 'b@elsewhere.example', text: 'x' })).rejects.toThrow(
          /550 5\.1\.1/,
        )
        expect((await test.ask('GET', '/health', { key: null })).body.parts.inbound).toBe('ok')
      })

    it('is taken from the moment a domain is verified, and refused from the moment it is removed', async () => {
      const rcpt = (to: string) =>
        send({ envelope: { from: 'a@friend.example', to: [to] }, raw: 'From: a@friend.example\r\n\r\nx\r\n' })
      const { body } = await test.ask('POST', '/domains', { json: { domain: 'fresh.example' } })
      await expect(rcpt('b@fresh.example')).rejects.toThrow(/550 5\.1\.1/)
      dns.set(body.records[0].name, 'TXT', [body.records[0].value])
      const before = (await emails()).total
      expect((await test.ask('GET', `/domains/${body.id}/verify`)).body.status).toBe('VERIFIED')
      await rcpt('b@fresh.example')
      await rcpt('postmaster@mx.fresh.example')
      await received(before + 2)
      expect((await test.ask('DELETE', `/domains/${body.id}`)).status).toBe(204)
      await expect(rcpt('b@fresh.example')).rejects.toThrow(/550 5\.1\.1/)
      // what another start changed in the config
      const project = { name: 'Late', secretKey: LATE_SECRET, trustedDomains: ['late.example'] }
      await test.engine.projects.applySettings([{ ...project, disabled: true }])
      await expect(rcpt('b@late.example')).rejects.toThrow(/550 5\.2\.1/)
      await test.engine.projects.applySettings([{ ...project, disabled: false }])
      await rcpt('b@late.example')
      await until('it is read', async () => {
        return (await test.ask('GET', '/emails?status=RECEIVED', { key: LATE_SECRET })).body.total === 1
      })
    })

    if (isStricter)
      it('of a domain that fell back is put off, not refused for good', async () => {
        const { body } = await test.ask('POST', '/domains', { json: { domain: 'fell.example' } })
        const rcpt = () => send({ from: 'a@friend.example', to: 'b@fell.example', text: 'x' })
        await expect(rcpt()).rejects.toThrow(/550 5\.1\.1/)
        const seen = async (texts: readonly string[]) => {
          dns.set(body.records[0].name, 'TXT', texts)
          // what is missed counts once in some minutes
          ahead += 5 * 60_000
          return (await test.ask('GET', `/domains/${body.id}/verify`)).body.status
        }
        expect(await seen([body.records[0].value])).toBe('VERIFIED')
        expect([await seen([]), await seen([]), await seen([])]).toEqual(['VERIFIED', 'VERIFIED', 'FAILED'])
        await expect(rcpt()).rejects.toThrow(/451 4\.3\.0 fell\.example is not verified at present/)
      })

    if (isStricter)
      it('is lost to nobody when the sender hangs up before the end', async () => {
        const before = (await emails()).total
        const socket = connect(listener.port ?? 0, '127.0.0.1')
        const lines = ['EHLO x', 'MAIL FROM:<a@friend.example>', 'RCPT TO:<help@example.com>', 'DATA']
        for (const line of lines) {
          await new Promise((resolve) => socket.once('data', resolve))
          socket.write(`${line}\r\n`)
        }
        await new Promise((resolve) => socket.once('data', resolve))
        socket.write('Subject: half\r\n\r\nhalf')
        socket.destroy()
        await send({ from: 'c@friend.example', to: 'help@example.com', subject: 'whole', text: 'x' })
        await received(before + 1)
      })

    if (isStricter)
      it('is read while the name servers of other senders are silent', async () => {
        dns.fail('silent.example', 'drop')
        const before = (await emails()).total
        const asked = () => dns.questions.filter((question) => question === 'TXT silent.example').length
        for (let i = 1; i <= 5; i++) await send({ from: `s${i}@silent.example`, to: 'help@example.com', text: 'x' })
        await until('they are worked on', () => asked() > 0)
        const began = performance.now()
        await send({ from: 'quick@friend.example', to: 'help@example.com', subject: 'Quick', text: 'x' })
        await received(before + 1)
        // a question without an answer takes nine
        expect(performance.now() - began).toBeLessThan(4000)
      })
  })
}

it.skipIf(isSwapped)(
  'a stop that comes while the host that receives mail is looked up does not wait for the next look',
  async () => {
    const dns = await startDnsServer({})
    atEndOfFile(() => dns.close())
    dns.fail('mx.example.com', 'drop')
    const { engine } = await testApp(
      ANY,
      {},
      {
        inbound: [smtpServer({ host: '127.0.0.1', port: 0, hostname: 'mx.example.com' })],
        dns: nodeDns({ servers: [dns.address], timeoutMs: 200, tries: 1 }),
        publicUrl: 'https://mail.example',
      },
    )
    await engine.start()
    await until('the host is looked up', () => dns.questions.includes('MX mx.example.com'))
    const began = performance.now()
    await engine.stop()
    expect(performance.now() - began).toBeLessThan(10_000)
  },
)
