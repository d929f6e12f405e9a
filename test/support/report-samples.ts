import { readFileSync } from 'node:fs'

/** The folder of the reports in the shapes of receivers. */
export const SAMPLES = new URL('../samples/reports/', import.meta.url)

/** A report as another reader has read it. */
export interface OtherReading {
  readonly org: string
  readonly id: string
  readonly begin: string
  readonly end: string
  readonly domain: string
  readonly p: string
  readonly rows: readonly {
    readonly ip: string
    readonly count: number
    readonly disposition: string
    readonly dkim: string
    readonly spf: string
    readonly reasons: readonly string[]
    readonly header_from: string
    readonly auth_dkim: readonly (readonly string[])[]
    readonly auth_spf: readonly (readonly string[])[]
  }[]
}

/** The values of all samples, by file. */
export function readReports(): Readonly<Record<string, OtherReading>> {
  return JSON.parse(readFileSync(new URL('expected.json', SAMPLES), 'utf8'))
}

const NAME = 'big.example!acme.example!1776643200!1776729599.xml.gz'

/** Mails that bring a report on acme.example in the ways of receivers, gateways and people: packed `file`, or `text` as it is. */
export function reportMails(file: Buffer, text: string): Readonly<Record<string, string>> {
  const packed = (fields: string, subject = 'Report Domain: acme.example Submitter: big.example') =>
    mail(subject, [fields, 'Content-Transfer-Encoding: base64', '', lines(file)])
  const gzip = 'Content-Type: application/gzip'
  const first = packed(`${gzip}; name="${NAME}"`)
  return {
    'as it should be': first,
    'of a type that is none': packed(`Content-Type: application/octet-stream; name="${NAME}"`),
    'called otherwise': packed('Content-Type: application/x-gzip; name="report.xml.gz"'),
    nameless: packed(gzip),
    encoded: packed(`${gzip}\r\nContent-Disposition: attachment; filename*=utf-8''${NAME.replaceAll('!', '%21')}`),
    'in pieces': packed(
      `${gzip}\r\nContent-Disposition: attachment;\r\n filename*0="${NAME.slice(0, 20)}";\r\n filename*1="${NAME.slice(20)}"`,
    ),
    'in words': packed(`${gzip}; name="=?utf-8?B?${Buffer.from(NAME).toString('base64')}?="`),
    'with a mark': packed(gzip, '[EXTERNAL] Report Domain: acme.example Submitter: big.example'),
    'not packed': mail('Report Domain: acme.example', [
      'Content-Type: text/xml; charset=utf-8',
      'Content-Disposition: inline',
      '',
      crlf(text),
    ]),
    'in the text': mail('Report Domain: acme.example', ['Content-Type: text/plain', '', crlf(text)]),
    'the whole mail': [
      ...['From: dmarc@big.example', 'To: x@y.example', 'Subject: Report Domain: acme.example', 'MIME-Version: 1.0'],
      ...[`${gzip}; name="${NAME}"`, 'Content-Transfer-Encoding: base64', '', lines(file), ''],
    ].join('\r\n'),
    'passed on': mail('Fwd: your report', ['Content-Type: message/rfc822', '', first.replaceAll('outer', 'inner')]),
    'passed on as a file': mail('Fwd: your report', [
      'Content-Type: message/rfc822; name="report.eml"',
      'Content-Disposition: attachment; filename="report.eml"',
      '',
      first.replaceAll('outer', 'inner'),
    ]),
  }
}

function mail(subject: string, part: readonly string[]): string {
  return [
    ...['From: dmarc@big.example', 'To: x@y.example', `Subject: ${subject}`, 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary="outer"', '', '--outer', 'Content-Type: text/plain', '', 'Hello.'],
    ...['--outer', ...part, '--outer--', ''],
  ].join('\r\n')
}

function crlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n')
}

function lines(bytes: Buffer): string {
  return bytes.toString('base64').replace(/.{76}/g, '$&\r\n')
}
