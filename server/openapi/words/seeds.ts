import type { Words } from './words.ts'

/** The seed list, and where mail lands. */
export const seedWords: Words = {
  schemas: {
    SeedResult: 'Where the mail to one mailbox landed.',
  },
  fields: {
    'addSeedMailbox.address': 'The address at the receiver.',
    'addSeedMailbox.host': 'Its IMAP server: a host name or an IP address.',
    'addSeedMailbox.port': 'Its port. By default 993, or 143 without `tls`.',
    'addSeedMailbox.security':
      'How the connection is encrypted: `tls` (the default), `starttls`, or `none` if need be.',
    'addSeedMailbox.user': 'The user name there. By default the address.',
    'addSeedMailbox.password':
      'The password, or the one for apps that the receiver makes. It is stored encrypted, and no answer has it.',
    'startSeedTest.variant': 'The variant to send. By default the campaign as it is.',
    'startSeedTest.minutes': 'For how many minutes the mail is waited for: 1 to 120, by default 15.',
    'SeedResult.mailboxId': 'The mailbox.',
    'SeedResult.address': 'Its address.',
    'SeedResult.emailId': 'The id of the e-mail record.',
    'SeedResult.messageId': 'The Message-ID that is looked for.',
    'SeedResult.outcome':
      '`waiting`: it is still looked for; `inbox`; `tab`: a tab of the inbox, such as that for promotions; `spam`; `other`: another folder; `missing`: it was not there in time; `unreadable`: the mailbox could not be read; `unsent`: the mail did not leave this server, or bounced.',
    'SeedResult.folder': 'The folder it was found in, as the server names it. null until then.',
    'SeedResult.tab':
      'The tab of the inbox, where the receiver has such: `primary`, `promotions`, `social`, `updates` or `forums`. Otherwise null.',
    'SeedResult.arrivedAt': 'When the server took the mail, by its own clock (ISO 8601). null until it was found.',
    'SeedResult.lookedAt': 'When the mailbox was looked into last (ISO 8601). null until then.',
    'SeedResult.problem': 'Why the mailbox could not be read, or why the mail was not sent. Otherwise null.',
  },
}
