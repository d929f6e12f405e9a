import { gzipSync } from 'node:zlib'
import type { SendMailOptions } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectEnvelope, OTHER_SECRET, type TestApp } from '../support/app.ts'
import { fileForm, formOf } from '../support/contact-jobs.ts'
import { STRICT } from '../support/matrix.ts'
import { dmarcXml, failureReport, reportRecord, tlsJson } from '../support/reports.ts'
import { type ReportsByMail, reportsByMail } from '../support/reports-by-mail.ts'
import { until } from '../support/until.ts'

describe(`reports on domains on ${STRICT.name}`, () => {
  let reports: ReportsByMail
  let test: TestApp
  let id = ''

  beforeAll(async () => {
    reports = await reportsByMail(STRICT, {
      'big.example': { TXT: ['v=spf1 ip4:127.0.0.1 -all'] },
      '_dmarc.big.example': { TXT: ['v=DMARC1; p=reject'] },
      '_dmarc.acme.example': { TXT: ['v=DMARC1; p=none; rua=mailto:old@acme.example'] },
    })
    test = reports.test
    id = await reports.verified('acme.example')
    return reports.close
  })

  const add = async (report: string | Buffer, of = id) =>
    test.ask('POST', `/domains/${of}/reports`, await fileForm(Buffer.from(report as string)))
  const summary = async (query = '') => (await test.ask('GET', `/domains/${id}/reports/summary${query}`)).body
  const list = async () => (await test.ask('GET', `/domains/${id}/reports`)).body
  const send = (mail: SendMailOptions) => reports.send(mail)

  it('are added once, listed, and put together with advice', async () => {
    expect(await summary()).toMatchObject({ messages: 0, policy: null, adviceCodes: [{ code: 'reports_none' }] })
    const { records } = (await test.ask('GET', `/domains/${id}/verify`)).body
    const [selector] = records[0].name.split('.')
    const own = reportRecord({ messages: '120', selector })
    const answer = await add(
      gzipSync(dmarcXml(own, reportRecord({ ip: '198.51.100.7', selector: 'x', messages: '5' }))),
    )
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      ...{ kind: 'dmarc', reporter: 'big.example', domain: 'acme.example', messages: 125, passed: 125, policy: 'none' },
      ...{ begin: '2026-04-20T00:00:00.000Z', end: '2026-04-20T23:59:59.000Z' },
    })
    expectEnvelope(await add(dmarcXml()), 409, 'CONFLICT')
    expect((await add(tlsJson())).body).toMatchObject({ kind: 'tls', messages: 100, passed: 90 })
    expect((await list()).data.map(({ kind }: { kind: string }) => kind)).toEqual(['tls', 'dmarc'])
    expect(await summary()).toMatchObject({
      ...{ policy: 'none', messages: 125, passed: 125, atRisk: 0 },
      days: [{ day: '2026-04-20', messages: 125, passed: 125 }],
      senders: [
        {
          kind: 'forwarder',
          name: 'mail.example',
          messages: 125,
          addresses: 2,
          examples: ['192.0.2.1', '198.51.100.7'],
        },
      ],
      tls: { sessions: 100, failed: 10, failures: [{ type: 'certificate-expired' }, { type: 'validation-failure' }] },
    })
    expect(await summary('?days=5')).toMatchObject({ messages: 0, senders: [] })
  })

  it('are refused with the field when they are none, of another domain or of another project', async () => {
    const none = await add('hello')
    expectEnvelope(none, 422, 'VALIDATION_ERROR')
    expect(none.body.error).toMatchObject({ message: expect.stringContaining('file: is neither a DMARC report') })
    const foreign = await add(dmarcXml().replaceAll('acme.example', 'other.example'))
    expectEnvelope(foreign, 422, 'VALIDATION_ERROR')
    expect(foreign.body.error.message).toContain('is a report on other.example, and says nothing of acme.example')
    const missing = await test.ask('POST', `/domains/${id}/reports`, { json: {} })
    expect(missing.status).toBe(415)
    expectEnvelope(await test.ask('GET', `/domains/${id}/reports?cursor=x`), 400, 'BAD_REQUEST')
    expectEnvelope(await test.ask('GET', `/domains/${id}/reports/summary?days=0`), 422, 'VALIDATION_ERROR')
    for (const path of ['', '/summary'])
      expectEnvelope(
        await test.ask('GET', `/domains/${id}/reports${path}`, { key: OTHER_SECRET }),
        404,
        'DOMAIN_NOT_FOUND',
      )
  })

  it('come by mail to an address that the records name, and are no mail there; elsewhere they are both', async () => {
    const { records } = (await test.ask('GET', `/domains/${id}/verify`)).body
    const of = (purpose: string) => records.find((each: { purpose: string }) => each.purpose === purpose)
    expect(of('dmarc')).toMatchObject({
      value: 'v=DMARC1; p=none; rua=mailto:dmarc@bounces.acme.example',
      status: 'VERIFIED',
    })
    expect(of('dmarc').adviceCodes[1]).toMatchObject({
      ...{ code: 'dmarc_reports_elsewhere', params: { rua: 'mailto:dmarc@bounces.acme.example' } },
    })
    expect(of('tls-reports')).toMatchObject({ name: '_smtp._tls.acme.example', status: 'PENDING' })

    const mail = (
      to: string,
      reportId: string,
      filename = 'big.example!acme.example!1776643200!1776729599.xml.gz',
    ) => ({
      ...{ from: 'dmarc@big.example', to, subject: 'Report Domain: acme.example', text: 'see attached' },
      attachments: [
        { filename, content: gzipSync(dmarcXml().replace('>1<', `>${reportId}<`)), contentType: 'application/gzip' },
      ],
    })
    const ids = async () => (await list()).data.map(({ reportId }: { reportId: string }) => reportId)
    await send(mail('dmarc@bounces.acme.example', 'by-mail'))
    await until('the report', async () => (await ids()).includes('by-mail'), 20_000)
    expect((await list()).data[0]).toMatchObject({ sender: 'big.example' })
    await send(mail('postbox@acme.example', 'to-a-box'))
    await until('the other', async () => (await ids()).includes('to-a-box'), 20_000)
    // it comes again: receivers repeat what they are not sure of
    await send(mail('dmarc@bounces.acme.example', 'by-mail'))
    const broken = { ...mail('dmarc@bounces.acme.example', ''), attachments: [] }
    await send({ ...broken, text: 'no report' })
    const received = async () => (await test.ask('GET', '/emails?status=RECEIVED')).body.data
    await until('the mails', async () => (await received()).length === 2, 20_000)
    expect((await received()).map(({ to }: { to: string }) => to).toSorted()).toEqual([
      'dmarc@bounces.acme.example',
      'postbox@acme.example',
    ])
    expect((await ids()).filter((each: string) => each === 'by-mail')).toHaveLength(1)
    // the host takes reports on the domains of all projects: the name of the file says which
    await send(mail('dmarc@mx.operator.example', 'to-the-host'))
    await until('the third', async () => (await ids()).includes('to-the-host'), 20_000)
    expect((await received()).length).toBe(2)
    // of many that were passed on together, two are read, and the mail with the others stays
    const three = ['one', 'two', 'three'].flatMap((each) => mail('', `of-${each}`).attachments)
    await send({ ...mail('dmarc@bounces.acme.example', ''), attachments: three })
    await until('the mail with three', async () => (await received()).length === 3, 20_000)
    expect((await ids()).filter((each: string) => each.startsWith('of-')).toSorted()).toEqual(['of-one', 'of-two'])
    const foreign = mail('dmarc@mx.operator.example', 'x', 'big.example!stranger.example!1776643200!1776729599.xml.gz')
    const about = { ...foreign, subject: 'Report Domain: stranger.example' }
    await expect(send(about)).rejects.toThrow(/550 5\.7\.1 this is a report on stranger\.example, which is no verified/)
    const none = { from: 'a@big.example', to: 'tlsrpt@mx.operator.example', subject: 'Hello', text: 'Hi' }
    await expect(send(none)).rejects.toThrow(/550 5\.7\.1 this address takes reports/)
    await expect(send(mail('someone@bounces.acme.example', 'x'))).rejects.toThrow(/5\.1\.1/)
    await expect(send(mail('dmarc@bounces.stranger.example', 'x'))).rejects.toThrow(/5\.1\.1/)
  })

  it('come many at once, as they do at midnight, and each is read', async () => {
    const id = await reports.verified('midnight.example')
    const count = 30
    // so long that they are read more slowly than they come
    const rows = Array.from({ length: 150 }, (_, n) => reportRecord({ ip: `192.0.2.${n % 200}` }))
    const xml = dmarcXml(...rows).replaceAll('acme.example', 'midnight.example')
    const send = (n: number) => {
      const content = xml.replace('>1<', `>midnight-${n}<`)
      const attachments = [{ filename: `big.example!midnight.example!${n}!2.xml`, content }]
      return reports.send({ from: 'dmarc@big.example', to: 'dmarc@bounces.midnight.example', text: '', attachments })
    }
    // as many at a time as one address may have connections
    for (let n = 0; n < count; n += 15) await Promise.all(Array.from({ length: 15 }, (_, i) => send(n + i)))
    const list = async () => (await test.ask('GET', `/domains/${id}/reports?limit=100`)).body.data
    await until('the reports', async () => (await list()).length === count)
  })

  it('on single messages are counted, kept no further, and are no complaints', async () => {
    const given = { from: 'news@acme.example', to: 'ada@big.example', subject: 'Hello', body: 'Hi' }
    const sent = (await test.ask('POST', '/v1/send', { json: given })).body
    const emailId = sent.data.emails[0].email
    const mail = async () => (await test.ask('GET', `/emails/${emailId}`)).body
    await until('the mail is sent', async () => (await mail()).status === 'DELIVERED', 20_000)
    const lines = ['From: news@acme.example', `Message-ID: <${emailId}@acme.example>`, 'Subject: Hello']
    const post = (to: string, domain?: string) =>
      send({
        envelope: { from: 'dmarc@big.example', to },
        raw: failureReport(to, { lines, ...(domain && { domain }) }),
      })
    const before = (await test.ask('GET', '/emails?status=RECEIVED')).body.data.length
    await post('dmarc@bounces.acme.example')
    await post('dmarc@bounces.acme.example', 'news.acme.example')
    await post('dmarc@bounces.acme.example', 'stranger.example')
    // a mail of people, where it is one
    await post('postbox@acme.example')
    const received = async () => (await test.ask('GET', '/emails?status=RECEIVED')).body.data
    await until('the counts', async () => (await summary()).failureReports === 2, 20_000)
    await until('the mail', async () => (await received()).length === before + 1, 20_000)
    const isForeign = () => test.lines.some(({ message }) => message.startsWith('a failure report is on no domain'))
    await until('the foreign one', isForeign, 20_000)
    expect(await summary()).toMatchObject({ failureReports: 2, failureDays: [{ day: '2026-05-01', reports: 2 }] })
    expect((await mail()).status).toBe('DELIVERED')
    expect((await test.ask('GET', '/suppressions')).body.data).toEqual([])
  })

  it('have the figures of receivers beside them, out of their files, each once', async () => {
    const path = `/domains/${id}/figures`
    const upload = async (file: string) => test.ask('POST', path, await fileForm(Buffer.from(file)))
    const snds = '192.0.2.25,4/29/2026 8:00 AM,4/29/2026 9:00 PM,1200,"1,200","1.180",YELLOW,< 0.1%,,,2,,,\r\n'
    expect(await upload(snds)).toMatchObject({
      status: 201,
      body: { receiver: 'microsoft', count: 5, from: '2026-04-29', to: '2026-04-29', ignored: [] },
    })
    await upload(snds.replace('YELLOW', 'RED'))
    const google = 'Date,User-reported spam rate,Colour\n2026-04-30,0.12%,x\n2026-04-28,0.3%,y\n'
    expect((await upload(google)).body).toMatchObject({ count: 2, from: '2026-04-28', ignored: ['Colour'] })
    const given = { from: 'news@acme.example', to: 'ada@gmail.com', subject: 'Hello', body: 'Hi' }
    const sent = (await test.ask('POST', '/v1/send', { json: given })).body.data.emails[0].email
    await until('the mail', async () => (await test.ask('GET', `/emails/${sent}`)).body.status === 'DELIVERED', 20_000)
    const { body } = await test.ask('GET', `${path}?days=5`)
    const told = body.figures.map(({ figure, day, subject, value, word }: Record<string, unknown>) => {
      return [figure, day, subject, value, word]
    })
    expect(told).toEqual([
      ['spamRate', '2026-04-30', '', 0.12, null],
      ['complaintRate', '2026-04-29', '192.0.2.25', 0.1, '< 0.1%'],
      ['filterResult', '2026-04-29', '192.0.2.25', null, 'RED'],
      ['messages', '2026-04-29', '192.0.2.25', 1200, null],
      ['recipients', '2026-04-29', '192.0.2.25', 1180, null],
      ['trapHits', '2026-04-29', '192.0.2.25', 2, null],
      ['spamRate', '2026-04-28', '', 0.3, null],
    ])
    expect(body.own).toMatchObject([{ receiver: 'google', day: '2026-05-01', sent: 1, delivered: 1, complained: 0 }])
    const refused: readonly (readonly [file: string, field: string, why: string])[] = [
      ['email,name\na@b.example,Ada\n', 'file', 'is no file of Google Postmaster Tools or Microsoft SNDS'],
      ['Date,Spam rate\n2026-04-30,0.1%\n2026-04-31,0.1%\n', 'file', 'has no day in row 3: "2026-04-31"'],
      ['Date,Spam rate\n2026-06-30,0.1%\n', 'file', 'has figures of 2026-06-30, a day in the future'],
      ['Date,Spam rate\n2026-04-30,0.001\n', 'numbers', 'must be "percent" or "fraction"'],
      [snds.replace('1.180', '1.18'), 'file', 'has no number in row 1 where SNDS has one: "1.18"'],
      ['x'.repeat(70_000), 'file', 'is no file'],
      [`Date,Spam rate\n${'2026-04-30,0.1%\n'.repeat(5_001)}`, 'file', 'has more than 5000 rows'],
    ]
    for (const [file, field, why] of refused) {
      const answer = await upload(file)
      expectEnvelope(answer, 422, 'VALIDATION_ERROR')
      expect(answer.body.error.message, file.slice(0, 60)).toContain(`${field}: ${why}`)
    }
    expectEnvelope(await upload(snds.repeat(20_000)), 413, 'PAYLOAD_TOO_LARGE')
    const form = new FormData()
    form.append('file', new Blob(['Date,Spam rate\n2026-04-27,0.001\n']), 'a.csv')
    form.append('numbers', 'fraction')
    const { headers, ...rest } = await formOf(form)
    expect((await test.ask('POST', path, { headers, ...rest })).status).toBe(201)
    const stranger = await test.ask('GET', path, { key: OTHER_SECRET })
    expectEnvelope(stranger, 404, 'DOMAIN_NOT_FOUND')
  })

  it('go with their domain', async () => {
    expect((await test.ask('DELETE', `/domains/${id}`)).status).toBe(204)
    expectEnvelope(await test.ask('GET', `/domains/${id}/reports`), 404, 'DOMAIN_NOT_FOUND')
  })
})
