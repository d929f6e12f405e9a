import type { Words } from './words.ts'

/** Sending domains. */
export const domainWords: Words = {
  schemas: {
    Domain: 'A domain to send from, with the DNS records to publish.',
    DnsRecord: 'A record to publish in the DNS of the domain.',
    StartedDomainTest: 'The test that was begun.',
    DomainTest: 'What is known of a test, line by line.',
  },
  fields: {
    id: 'The id of the domain.',
    projectId: 'The project it belongs to. In a request it may be given, and must be your own.',
    domain: 'The domain after the `@` of senders. Its subdomains are not included.',
    verified: 'Whether the project may send from it.',
    status: 'PENDING, VERIFIED or FAILED.',
    linkHost: 'A separate host for the links in its mail, a name below the domain. In a request, null removes it.',
    records: 'The DNS records to publish, with what was seen of each.',
    lastCheckedAt: 'When its records were last looked at. null until then.',
    'DnsRecord.type': 'The type of the record.',
    'DnsRecord.name': 'The whole name of the record. Some DNS providers add the domain by themselves.',
    'DnsRecord.value': 'The value to publish.',
    'DnsRecord.purpose': 'What it is for.',
    'DnsRecord.required': 'Whether the domain is verified by it. The other records help mail to arrive.',
    'DnsRecord.status': 'Whether it was seen: PENDING, VERIFIED or FAILED.',
    'DnsRecord.advice': 'What to do; empty when there is nothing.',
    adviceCodes: 'What the sentences of `advice` say; empty where one of them has no code.',
    to: 'Where the test goes. Without it the mail is sent back to this server, which reads it.',
    testId: 'The id of the test.',
    state: '`waiting` until the mail has arrived, for five minutes at most, then `done`.',
    checks: 'What was looked at.',
    'checks.name': 'What was looked at: `sent`, `arrived`, `spf`, `dkim`, `dmarc`, `tls` and others.',
    'checks.ok': 'Whether it is right. null: unknown.',
    'checks.seen': 'What was found.',
    'checks.seenCodes': 'What `seen` says; empty where it is the words of another server.',
    'checks.advice': 'What to do; empty when there is nothing.',
  },
}

/** The suppression list. */
export const suppressionWords: Words = {
  schemas: {
    ImportedSuppressions: 'What became of the rows of the file.',
    SuppressionJob: 'An import of suppressed addresses.',
  },
  fields: {
    'SuppressionJob.id': 'The id of the job.',
    'importSuppressions.reason': 'The reason of rows that name none: `BOUNCE`, `COMPLAINT` or `MANUAL` (the default).',
    file: 'The CSV file, at most 5 MB, with a column of addresses. Files of other services are understood.',
    'listSuppressions.answer.data': 'The entries of this page, newest first.',
    'listSuppressions.limit': 'How many entries at most: 1 to 100, by default 20.',
    type: 'The kind of job.',
    state: '`waiting`, `active`, `completed`, or `failed` with a `failedReason`.',
    progress: 'How much is done, in percent.',
    result: 'What was done so far. null until it has begun.',
    failedReason: 'Why the job failed. null unless it did.',
    totalRows: 'How many rows there are, without the header.',
    successCount: 'How many rows were taken.',
    createdCount: 'How many made a new entry.',
    failureCount: 'How many rows were refused.',
    errors: 'The first 100 rows that were refused, with the reason.',
    'errors.row': 'The row in the file. The header is row 1.',
    'errors.email': 'The address in the row, as it was written.',
    'errors.error': 'Why it was refused.',
  },
}
