const fates: Readonly<Record<string, string>> = {
  none: 'With p=quarantine such mail goes to spam, with p=reject it is refused.',
  quarantine: 'Such mail goes to spam; with p=reject it is refused.',
  reject: 'Such mail is refused.',
}

export const reports = {
  title: 'What receivers report',
  hint: (days: number) => `Who sent mail in the name of this domain in the last ${days} days, and what passed DMARC.`,
  add: 'Add a report',
  added: (reporter: string) => `The report of ${reporter} has been added.`,
  policy: (policy: string) => `Receivers find the policy p=${policy}.`,
  allPassed: 'Every message passed DMARC.',
  lost: (policy: string, failed: number, shown: string, own: number, ownShown: string) =>
    failed === 1
      ? `${shown} message failed DMARC, and it was ${own === 0 ? 'not ' : ''}from one of your own senders. ${fates[policy] ?? ''}`
      : `${shown} messages failed DMARC, ${own === 0 ? 'none' : ownShown} of them from your own senders. ${fates[policy] ?? ''}`,
  byDay: 'Messages by day',
  senders: 'Senders',
  sender: 'Sender',
  messages: 'Messages',
  passed: 'Passed',
  failed: 'Failed',
  rejected: 'Spam or refused',
  kinds: {
    own: 'This server',
    service: 'A service that sends for you',
    other: 'Another program of yours',
    forwarder: 'Passed on by a mailbox or list',
    unknown: 'A stranger, or a program of yours that is not set up',
  } as Readonly<Record<string, string>>,
  addresses: (count: number, examples: string) => (count <= 1 ? examples : `${count} addresses, such as ${examples}`),
  rest: 'Further addresses',
  failures: (count: number, shown: string, day: string) =>
    `${shown} failure ${count === 1 ? 'report' : 'reports'} on single messages came, the last on ${day}. Only their number is kept, as they quote the mail of others.`,
  tls: 'Encryption of mail to this domain',
  tlsFigures: (sessions: string, failed: string) => `${sessions} connections, of which ${failed} failed.`,
  tlsReasons: {
    'starttls-not-supported': 'the server offered no encryption',
    'certificate-host-mismatch': 'the certificate is of another host',
    'certificate-expired': 'the certificate has expired',
    'certificate-not-trusted': 'the certificate is not trusted',
    'validation-failure': 'another failure',
    'tlsa-invalid': 'the TLSA record is wrong',
    'dnssec-invalid': 'the DNS answer is not signed as it should be',
    'dane-required': 'DANE is required, and no TLSA record was found',
    'sts-policy-fetch-error': 'the MTA-STS policy could not be fetched',
    'sts-policy-invalid': 'the MTA-STS policy is wrong',
    'sts-webpki-invalid': 'the certificate of the MTA-STS host is wrong',
  } as Readonly<Record<string, string>>,
}
