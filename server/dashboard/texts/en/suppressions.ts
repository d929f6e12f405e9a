export const suppressions = {
  title: 'Blocked addresses',
  hint: 'These addresses get no mail of any kind: mail to them bounced permanently, a recipient reported it as spam, or they were added by hand.',
  add: 'Add an address',
  added: (email: string) => `${email} will get no more mail.`,
  email: 'Address',
  reason: 'Reason',
  detail: 'Details',
  detailHint: 'The reason, for anyone who looks here later.',
  import: 'Import',
  importHint:
    'A CSV file with a column of addresses, up to 5 MB. The lists of SendGrid, Mailgun, Amazon SES and others are taken as they are.',
  importReason: 'Of rows that name none.',
  drop: 'Drop a CSV file here',
  choose: 'Choose a file',
  imported: (made: string, known: string, refused: string) =>
    [
      `${made} added`,
      ...(known === '0' ? [] : [`${known} known before`]),
      ...(refused === '0' ? [] : [`${refused} refused`]),
    ]
      .join(', ')
      .concat('.'),
  row: (n: string) => `Row ${n}`,
  since: 'Since',
  until: 'Until',
  forGood: 'Permanent',
  empty: 'No address is blocked',
  emptyHint: 'Addresses are added automatically when mail to them bounces permanently or they report it as spam.',
  removeTitle: (email: string) => `Take ${email} off the list?`,
  removeHint:
    'Mail to this address was refused or reported as spam before. Sending to it again can hurt the delivery of all your mail.',
  removed: (email: string) => `${email} can get mail again.`,
}
