import { createHash, randomBytes } from 'node:crypto'
import { simpleParser } from 'mailparser'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EmailDetail, Engine, Project } from '../../config/library.ts'
import { createEngine, silentLog } from '../../config/library.ts'
import type { SubmissionListener } from '../../plugins/submission-smtp/submission-listener.ts'
import { DISABLED_SECRET, OTHER_SECRET, PUBLIC, SECRET } from '../support/app.ts'
import { dkimKey, verdicts } from '../support/dkim.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { toSink } from '../support/engine.ts'
import { STRICT } from '../support/matrix.ts'
import { plainClient } from '../support/plain-client.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { listenerPlugin } from '../support/submission.ts'
import { until } from '../support/until.ts'

const PERSON = { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/132.0', address: '192.0.2.1', isPrefetch: false }
const MAIL = { from: 'Shop <shop@example.com>', to: 'ada@example.org', subject: 'Your order', text: 'Thank you' }
const key = dkimKey('example.com', 'test')

describe.each([STRICT])('mail that programs submit, on $name', ({ store, name }) => {
  // what a mail says, and who may submit it, no store decides
  const isStricter = name === 'PostgreSQL'
  let engine: Engine
  let sink: SmtpSink
  let listener: SubmissionListener
  let project: Project
  let others: readonly Project[]
  const lines: unknown[] = []
  const projectOf = (name: string) => others.find((each) => each.name === name)!

  const log = { ...silentLog, info: (...line: unknown[]) => void lines.push(line), with: () => silentLog }

  beforeAll(async () => {
    sink = await startSmtpSink()
    engine = await createEngine({
      store: store(),
      transports: [toSink(sink)],
      submission: [
        listenerPlugin((opened) => {
          listener = opened
        }),
      ],
      ...{ publicUrl: 'https://mail.example.net', secret: 'a secret of some length', log, dkim: [key] },
      feedback: { returnPathHost: 'bounces.example.com' },
      projects: [
        { name: 'Test', secretKey: SECRET, publicKey: PUBLIC, trustedDomains: ['example.com'] },
        { name: 'Other', secretKey: OTHER_SECRET, trustedDomains: ['other.example'], tracking: 'DISABLED' },
        { name: 'Disabled', secretKey: DISABLED_SECRET, trustedDomains: ['example.com'], disabled: true },
        { name: 'Bare', secretKey: `sk_${'e'.repeat(40)}` },
      ],
    })
    await engine.start()
    others = await engine.projects.list()
    project = projectOf('Test')
  })
  atEndOfFile(async () => {
    await engine.stop()
    await sink.close()
  })

  const send = (mail: SendMailOptions, pass = SECRET, user: string = project.id) =>
    createTransport({ host: '127.0.0.1', port: listener.port!, ignoreTLS: true, auth: { user, pass } }).sendMail(mail)
  const refused = (mail: SendMailOptions, ...login: [string?, string?]) => send(mail, ...login).catch((error) => error)
  const idsOf = ({ response }: { readonly response: string }) =>
    response.replace(/^250 2\.0\.0 queued as /, '').split(' ')
  const arrived = async (ids: readonly string[]): Promise<EmailDetail[]> => {
    const details: EmailDetail[] = []
    for (const id of ids) {
      await until(
        'it has arrived',
        async () => (await engine.mails.get(project, id)).email.status === 'DELIVERED',
        20_000,
      )
      details.push(await engine.mails.get(project, id))
    }
    return details
  }
  const mailTo = (address: string) => sink.messages.findLast(({ to }) => to.includes(address))!

  if (isStricter)
    it('is told at start with which user name each project logs in', () => {
      expect(lines).toEqual(
        expect.arrayContaining(others.map(({ id, name }) => ['programs of a project log in', { user: id, name }])),
      )
    })

  it('goes to everybody the envelope names, each with a record, a contact, a return path and a signature of its own', async () => {
    const mail = {
      ...{ ...MAIL, to: 'Ada <ada@example.org>', cc: 'Bob <bob@example.org>', bcc: 'blind@example.org' },
      ...{ replyTo: 'Help <help@example.com>', inReplyTo: '<their@question>', messageId: '<order.17@example.com>' },
      ...{
        headers: { 'X-Order': '17', 'List-Unsubscribe': '<mailto:out@example.com>' },
        text: 'Dear {{ name }}, ünïcode',
      },
      html: '<p>Dear {{ name }} <a href="https://example.com/?a=1&amp;b=2">here</a></p><img src="cid:logo">',
      attachments: [
        { filename: 'Löffel.txt', content: 'spoon' },
        { filename: 'logo.png', content: randomBytes(2_000), cid: 'logo' },
      ],
    }
    const details = await arrived(idsOf(await send(mail)))
    expect(details.map(({ email }) => email.to)).toEqual(['ada@example.org', 'bob@example.org', 'blind@example.org'])
    for (const { email, messageId, subject, html, text } of details) {
      expect(email).toMatchObject({ sourceType: 'TRANSACTIONAL', contactId: expect.any(String) })
      expect({ messageId, subject, html, text }).toMatchObject({
        ...{ messageId: mail.messageId, subject: mail.subject, html: mail.html, text: mail.text },
      })
      const { from, to, raw } = mailTo(email.to)
      expect(to).toEqual([email.to])
      expect(from).toMatch(/^b\+[0-9a-f]{52}@bounces\.example\.com$/)
      expect(await verdicts(raw, [key])).toEqual(['pass'])
      const read = await simpleParser(raw)
      expect(read).toMatchObject({ subject: mail.subject, messageId: mail.messageId, inReplyTo: mail.inReplyTo })
      expect(read.headerLines.map(({ line }) => line)).toEqual(
        expect.arrayContaining([
          ...['From: Shop <shop@example.com>', 'To: Ada <ada@example.org>', 'Cc: Bob <bob@example.org>', 'X-Order: 17'],
          ...['Reply-To: Help <help@example.com>', 'List-Unsubscribe: <mailto:out@example.com>'],
        ]),
      )
      expect(raw.toString()).not.toContain('blind@')
      // what the author wrote is no template
      expect(read.text?.trim()).toBe('Dear {{ name }}, ünïcode')
      expect(read.attachments.map(({ filename, content }) => [filename, content.length]).sort()).toEqual([
        ['Löffel.txt', 5],
        ['logo.png', 2_000],
      ])
    }
    const { items } = await engine.contacts.list(project, { search: 'example.org' })
    expect(items.map(({ email, subscribed }) => [email, subscribed]).sort()).toEqual([
      ['ada@example.org', false],
      ['blind@example.org', false],
      ['bob@example.org', false],
    ])
  })

  if (isStricter)
    it('is tracked as the project says, and its links lead where its author said', async () => {
      const html =
        '<p>{{ raw }} <a href="https://example.com/?a=1&amp;b=2">one</a> <a href=\'mailto:x@y.example\'>two</a></p><img src="https://example.com/x.png" alt="">'
      const [detail] = await arrived(idsOf(await send({ ...MAIL, to: 'clara@example.org', html })))
      const read = await simpleParser(mailTo('clara@example.org').raw)
      const [, token] = /t\/c\/([^/"]+)\/0"/.exec(String(read.html)) ?? []
      expect(read.html).toBe(
        html
          .replace('https://example.com/?a=1&amp;b=2', `https://mail.example.net/t/c/${token}/0`)
          .concat(/<img [^>]*\/t\/o\/[^>]*>/.exec(String(read.html))?.[0] ?? 'no pixel'),
      )
      expect(await engine.tracking.clicked(token!, '0', PERSON)).toBe('https://example.com/?a=1&b=2')
      await until('it was clicked', async () => (await engine.mails.get(project, detail!.email.id)).email.clicks === 1)

      const other = projectOf('Other')
      await send({ ...MAIL, from: 'me@other.example', to: 'dora@example.org', html }, OTHER_SECRET, other.id)
      await until('it has arrived', () => sink.messages.some(({ to }) => to.includes('dora@example.org')))
      // not a byte is another
      expect((await simpleParser(mailTo('dora@example.org').raw)).html).toBe(html)
      expect(mailTo('dora@example.org').raw.toString()).not.toContain('mail.example.net')
    })

  it('is sent once however often it is submitted, and never in place of another', async () => {
    const mail = {
      ...MAIL,
      to: ['eve@example.org', 'fay@example.org'],
      messageId: '<once@example.com>',
      html: '<p>x</p>',
    }
    const [first, again] = await Promise.all([send(mail), send(mail)])
    // written anew: other boundaries, another date, the recipients in another order
    const later = await send({
      ...mail,
      date: new Date(0),
      envelope: { from: 'x@example.com', to: mail.to.toReversed() },
    })
    const ids = idsOf(first)
    expect(idsOf(again)).toEqual(ids)
    expect(idsOf(later)).toEqual(ids)
    await arrived(ids)
    expect(sink.messages.filter(({ to }) => to.includes('eve@example.org'))).toHaveLength(1)
    // a program whose Message-IDs are no ids must not lose mail
    expect(await refused({ ...mail, text: 'something else' })).toMatchObject({
      ...{ responseCode: 554, message: expect.stringContaining('this Message-ID was used') },
    })
    expect(idsOf(await send({ ...mail, to: 'gil@example.org' }))).not.toEqual(ids)
  })

  if (isStricter)
    it('is refused by whom it is from, with a sentence, and nothing of it is stored', async () => {
      const before = (await engine.mails.list(project)).total
      expect(await refused({ ...MAIL, from: 'me@elsewhere.example' })).toMatchObject({
        responseCode: 550,
        message: expect.stringMatching(
          /5\.7\.1 The domain elsewhere\.example is not verified for this project\. Add elsewhere/,
        ),
      })
      // the envelope may name any sender: who wrote it is what the recipient sees
      const envelope = { from: 'www-data@localhost.localdomain', to: 'hal@example.org' }
      expect(await refused({ ...MAIL, from: 'me@elsewhere.example', envelope })).toMatchObject({ responseCode: 550 })
      expect((await engine.mails.list(project)).total).toBe(before)
      await arrived(idsOf(await send({ ...MAIL, envelope, messageId: '<2@example.com>' })))
      const bare = projectOf('Bare')
      const { port } = listener
      const { say } = await plainClient(port!, '')
      expect(await say(`AUTH PLAIN ${Buffer.from(`\0${bare.id}\0sk_${'e'.repeat(40)}`).toString('base64')}`)).toMatch(
        /^235/,
      )
      // as early as it can be known
      expect(await say('MAIL FROM:<me@example.com>')).toMatch(/^550 5\.7\.1 .*example\.com is not verified/)
    })

  if (isStricter)
    it.each([
      ['a key that is none', () => ['sk_wrong', project.id]],
      ['the key of another project', () => [OTHER_SECRET, project.id]],
      ['a public key', () => [PUBLIC, project.id]],
      ['another project', () => [SECRET, projectOf('Other').id]],
      ['no project', () => [SECRET, 'nobody']],
    ] as const)('is not taken with %s, in the same words', async (_, login) => {
      const [pass, user] = login()
      const refusal = await refused(MAIL, pass, user)
      expect(refusal).toMatchObject({
        responseCode: 535,
        message: expect.stringMatching(/5\.7\.8 the user name is the id/),
      })
    })

  if (isStricter)
    it('is not taken with a key that lacks the scope, which is named', async () => {
      const wish = { name: 'reads', kind: 'secret', scopes: ['read'] } as const
      const reader = await engine.projects.keys.create(project, wish)
      expect(await refused(MAIL, reader.key, project.id)).toMatchObject({
        responseCode: 535,
        message: expect.stringMatching(/5\.7\.8 .*"send"/),
      })
      const sender = await engine.projects.keys.create(project, { ...wish, scopes: ['send'] })
      await send({ ...MAIL, to: 'scoped@example.org' }, sender.key, project.id)
    })

  if (isStricter)
    it('is not taken of a disabled project, nor of one whose key was taken away meanwhile', async () => {
      expect(await refused(MAIL, DISABLED_SECRET, projectOf('Disabled').id)).toMatchObject({
        ...{ responseCode: 550, message: expect.stringMatching(/5\.7\.1 The project "Disabled" is disabled/) },
      })
    })

  if (isStricter)
    it('arrives whole when it is large, made in threads, while others submit', async () => {
      const content = randomBytes(4 * 1024 * 1024)
      const large = send({ ...MAIL, to: 'ida@example.org', attachments: [{ filename: 'a.bin', content }] })
      const other = projectOf('Other')
      await send({ ...MAIL, from: 'me@other.example', to: 'joe@example.org' }, OTHER_SECRET, other.id)
      await arrived(idsOf(await large))
      const { attachments } = await simpleParser(mailTo('ida@example.org').raw)
      const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
      expect(attachments.map((each) => digest(each.content))).toEqual([digest(content)])
    })

  if (isStricter)
    it('is forgotten with its contact, but for where its links lead', async () => {
      const html = '<p>secret <a href="https://example.com/{{x}}">go</a></p>'
      const [detail] = await arrived(idsOf(await send({ ...MAIL, to: 'kim@example.org', html })))
      const [, token] =
        /t\/c\/([^/"]+)\/0"/.exec(String((await simpleParser(mailTo('kim@example.org').raw)).html)) ?? []
      await engine.contacts.remove(project, detail!.email.contactId!)
      const left = await engine.mails.get(project, detail!.email.id)
      expect(JSON.stringify(left)).not.toMatch(/secret|kim@|Thank you/)
      expect(await engine.tracking.clicked(token!, '0', PERSON)).toBe('https://example.com/{{x}}')
    })
})
