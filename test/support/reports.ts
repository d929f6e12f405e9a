/** A record of a DMARC report: three messages that DKIM speaks for. */
export function reportRecord({
  ip = '192.0.2.1',
  messages = '3',
  from = 'acme.example',
  selector = 's1',
} = {}): string {
  return `<record>
    <row>
      <source_ip>${ip}</source_ip>
      <count>${messages}</count>
      <policy_evaluated><disposition>none</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated>
    </row>
    <identifiers><header_from>${from}</header_from></identifiers>
    <auth_results>
      <dkim><domain>acme.example</domain><selector>${selector}</selector><result>pass</result></dkim>
      <spf><domain>mail.example</domain><result>fail</result></spf>
    </auth_results>
  </record>`
}

/** A DMARC report on acme.example for 20 April 2026, as RFC 7489 writes it, with these records. */
export function dmarcXml(...records: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <report_metadata>
    <org_name>big.example</org_name>
    <email>dmarc@big.example</email>
    <report_id>1</report_id>
    <date_range><begin>1776643200</begin><end>1776729599</end></date_range>
  </report_metadata>
  <policy_published>
    <domain>acme.example</domain>
    <p>none</p>
    <pct>100</pct>
  </policy_published>
  ${(records.length > 0 ? records : [reportRecord()]).join('\n')}
</feedback>
`
}

/** A TLS report on acme.example for that day: 100 connections, of which ten failed. */
export function tlsJson(): string {
  const failure = {
    'result-type': 'certificate-expired',
    'receiving-mx-hostname': 'MX.acme.example',
    'failed-session-count': 7,
    'failure-reason-code': 'X509',
  }
  return JSON.stringify({
    'organization-name': 'Big Mail',
    'report-id': 'r1',
    'date-range': { 'start-datetime': '2026-04-20T00:00:00Z', 'end-datetime': '2026-04-20T23:59:59Z' },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': 'acme.example' },
        summary: { 'total-successful-session-count': 90, 'total-failure-session-count': 10 },
        'failure-details': [failure],
      },
    ],
  })
}

/** A failure report (RFC 6591) on a mail, as OpenDMARC and Mail.ru write them; `lines` are the header of that mail. */
export function failureReport(
  to: string,
  { domain = 'acme.example', lines = ['Subject: Hello'] as readonly string[] } = {},
) {
  return [
    ...['From: dmarc@big.example', `To: ${to}`, 'Subject: FW: Hello', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/report; report-type=feedback-report; boundary="x"', ''],
    ...['--x', 'Content-Type: text/plain', '', 'This is an authentication failure report.'],
    ...['--x', 'Content-Type: message/feedback-report', '', 'Feedback-Type: auth-failure', 'Version: 1'],
    ...['User-Agent: OpenDMARC-Filter/1.4', 'Auth-Failure: dmarc', 'Original-Rcpt-To: ada@big.example'],
    ...[`Reported-Domain: ${domain}`, 'Source-IP: 203.0.113.9', ''],
    ...['--x', 'Content-Type: message/rfc822', '', ...lines, '', 'A secret between two people.', '--x--', ''],
  ].join('\r\n')
}
