import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { DISABLED_SECRET, expectEnvelope, MAIL, OTHER_SECRET, PUBLIC, type TestApp, testApp } from '../support/app.ts'
import { fileForm, formOf } from '../support/contact-jobs.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { QUICK } from '../support/matrix.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

describe('an import of suppressed addresses', () => {
  let test: TestApp
  beforeAll(async () => {
    test = await testApp(store)
  })
  const upload = async (csv: string | Uint8Array, options: object = {}) =>
    test.ask('POST', '/suppressions/import', { ...(await fileForm(csv)), ...options })
  const listed = async () =>
    (await test.ask('GET', '/suppressions?limit=100')).body.data as { email: string; reason: string }[]
  const entry = async (email: string) => (await listed()).find((each) => each.email === email)

  it('suppresses no address of which the file says that it gets mail', async () => {
    const csv = 'email,status,subscribed\ni1@s.example,Active,\ni2@s.example,Unsubscribed,\ni3@s.example,,true\n'
    const { body } = await upload(`${csv}i4@s.example,,false\ni5@s.example,5.1.1,\ni6@s.example,gone quiet,\n`)
    const { result } = (await test.ask('GET', `/suppressions/import/${body.jobId}`)).body
    const { successCount, errors } = result ?? body
    const told = (errors as { row: number; error: string }[]).map(({ row, error }) => `${row} ${error}`)
    expect([successCount, told]).toEqual([
      4,
      [
        '2 "Active" says that mail may go there: it is no suppression',
        '4 "true" says that mail may go there: it is no suppression',
      ],
    ])
    for (const i of [2, 4, 5, 6]) await test.ask('DELETE', `/suppressions/i${i}@s.example`)
  })

  it.each([
    'confirmed\nj@s.example,yes',
    'opt_in,unsubscribed_at\nj@s.example,yes,2026-01-02',
  ])('suppresses who agreed once, and may have left: %s', async (rest) => {
    await upload(`email,${rest}\n`)
    expect((await entry('j@s.example'))?.reason).toBe('MANUAL')
    await test.ask('DELETE', '/suppressions/j@s.example')
  })

  it.each([
    ['email,type\nj@s.example,hard', 'BOUNCE'],
    ['recipient,type,source\nj@s.example,transactional,Spam Complaint', 'COMPLAINT'],
    ['recipient,type,source\nj@s.example,non_transactional,Bounce Rule', 'BOUNCE'],
    ['Email Address,CLEAN_TIME\nj@s.example,2026-01-02', 'BOUNCE'],
  ])('knows whose list it is: %s', async (csv, reason) => {
    await upload(csv)
    expect((await entry('j@s.example'))?.reason).toBe(reason)
    await test.ask('DELETE', '/suppressions/j@s.example')
  })

  it('takes no pattern, which would match nothing', async () => {
    for (const email of ['*@s.example', '%@s.example', 'a*@s.example']) {
      const { status, body } = await test.ask('POST', '/suppressions', { json: { email } })
      expect([status, body.error?.errors[0]]).toEqual([422, expect.objectContaining({ field: 'email' })])
    }
    const { body } = await upload('email\n*@s.example\n')
    const { result } = (await test.ask('GET', `/suppressions/import/${body.jobId}`)).body
    expect(result ?? body).toMatchObject({ failureCount: 1 })
  })

  it('puts addresses on the list with reason, detail and expiry, and tells every row that was refused', async () => {
    await test.ask('POST', '/suppressions', { json: { email: 'old@s.example', detail: 'before' } })
    const csv = [
      'Detail;EMAIL;other;Reason;expiresat',
      ';new@s.example;x;;',
      "'=550 5.1.1; Old@S.example ;x;bounce;2999-01-01",
      ';nobody;x;;',
      ';a@s.example, b@s.example;x;SPAM;',
      ';c@s.example;x;;tomorrow',
      ';;x;;',
      ';;;;',
      ';new@s.example;x;COMPLAINT;',
      ';past@s.example;x;;2020-01-01T00:00:00Z',
    ].join('\r\n')
    const { status, body } = await upload(`\ufeff${csv}`)
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        ...{ totalRows: 8, successCount: 4, createdCount: 2, failureCount: 4 },
        errors: [
          { row: 4, email: 'nobody', error: 'email: must be an e-mail address such as ada@example.com: it has no @' },
          { row: 5, email: 'a@s.example, b@s.example', error: expect.stringContaining('more than one address') },
          { row: 6, email: 'c@s.example', error: expect.stringContaining('expiresAt: must be an ISO 8601 date') },
          { row: 7, email: '', error: 'email: is required' },
        ],
      },
    })
    expect(await entry('new@s.example')).toMatchObject({ reason: 'COMPLAINT', detail: null, expiresAt: null })
    expect(await entry('old@s.example')).toMatchObject({
      ...{ reason: 'BOUNCE', detail: '=550 5.1.1', expiresAt: '2999-01-01T00:00:00.000Z' },
    })
    expect(await entry('past@s.example')).toBeUndefined()
    const again = await upload(csv)
    expect(again.body).toMatchObject({ successCount: 4, createdCount: 0 })
    expect(await listed()).toHaveLength(2)
  })

  it('takes other encodings, and many rows', async () => {
    const rows = Array.from({ length: 2500 }, (_, i) => `m${i}@many.example,,Grüße`)
    const { body } = await upload(Buffer.from(['email,reason,detail', ...rows].join('\n'), 'latin1'))
    expect(body).toMatchObject({
      totalRows: 2500,
      successCount: 2500,
      createdCount: 2500,
      failureCount: 0,
      errors: [],
    })
    expect(await entry('m2499@many.example')).toMatchObject({ reason: 'MANUAL', detail: 'Grüße' })
  })

  it.each([
    [
      'SendGrid, bounces',
      readFileSync(new URL('../samples/imports/39-sendgrid-bounces.csv', import.meta.url)),
      [
        ['s1@sup.example', 'BOUNCE', '550 5.1.1 user "x" unknown'],
        ['s2@sup.example', 'BOUNCE', 'full'],
      ],
    ],
    [
      'SendGrid, invalid addresses',
      'reason,email,created\nMail domain mentioned in email address is unknown,p1@sup.example,1\n',
      [['p1@sup.example', 'BOUNCE', 'Mail domain mentioned in email address is unknown']],
    ],
    [
      'SendGrid, spam reports',
      'ip,email,created\n192.0.2.1,p2@sup.example,1700000000\n',
      [['p2@sup.example', 'COMPLAINT', null]],
    ],
    ['SendGrid, unsubscribes', 'email,created\np3@sup.example,1700000000\n', [['p3@sup.example', 'MANUAL', null]]],
    [
      'Mailgun, bounces',
      'address,code,error,created_at\np4@sup.example,550,No such mailbox,"Fri, 21 Oct 2011 11:02:55 GMT"\n',
      [['p4@sup.example', 'BOUNCE', 'No such mailbox']],
    ],
    ['Mailgun, unsubscribes', 'address,tags,created_at\np5@sup.example,*,x\n', [['p5@sup.example', 'MANUAL', null]]],
    [
      'Amazon SES',
      'EmailAddress,Reason,LastUpdateTime\np6@sup.example,COMPLAINT,2026-01-01\np7@sup.example,BOUNCE,x\n',
      [
        ['p6@sup.example', 'COMPLAINT', null],
        ['p7@sup.example', 'BOUNCE', null],
      ],
    ],
    [
      'Postmark',
      'EmailAddress,SuppressionReason,Origin,CreatedAt\np8@sup.example,HardBounce,Recipient,x\np9@sup.example,SpamComplaint,Recipient,x\nq1@sup.example,ManualSuppression,Customer,x\n',
      [
        ['p8@sup.example', 'BOUNCE', 'HardBounce'],
        ['p9@sup.example', 'COMPLAINT', 'SpamComplaint'],
        ['q1@sup.example', 'MANUAL', 'ManualSuppression'],
      ],
    ],
    [
      'Brevo',
      'email;senderEmail;reason;blockedAt\nq2@sup.example;me@a.example;hardBounce;x\nq3@sup.example;;contactFlaggedAsSpam;x\nq4@sup.example;;unsubscribedViaMA;x\n',
      [
        ['q2@sup.example', 'BOUNCE', 'hardBounce'],
        ['q3@sup.example', 'COMPLAINT', 'contactFlaggedAsSpam'],
        ['q4@sup.example', 'MANUAL', 'unsubscribedViaMA'],
      ],
    ],
  ] as const)('takes a file of %s as it is', async (_whose, csv, want) => {
    const { body } = await upload(csv)
    expect(body).toMatchObject({ successCount: want.length, failureCount: 0 })
    for (const [email, reason, detail] of want) expect(await entry(email)).toMatchObject({ reason, detail })
  })

  it('takes no mail that arrived for a reason, and another reason for rows without one', async () => {
    const { body } = await upload('st_text;email\nDelivered;fine@sup.example\nHard bounce;hard@sup.example\n')
    expect(body).toMatchObject({ successCount: 1, errors: [{ row: 2, error: expect.stringContaining('"Delivered"') }] })
    const form = new FormData()
    form.append('file', new Blob(['address,created_at\ncomplained@sup.example,x\n']), 'complaints.csv')
    form.append('reason', 'complaint')
    await test.ask('POST', '/suppressions/import', await formOf(form))
    expect(await entry('complained@sup.example')).toMatchObject({ reason: 'COMPLAINT' })
    form.set('reason', 'SPAM')
    const refused = await test.ask('POST', '/suppressions/import', await formOf(form))
    expectEnvelope(refused, 422, 'VALIDATION_ERROR', { reason: expect.any(String) })
  })

  it('leaves more than 5,000 addresses to a job, which counts each once whatever interrupts it', async () => {
    const running = await testApp(store)
    const file = (count: number) =>
      ['email,reason', 'nobody', ...Array.from({ length: count }, (_, i) => `j${i}@job.example,BOUNCE`)].join('\n')
    const post = async (count: number) => running.ask('POST', '/suppressions/import', await fileForm(file(count)))
    expect(await post(5000)).toMatchObject({ status: 200, body: { createdCount: 5000 } })
    const accepted = await post(5001)
    expect(accepted).toMatchObject({ status: 202, body: { jobId: expect.any(String), message: expect.any(String) } })
    const look = async () => (await running.ask('GET', `/suppressions/import/${accepted.body.jobId}`)).body
    expect(await look()).toMatchObject({ type: 'suppressions', state: 'waiting', progress: 0, result: null })
    expectEnvelope(await running.ask('GET', `/contacts/import/${accepted.body.jobId}`), 404, 'JOB_NOT_FOUND')
    await running.engine.start()
    await until('the job has ended', async () => (await look()).state === 'completed')
    expect(await look()).toMatchObject({
      progress: 100,
      result: {
        totalRows: 5002,
        successCount: 5001,
        createdCount: 1,
        failureCount: 1,
        errors: [{ row: 2, email: 'nobody' }],
      },
    })
    expect((await running.ask('GET', '/suppressions?limit=1')).body.total).toBe(5001)
    const broken = await running.ask('POST', '/suppressions/import', await fileForm(`${file(6000)}\n"never closed`))
    const job = async () => (await running.ask('GET', `/suppressions/import/${broken.body.jobId}`)).body
    await until('the job has failed', async () => (await job()).state === 'failed')
    expect(await job()).toMatchObject({ failedReason: expect.stringContaining('nothing was imported. Row 6003') })
    expect((await running.ask('GET', '/suppressions?limit=1')).body.total).toBe(5001)
  })

  it('tells at most 100 refused rows', async () => {
    const { body } = await upload(['email', ...Array.from({ length: 150 }, (_, i) => `bad${i}`)].join('\n'))
    expect(body).toMatchObject({ totalRows: 150, failureCount: 150, successCount: 0 })
    expect(body.errors).toHaveLength(100)
  })

  it.each([
    ['an empty file', ''],
    ['no header', 'a@b.example\nc@d.example'],
    ['no CSV', Buffer.from([0xff, 0xd8, 0xff, 0, 1, 2])],
    ['a quote left open', 'email\nfine@broken.example\n"open'],
    ['a column twice', 'email,email\na@broken.example,b@broken.example'],
  ])('refuses %s and changes nothing', async (_, file) => {
    const before = (await test.ask('GET', '/suppressions?limit=1')).body.total
    expectEnvelope(await upload(file), 422, 'VALIDATION_ERROR', { file: expect.any(String) })
    expect((await test.ask('GET', '/suppressions?limit=1')).body.total).toBe(before)
  })

  it('refuses what is too large, no form, no file, a public key and a disabled project', async () => {
    expectEnvelope(await upload(`email\n${'x'.repeat(5 * 1024 * 1024)}`), 413, 'PAYLOAD_TOO_LARGE')
    expectEnvelope(await upload(`email\n${'x'.repeat(6 * 1024 * 1024)}`), 413, 'PAYLOAD_TOO_LARGE')
    const json = await test.ask('POST', '/suppressions/import', { json: {} })
    expectEnvelope(json, 415, 'UNSUPPORTED_MEDIA_TYPE')
    const unnamed = await test.ask('POST', '/suppressions/import', await fileForm('email', 'other'))
    expectEnvelope(unnamed, 422, 'VALIDATION_ERROR', {
      file: 'required',
    })
    expectEnvelope(await upload('email\na@b.example', { key: PUBLIC }), 403, 'FORBIDDEN')
    expectEnvelope(await upload('email\na@b.example', { key: DISABLED_SECRET }), 403, 'PROJECT_DISABLED')
  })

  it('concerns one project', async () => {
    await upload('email\nmine@s.example')
    expect((await test.ask('GET', '/suppressions', { key: OTHER_SECRET })).body.data).toEqual([])
  })
})

