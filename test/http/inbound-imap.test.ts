import { beforeAll, describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { imap } from '../../plugins/inbound-imap/index.ts'
import { OTHER_SECRET, type TestApp, testApp } from '../support/app.ts'
import { bounceOf } from '../support/bounce.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { type ImapServer, startImapServer } from '../support/imap-server.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

for (const store of [QUICK]) {
  describe(`mail from a mailbox on ${store.name}`, () => {
    let test: TestApp
    let box: ImapServer
    const received = async (key?: string) => {
      const { body } = await test.ask('GET', '/emails?status=RECEIVED', key === undefined ? {} : { key })
      return body
    }
    const allMarked = () =>
      until('all are marked', () => box.flags().every((flags) => flags.endsWith('\\Seen')), 20_000)

    beforeAll(async () => {
      const dns = await startDnsServer({})
      box = await startImapServer()
      const auth = { user: 'box', pass: 'open sesame' }
      const inbound = imap({ host: '127.0.0.1', port: box.port, secure: false, auth, pollSeconds: 0.2 })
      test = await testApp(store, {}, { inbound: [inbound], dns: nodeDns({ servers: [dns.address] }) })
      await test.engine.start()
      return async () => {
        await box.close()
        await dns.close()
      }
    })

    it('is an e-mail once, however often it is fetched, when it was sent to a domain of ours', async () => {
      let cuts = 0
      box.before = (command) => (command.startsWith('UID STORE') && cuts++ === 0 ? 'cut' : undefined)
      const raw = [
        ...['Return-Path: <ada@friend.example>', 'Delivered-To: help@example.com', 'From: Ada <ada@friend.example>'],
        ...['Subject: Hello', 'Message-ID: <1@friend.example>', '', 'words', ''],
      ].join('\r\n')
      const date = new Date('2026-03-04T05:06:07Z')
      box.append(raw, { date })
      await allMarked()
      await until('it is there', async () => (await received()).total === 1, 20_000)
      // as it is after a kill between the commit and the mark, and when another process fetches at the same moment
      box.append(raw, { date })
      box.append(raw, { date })
      box.append(raw.replace('Hello', 'Last'), { date: new Date(date.getTime() - 1000) })
      await allMarked()
      await until('the last is there', async () => (await received()).total > 1, 20_000)
      expect((await test.ask('GET', '/health', { key: null })).body.parts.inbound).toBe('ok')
      expect(test.lines.filter(({ message }) => message.startsWith('could not read'))).toEqual([])
      const { data, total } = await received()
      expect(total).toBe(2)
      expect(data[0]).toMatchObject({ to: 'help@example.com', createdAt: date.toISOString() })
      const { events } = (await test.ask('GET', `/emails/${data[0].id}`)).body
      expect(events).toMatchObject([
        { name: 'email.received', data: { spf: 'none', dkim: 'none', dmarc: 'none', receivedAt: date.toISOString() } },
      ])
      // the other project that has the domain has a record of its own
      await until('the other project has both', async () => (await received(OTHER_SECRET)).total === 2)
    })

    it('to an address that is none of ours is read as a report about a mail of ours, and nothing else becomes of it', async () => {
      const before = (await received()).total
      const json = { to: 'gone@target.example', from: 'hello@example.com', subject: 'Hi', body: '<p>Hi</p>' }
      const [{ email: id }] = (await test.ask('POST', '/v1/send', { json })).body.data.emails
      const mail = async () => (await test.ask('GET', `/emails/${id}`)).body
      await until('it is sent', async () => (await mail()).status === 'DELIVERED', 20_000)
      const whom = { address: 'gone@target.example', status: '5.1.1', diagnostic: '550 5.1.1 no such user' }
      const sent = Buffer.from(`Message-ID: <${id}@example.com>\r\nSubject: Hi\r\n\r\nHi`)
      box.append('Delivered-To: box@provider.example\r\nFrom: shop@friend.example\r\nSubject: offer\r\n\r\nbuy\r\n')
      box.append(
        Buffer.concat([
          Buffer.from('Delivered-To: box@provider.example\r\n'),
          bounceOf({ raw: sent, from: 'box@provider.example' }, [whom]),
        ]),
      )
      await allMarked()
      // before it was marked
      expect((await mail()).status).toBe('BOUNCED')
      expect((await test.ask('GET', '/suppressions')).body.data).toMatchObject([{ email: 'gone@target.example' }])
      expect((await received()).total).toBe(before)
      expect((await test.ask('GET', '/contacts?search=shop')).body.total).toBe(0)
    })
  })
}
