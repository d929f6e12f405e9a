import type { SunkMail } from './smtp-sink.ts'

/** A mail system's report about one recipient. */
export interface ReportedRecipient {
  readonly address: string
  readonly action?: 'failed' | 'delayed' | 'delivered'
  readonly status: string
  readonly diagnostic: string
}

/** A delivery status notification (RFC 3464) about a mail that arrived, in Postfix's form. */
export function bounceOf(
  { raw, from }: Pick<SunkMail, 'raw' | 'from'>,
  recipients: readonly ReportedRecipient[],
  id = '<1.dsn@mx.example.net>',
): Buffer {
  const header = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
  const lines = [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.example.net (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    `To: ${from}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="=_b/mx"',
    `Message-Id: ${id}`,
    `Date: ${new Date().toUTCString()}`,
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--=_b/mx',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'This is the mail system at host mx.example.net.',
    '',
    ...recipients.map(({ address, diagnostic }) => `<${address}>: host mx.example.org said: ${diagnostic}`),
    '',
    '--=_b/mx',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example.net',
    ...recipients.flatMap(({ address, action = 'failed', status, diagnostic }) => [
      '',
      `Final-Recipient: rfc822; ${address}`,
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ]),
    '',
    '--=_b/mx',
    'Content-Type: text/rfc822-headers',
    '',
    header,
    '',
    '--=_b/mx--',
    '',
  ]
  return Buffer.from(lines.join('\r\n'), 'latin1')
}

/** A complaint (RFC 5965) about a mail that arrived. */
export function complaintAbout({ raw, from }: Pick<SunkMail, 'raw' | 'from'>, recipient: string): Buffer {
  const header = raw.toString('latin1').split('\r\n\r\n', 1)[0] ?? ''
  const lines = [
    'From: feedback@fbl.example.net',
    'Subject: complaint about message from 192.0.2.1',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="arf"',
    'Message-Id: <1.arf@fbl.example.net>',
    '',
    '--arf',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '--arf',
    'Content-Type: message/feedback-report',
    '',
    'Feedback-Type: abuse',
    'User-Agent: Example/1.0',
    'Version: 1',
    `Original-Mail-From: <${from}>`,
    `Original-Rcpt-To: <${recipient}>`,
    '--arf',
    'Content-Type: message/rfc822',
    '',
    header,
    '',
    'words',
    '--arf--',
    '',
  ]
  return Buffer.from(lines.join('\r\n'), 'latin1')
}
