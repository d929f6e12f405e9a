import { readFile } from 'node:fs/promises'
import * as v from 'valibot'
import { afterEach, describe, expect, it } from 'vitest'
import { relaySpf } from '../../config/relay-spf.ts'
import { silentLog } from '../../core/ports/log.ts'
import type { MailTransport } from '../../core/ports/mail-transport.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { GivenSmtpOptions, type SmtpInput } from '../../plugins/mail-smtp/options.ts'
import { PRESETS, type Preset, type PresetName, presetOf } from '../../plugins/mail-smtp/presets.ts'
import { outgoingMail } from '../contracts/outgoing-mail.ts'
import { type SmtpSink, sinkCertificate, startSmtpSink } from '../support/smtp-sink.ts'

const NAMES = [...Object.keys(PRESETS), 'ses-eu-central-1'] as PresetName[]
const auth = { user: 'ada', pass: 's3cret' }
const read = (options: SmtpInput) => v.parse(GivenSmtpOptions, options)
const problems = (options: object) => smtp(options as SmtpInput).problems()

describe('a preset of the smtp transport', () => {
  it.each(NAMES)('%s says where the relay is, and sends nothing unencrypted', (preset) => {
    const { host, port, secure } = presetOf(preset)!
    expect(smtp({ preset, auth }).problems()).toEqual([])
    expect(smtp({ preset, auth }).description).toBe(`${host}:${port}`)
    expect(read({ preset, auth })).toMatchObject({ host, port, secure, requireTls: true })
    expect(secure).toBe(port === 465)
  })

  it('has the region of Amazon SES in its name', () => {
    expect(smtp({ preset: 'ses-us-east-1', auth }).description).toBe('email-smtp.us-east-1.amazonaws.com:587')
  })

  it.each([
    ['brevvo', 'is not a known preset (did you mean brevo?)'],
    ['SendGrid', 'is not a known preset (did you mean sendgrid?)'],
    ['mailgun-us', 'is not a known preset (did you mean mailgun-eu?)'],
    ['acme', 'is not a known preset; docs/smtp-presets.md lists them'],
    ['__proto__', 'is not a known preset; docs/smtp-presets.md lists them'],
    ['x'.repeat(100_000), 'is not a known preset; docs/smtp-presets.md lists them'],
    ['ses', 'needs the region of Amazon SES, such as ses-eu-central-1'],
    ['ses-frankfurt', 'needs the region of Amazon SES, such as ses-eu-central-1'],
  ])('%.20s is refused: %s', (preset, message) => {
    expect(problems({ preset, auth })).toEqual([{ field: 'preset', code: 'custom', message }])
  })

  it('must have the login that its relay needs', () => {
    expect(problems({ preset: 'brevo' })).toMatchObject([
      { field: 'auth', message: 'is required by Brevo: { user, pass }' },
    ])
    expect(problems({ preset: 'resend' })).toMatchObject([
      { field: 'auth', message: 'is required by Resend: { pass }' },
    ])
    expect(problems({ preset: 'brevo', auth: { pass: 'x' } })).toMatchObject([{ field: 'auth.user' }])
    expect(problems({ preset: 'resend', auth: {} })).toMatchObject([{ field: 'auth.pass' }])
    expect(problems({ preset: 'google-workspace' })).toEqual([])
    expect(problems({ preset: 5, auth })).toMatchObject([{ field: 'preset' }, { field: 'host' }])
  })

  it('knows the user that all customers of a relay have, and one that is the password again', () => {
    expect(read({ preset: 'resend', auth: { pass: 're_1' } }).auth).toEqual({ user: 'resend', pass: 're_1' })
    expect(read({ preset: 'postmark', auth: { pass: 'tok' } }).auth).toEqual({ user: 'tok', pass: 'tok' })
    expect(read({ preset: 'postmark', auth }).auth).toEqual(auth)
  })

  it('gives way to options of its own name, and keeps a port and TLS that fit each other', () => {
    expect(read({ preset: 'microsoft365', auth })).toMatchObject({ maxConnections: 3 })
    expect(read({ preset: 'microsoft365', auth, maxConnections: 1 })).toMatchObject({ maxConnections: 1 })
    expect(read({ preset: 'brevo', auth, requireTls: false })).toMatchObject({ requireTls: false })
    expect(read({ preset: 'brevo', auth, port: 465 })).toMatchObject({ port: 465, secure: true })
    expect(read({ preset: 'resend', auth, port: 2587 })).toMatchObject({ port: 2587, secure: false })
    expect(smtp({ preset: 'brevo', auth, secure: true }).description).toBe('smtp-relay.brevo.com:465')
    expect(smtp({ preset: 'resend', auth, secure: false }).description).toBe('smtp.resend.com:587')
    expect(smtp({ preset: 'smtp2go', auth, port: 443, secure: true }).description).toBe('mail.smtp2go.com:443')
    const headers = { 'x-pm-keepid': 'false', 'X-PM-Message-Stream': 'news' }
    expect(read({ preset: 'postmark', auth, headers }).headers).toEqual({
      'X-PM-Metadata-mailwright': '{id}',
      ...headers,
    })
    expect(problems({ preset: 'postmark', auth, headers: 'no' })).toMatchObject([{ field: 'headers' }])
  })
})

describe('a mail sent by a preset', () => {
  let sink: SmtpSink | undefined
  let transport: MailTransport | undefined
  afterEach(async () => {
    await transport?.close?.()
    await sink?.close()
  })

  it('goes out over TLS with the login, and with the fields by which reports name it', async () => {
    sink = await startSmtpSink({ checked: false, tls: 'starttls', auth: { user: 'apikey', pass: 'SG.1' } })
    const plugin = smtp({
      preset: 'sendgrid',
      auth: { pass: 'SG.1' },
      host: '127.0.0.1',
      port: sink.port,
      tls: { ca: sinkCertificate },
    })
    transport = (await plugin.open({ log: silentLog, clock: { now: () => new Date() } })).transport
    const mail = outgoingMail()
    expect(await transport.send(mail, new AbortController().signal)).toMatchObject({ outcome: 'accepted' })
    expect(sink.messages[0]?.raw.toString()).toContain(`X-SMTPAPI: {"unique_args":{"mailwright":"${mail.id}"}}\r\n`)
  })
})

it('the table of the documentation is made from the presets', async () => {
  const text = await readFile(new URL('../../docs/smtp-presets.md', import.meta.url), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  expect(rows).toEqual(['ses-eu-central-1', ...Object.keys(PRESETS)].map((name) => row(name, presetOf(name)!)))
})

function row(name: string, preset: Preset): string {
  const { provider, host, port, secure, user, needsLogin, maxConnections, maxMessagesPerConnection, hook } = preset
  const login = user === 'password' ? 'the same as `pass`' : user === undefined ? 'yours' : `\`${user}\``
  const limits = [
    ...(maxConnections === undefined ? [] : [`${maxConnections} connections`]),
    ...(maxMessagesPerConnection === undefined ? [] : [`${maxMessagesPerConnection} mails per connection`]),
  ]
  const region = (text: string) => text.replace('eu-central-1', '<region>')
  const cells = [
    `\`${region(name)}\``,
    provider,
    `\`${region(host)}:${port}\`, ${secure ? 'TLS' : 'STARTTLS'}`,
    needsLogin === false ? 'yours, or none' : login,
    limits.join(', '),
    hook === undefined ? '' : `\`${hook}\``,
    relaySpf(host)?.replace('include:', '') ?? '',
  ]
  return `| ${cells.join(' | ')} |`.replaceAll('|  |', '| |').replaceAll('|  |', '| |')
}