describe('a suppressed address', () => {
  let test: TestApp
  let sink: SmtpSink
  let time = Date.parse('2026-05-01T12:00:00Z')
  beforeAll(async () => {
    sink = await startSmtpSink()
    atEndOfFile(() => sink.close())
    test = await testApp(store, {}, { transports: [toSink(sink)], clock: { now: () => new Date(time) } })
    await test.engine.start()
  })
  const send = async (change: object) => {
    const { body } = await test.ask('POST', '/v1/send', { json: { ...MAIL, ...change } })
    const ids: string[] = body.data.emails.map(({ email }: { email: string }) => email)
    const open = new Set(['QUEUED', 'SENDING'])
    const record = async (id: string) => (await test.ask('GET', `/emails/${id}`)).body
    await until('the mails have their result', async () => {
      const statuses = await Promise.all(ids.map(async (id) => (await record(id)).status))
      return statuses.every((status) => !open.has(status))
    })
    return Promise.all(ids.map(record))
  }
  const got = () => sink.messages.flatMap(({ to }) => to)

  it('gets nothing, neither as recipient nor as a copy, until the entry expires', async () => {
    const expiresAt = new Date(time + 3600_000).toISOString()
    for (const [email, more] of [
      ['a@example.org', { expiresAt }],
      ['b@example.org', {}],
      ['c@example.org', { expiresAt }],
    ] as const) {
      await test.ask('POST', '/suppressions', { json: { email, ...more } })
    }
    const copies = { cc: ['B@Example.org', 'ok1@example.org'], bcc: ['c@example.org', 'ok2@example.org'] }
    const [skipped, sent] = await send({ to: ['a@example.org', 'ok@example.org'], ...copies })
    expect(skipped).toMatchObject({ status: 'SKIPPED' })
    expect(sent.status).not.toBe('SKIPPED')
    expect(got().sort()).toEqual(['ok1@example.org', 'ok2@example.org', 'ok@example.org'])
    expect(sink.messages.at(-1)!.raw.toString()).not.toMatch(/b@example\.org/i)

    time += 3600_000
    sink.clear()
    const [first] = await send({ to: ['a@example.org'], ...copies })
    expect(first.status).not.toBe('SKIPPED')
    expect(got().sort()).toEqual(['a@example.org', 'c@example.org', 'ok1@example.org', 'ok2@example.org'])
  })

  it('gets no marketing mail either', async () => {
    const json = { name: 'L', subject: 'S', body: '<p>B</p>', type: 'MARKETING', from: 'hello@example.com' }
    const template = (await test.ask('POST', '/templates', { json })).body.id
    await test.ask('POST', '/suppressions', { json: { email: 'm@example.org' } })
    const [mail] = await send({ to: 'm@example.org', template, subscribed: true })
    expect(mail.status).toBe('SKIPPED')
    expect(got()).not.toContain('m@example.org')
  })
})
