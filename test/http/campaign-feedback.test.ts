import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { MAIL, type TestApp, testApp } from '../support/app.ts'
import { bounceOf, complaintAbout } from '../support/bounce.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const UNKNOWN = '550 5.1.1 <carl@list.example>: User unknown'
const UNAUTHENTICATED = '550 5.7.26 This mail has been blocked because the sender is unauthenticated'

for (const store of [QUICK]) {
  describe(`what comes back of a campaign on ${store.name}`, () => {
    let test: TestApp
    let sink: SmtpSink
    beforeAll(async () => {
      const recipients = {
        'bob@list.example': { code: 550, message: '5.1.1 no such user' },
        'odd@other.example': { code: 550, message: 'not today' },
        'late@wait.example': { code: 450, message: '4.2.0 try again later' },
      }
      sink = await startSmtpSink({ recipients })
      atEndOfFile(() => sink.close())
      const feedback = { returnPathHost: 'bounces.example.com' }
      const reputation = { bounceRate: { stop: false }, complaintRate: { stop: false } } as const
      test = await testApp(
        store,
        {},
        { transports: [toSink(sink)], feedback, reputation, publicUrl: 'https://m.example.net' },
      )
      await test.engine.start()
    })
    const get = async (path: string) => (await test.ask('GET', path)).body
    const arrived = (to: string) => sink.messages.find((mail) => mail.to.includes(to))!

    it('stands in its figures and behind them, each once, whatever comes in which order', async () => {
      for (const name of ['ada', 'bob', 'carl', 'dora', 'eve', 'fay']) {
        await test.ask('POST', '/contacts', { json: { email: `${name}@list.example` } })
      }
      const json = { name: 'N', subject: 'S', body: '<p>B</p>', from: 'news@example.com', audienceType: 'ALL' }
      const { id } = (await test.ask('POST', '/campaigns', { json })).body.data
      await test.ask('POST', `/campaigns/${id}/send`, { json: {} })
      await until('it is sent', async () => (await get(`/campaigns/${id}`)).status === 'SENT')
      expect(await get(`/campaigns/${id}/stats`)).toMatchObject({
        ...{ totalRecipients: 6, sent: 5, delivered: 5, bounced: 1, complained: 0, failed: 0 },
      })

      const read = async (raw: Buffer, to: string) =>
        (await test.engine.feedback.read(raw, { from: '', to: [arrived(to).from] })).outcomes
      const carl = bounceOf(arrived('carl@list.example'), [
        { address: 'carl@list.example', status: '5.1.1', diagnostic: UNKNOWN },
      ])
      const dora = complaintAbout(arrived('dora@list.example'), 'dora@list.example')
      // ours to mend, and no bounce of hers
      const eve = bounceOf(
        arrived('eve@list.example'),
        [{ address: 'eve@list.example', status: '5.7.26', diagnostic: UNAUTHENTICATED }],
        '<2.dsn@mx.example.net>',
      )
      // a complaint about a mail that then bounces counts as both
      const fay = 'fay@list.example'
      const both = [
        complaintAbout(arrived(fay), fay),
        bounceOf(arrived(fay), [{ address: fay, status: '5.1.1', diagnostic: UNKNOWN }], '<3.dsn@mx.example.net>'),
      ]
      for (const twice of [1, 2]) {
        const expected = twice === 1 ? ['changed'] : ['known']
        expect(await read(carl, 'carl@list.example')).toEqual(expected)
        expect(await read(dora, 'dora@list.example')).toEqual(expected)
        expect(await read(eve, 'eve@list.example')).toEqual(expected)
        for (const raw of both) expect(await read(raw, fay)).toEqual(expected)
      }
      const [, wayOut] = /^List-Unsubscribe: <https?:\/\/[^/]+([^>]+)>/m.exec(
        unfolded(arrived('ada@list.example').raw),
      )!
      const raw = 'List-Unsubscribe=One-Click'
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const _ of [1, 2])
        expect((await test.ask('POST', wayOut!, { key: null, raw, headers: form })).status).toBe(200)
      const stats = await get(`/campaigns/${id}/stats`)
      expect(stats).toMatchObject({
        ...{ totalRecipients: 6, queued: 0, sent: 5, delivered: 2, bounced: 3, complained: 2, failed: 1 },
        // of the six that were handed over; two of them came back later
        ...{ bounceRate: 50, deliveryRate: 33.33 },
      })
      expect(stats.data).toMatchObject({ bounced: 3, complained: 2, unsubscribed: 1 })
      const statuses = async (status: string) =>
        (await get(`/campaigns/${id}/recipients?status=${status}`)).data
          .map(({ email }: { email: string }) => email)
          .sort()
      expect(await statuses('BOUNCED')).toEqual(['bob@list.example', 'carl@list.example'])
      expect(await statuses('COMPLAINED')).toEqual(['dora@list.example', fay])
      expect(await statuses('FAILED')).toEqual(['eve@list.example'])
      expect(await statuses('DELIVERED')).toEqual(['ada@list.example'])
      // a status says what happened last: only these list as many mails as their figure counts
      for (const figure of ['sent', 'delivered', 'bounced', 'complained', 'unsubscribed']) {
        const { data, total } = await get(`/campaigns/${id}/recipients?${figure}=true`)
        expect([figure, data.length, total]).toEqual([figure, stats.data[figure], stats.data[figure]])
      }
      for (const unit of ['hour', 'day']) {
        const rows = await get(`/campaigns/${id}/timeseries?unit=${unit}&timezone=Asia/Kathmandu`)
        expect(rows.at(-1).date).toMatch(unit === 'day' ? /^[\d-]{10}$/ : /^[\d-]{10}T\d\d:00:00\+05:45$/)
        const sum = (of: string) => rows.reduce((all: number, row: Record<string, number>) => all + row[of]!, 0)
        expect(['delivered', 'opens', 'clicks', 'unsubscribes'].map(sum)).toEqual([stats.data.delivered, 0, 0, 1])
      }
      // Home counts what its list has
      const [day] = (await get('/analytics/timeseries')).slice(-1)
      const { total } = await get(`/emails?delivered=true&day=${day.date}`)
      expect([day.emails, day.delivered]).toEqual([stats.data.sent, total])
      // the others were handed over and are not there
      const { data: cameBack } = await get('/emails?delivered=false')
      expect(cameBack.map(({ to }: { to: string }) => to).sort()).toEqual(
        ['carl', 'eve', 'fay'].map((name) => `${name}@list.example`),
      )
      const page = await get(`/campaigns/${id}/recipients?sent=true&limit=1`)
      expect([page.data.length, page.total]).toEqual([1, 5])
      const [gone] = (await get(`/campaigns/${id}/recipients?unsubscribed=true`)).data
      expect(gone).toMatchObject({ email: 'ada@list.example', unsubscribedAt: expect.any(String) })
      expect((await get('/emails?unsubscribed=true')).data.map(({ id }: { id: string }) => id)).toEqual([gone.id])
    })

    it('is explained beside each mail, and only where something is known', async () => {
      const odd = await test.ask('POST', '/v1/send', { json: { ...MAIL, to: 'odd@other.example' } })
      const last = odd.body.data.emails[0].email
      await until('it is refused', async () => (await get(`/emails/${last}`)).status === 'FAILED')
      const { data } = await get('/emails?limit=100')
      const meanings = new Map<string, unknown[]>()
      for (const { to, error, errorMeaning } of data) meanings.set(to, [error, errorMeaning])
      expect(meanings.get('eve@list.example')).toEqual([UNAUTHENTICATED, expect.stringContaining('neither by SPF')])
      expect(meanings.get('bob@list.example')).toEqual([
        '550 5.1.1 no such user',
        expect.stringContaining('no such mailbox'),
      ])
      expect(meanings.get('odd@other.example')).toEqual(['550 not today', null])
      expect(meanings.get('ada@list.example')).toEqual([undefined, undefined])
      const ids: Record<string, string> = Object.fromEntries(
        data.map(({ to, id }: { to: string; id: string }) => [to, id]),
      )
      for (const [to, [error, errorMeaning = null]] of meanings) {
        const detail = await get(`/emails/${ids[to]}`)
        expect([detail.error, detail.errorMeaning]).toEqual([error, errorMeaning])
      }
    })

    it('counts people per link and clicks per link, and nothing of a gateway that opens every link at once', async () => {
      const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'
      for (const name of ['gil', 'hal', 'ivy'])
        await test.ask('POST', '/contacts', { json: { email: `${name}@links.example` } })
      const body =
        '<a href="https://x.example/a?b=1&amp;c=2">A</a> <a href="https://x.example/b">B</a> <a href="{{ unsubscribeUrl }}">no</a>'
      const filter = {
        operator: 'AND',
        conditions: [{ field: 'email', operator: 'endsWith', value: '@links.example' }],
      }
      const json = {
        name: 'L',
        subject: 'S',
        body,
        from: 'news@example.com',
        audienceType: 'FILTERED',
        audienceFilter: filter,
      }
      const { id } = (await test.ask('POST', '/campaigns', { json })).body.data
      await test.ask('POST', `/campaigns/${id}/send`, { json: {} })
      await until('it is sent', async () => (await get(`/campaigns/${id}`)).status === 'SENT')
      const hrefs = async (to: string) => {
        const { html } = await simpleParser(arrived(to).raw)
        const found = [...String(html).matchAll(/(?:href|src)="(https?:[^"]+)"/g)].map(
          ([, address]) => new URL(address!).pathname,
        )
        return { clicks: found.filter((path) => path.includes('/t/c/')), all: [...new Set(found)] }
      }
      const visit = (path: string) => test.ask('GET', path, { key: null, headers: { 'user-agent': CHROME } })
      const [gil, hal, ivy] = [
        await hrefs('gil@links.example'),
        await hrefs('hal@links.example'),
        await hrefs('ivy@links.example'),
      ]
      for (const path of [...gil.clicks, gil.clicks[0]!, hal.clicks[1]!]) expect((await visit(path)).status).toBe(302)
      for (const path of ivy.all) expect((await visit(path)).status).toBeLessThan(400)

      const links = await get(`/campaigns/${id}/links`)
      expect(links).toEqual([
        { url: 'https://x.example/b', clicks: 3, humanClicks: 2, people: 2 },
        { url: 'https://x.example/a?b=1&c=2', clicks: 3, humanClicks: 2, people: 1 },
      ])
      const behind = async (url: string) =>
        (await get(`/campaigns/${id}/recipients?link=${encodeURIComponent(url)}`)).data
          .map(({ email }: { email: string }) => email)
          .sort()
      expect(await behind('https://x.example/b')).toEqual(['gil@links.example', 'hal@links.example'])
      expect(await behind('https://x.example/a?b=1&c=2')).toEqual(['gil@links.example'])
      expect(await get(`/campaigns/${id}/stats?excludeMachine=true`)).toMatchObject({ clicked: 2, opened: 0 })
      expect((await get('/contacts?search=ivy@links.example')).data).toMatchObject([{ subscribed: true }])
    })

    it('takes nothing off what waits while it is paused', async () => {
      for (const name of ['gone', 'late'])
        await test.ask('POST', '/contacts', { json: { email: `${name}@wait.example` } })
      const conditions = [{ field: 'email', operator: 'endsWith', value: '@wait.example' }]
      const audience = { audienceType: 'FILTERED', audienceFilter: { operator: 'AND', conditions } }
      const json = { name: 'W', subject: 'S', body: '<p>B</p>', from: 'news@example.com', ...audience }
      const { id } = (await test.ask('POST', '/campaigns', { json })).body.data
      await test.ask('POST', `/campaigns/${id}/send`, { json: {} })
      await until('one is delivered', async () => (await get(`/campaigns/${id}`)).delivered === 1)
      await until('one is put off', async () => (await get(`/campaigns/${id}/recipients?status=QUEUED`)).total === 1)
      expect((await test.ask('POST', `/campaigns/${id}/pause`)).body.status).toBe('PAUSED')
      const diagnostic = '550 5.1.1 <gone@wait.example>: User unknown'
      const raw = bounceOf(arrived('gone@wait.example'), [
        { address: 'gone@wait.example', status: '5.1.1', diagnostic },
      ])
      await test.engine.feedback.read(raw, { from: '', to: [arrived('gone@wait.example').from] })
      for (const path of ['', '/stats'])
        expect(await get(`/campaigns/${id}${path}`)).toMatchObject({ sent: 1, bounced: 1, queued: 1 })
    })
  })
}

function unfolded(raw: Buffer): string {
  return raw.toString('latin1').replace(/\r?\n[ \t]+/g, ' ')
}
