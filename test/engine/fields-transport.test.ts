import { expect, it } from 'vitest'
import { definePlugin, type OutgoingMail } from '../../config/library.ts'
import { engineWithSink } from '../support/engine.ts'
import { until } from '../support/until.ts'

const addresses = ({ to, cc, bcc }: OutgoingMail) =>
  [to, cc, bcc].map((mailboxes) => mailboxes.map(({ email }) => email))

it('hands a provider that takes fields only those recipients who have not had the mail', async () => {
  const tries: { readonly fields: string[][]; readonly envelope: readonly string[]; readonly raw: string }[] = []
  // the answers to the tries: who is put off
  const putOff = [
    ['cc@example.org', 'cd@example.org', 'bcc@example.org'],
    ['cd@example.org', 'bcc@example.org'],
    ['bcc@example.org'],
    [],
  ]
  const provider = definePlugin({
    name: 'provider',
    provides: ['transport'],
    open: () => ({
      transport: {
        concurrency: 1,
        async send(mail) {
          const raw = Buffer.from(await mail.raw()).toString()
          tries.push({ fields: addresses(mail), envelope: mail.envelope.to, raw })
          const refused = (putOff[tries.length - 1] ?? []).map((recipient) => {
            return { recipient, permanent: false, stage: 'rcpt', code: 451, reason: 'busy' } as const
          })
          return { outcome: 'accepted', refused }
        },
      },
    }),
  })
  const { engine, project } = await engineWithSink({
    transports: [provider()],
    delivery: { retryDelays: [0, 0, 0, 0], threads: 0 },
  })
  await engine.start()
  const { answer } = await engine.sending.send(project, {
    to: 'ada@example.org',
    cc: ['cc@example.org', 'cd@example.org', 'ada@example.org'],
    bcc: ['bcc@example.org'],
    from: 'hello@example.com',
    subject: 'Hi',
    body: '<p>Hi</p>',
  })
  const { email } = answer.emails[0]!
  await until('all have it', async () => (await engine.mails.get(project, email)).email.status === 'DELIVERED')
  expect(tries.map(({ fields }) => fields)).toEqual([
    [['ada@example.org'], ['cc@example.org', 'cd@example.org'], ['bcc@example.org']],
    [['cc@example.org', 'cd@example.org'], [], ['bcc@example.org']],
    [['cd@example.org'], [], ['bcc@example.org']],
    [[], [], ['bcc@example.org']],
  ])
  for (const { fields, envelope, raw } of tries) {
    expect(fields.flat()).toEqual(envelope)
    // the message itself names all recipients, also those who have it already
    expect(raw).toMatch(/^To: ada@example\.org\r\nCc: cc@example\.org, cd@example\.org, ada@example\.org\r\n/m)
  }
})
