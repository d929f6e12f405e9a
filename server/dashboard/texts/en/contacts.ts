export const contacts = {
  awaited: {
    since: (at: string) => `Waits for confirmation since ${at}`,
    mail: 'Confirmation mail',
    send: 'Send the confirmation mail again',
    sent: 'Sent again.',
    again: {
      now: 'Marketing mail goes to this address only once the person confirms by the link in the mail.',
      later: 'The mail can be sent again a day after the last one.',
      no: 'It is not sent again: three had no answer, or the address is blocked.',
    },
  },
  title: 'Contacts',
  one: 'Contact',
  address: 'Address',
  find: 'Find an address',
  new: 'New contact',
  import: 'Import',
  export: 'Export',
  empty: 'No contacts yet',
  emptyHint:
    'Import a list or add one by hand. When your program sends mail or tracks events, contacts are created automatically.',
  subscribed: 'Subscribed',
  any: 'All',
  onlySubscribed: 'Subscribed',
  onlyUnsubscribed: 'Not subscribed',
  moreFilters: 'Rules',
  filtered: 'Rules applied',
  subscribe: 'Subscribe',
  unsubscribe: 'Unsubscribe',
  delete: 'Delete',
  addToSegment: 'Add to a segment',
  deleteTitle: (n: string) => `Delete ${n} for good?`,
  unsubscribeTitle: (n: number, shown: string) =>
    n === 1 ? 'Unsubscribe 1 contact?' : `Unsubscribe ${shown} contacts?`,
  unsubscribeAllHint:
    'They will get no marketing mail. This cannot be undone in one step, since people who unsubscribe in the meantime must stay unsubscribed.',
  deleteHint: 'Their data, events and segment memberships are removed. Campaign figures stay, without the address.',
  deleted: 'Deleted.',
  added: (email: string) => `${email} is now a contact.`,
  changed: 'Saved.',
  selected: (n: string) => `${n} selected`,
  running: 'Running',
  bulkDone: (done: string, failed: string) => `${done} done, ${failed} failed.`,
  bulkKept: (n: number, shown: string) =>
    n === 1
      ? '1 contact left, bounced or complained, and stays unsubscribed.'
      : `${shown} contacts left, bounced or complained, and stay unsubscribed.`,
  removeFromSegment: 'Take out of a segment',
  byRules: 'Segments chosen by rules decide for themselves who is in them:',
  addedTo: (name: string, added: string, others: { already: string | undefined; missing: string | undefined }) =>
    [
      `“${name}”: ${added} added`,
      ...(others.already === undefined ? [] : [`${others.already} already in it`]),
      ...(others.missing === undefined ? [] : [`${others.missing} no longer there`]),
    ]
      .join(', ')
      .concat('.'),
  removedFrom: (name: string, n: string) => `“${name}”: ${n} taken out.`,
  everyDays: 'At most one marketing mail in so many days',
  everyDaysHint: 'From 1 to 366; empty for every mail. Contacts choose it on their page.',
  consent: 'Consent to tracking',
  consents: { full: 'Opens and clicks recorded', anonymous: 'Counted anonymously', none: 'Nothing recorded' },
  fields: 'Fields',
  field: 'Field',
  value: 'Value',
  addField: 'Add a field',
  fieldName: 'Field name',
  removeField: (name: string) => `Remove ${name}`,
  noFields: 'No fields yet.',
  json: 'Lists and objects are written as JSON.',
  timeline: 'What happened',
  noTimeline: 'Nothing has happened yet.',
  mails: 'Mails',
  noMails: 'No mail yet.',
  segments: 'Segments',
  noSegments: 'Not in any segment.',
  unchecked: (names: string) => `Could not be checked: ${names}.`,
  noWorkflows: 'Not in any workflow so far.',
  atStep: (step: string) => `at “${step}”,`,
  erase: 'Delete for good',
  leftBy: {
    api: 'Unsubscribed by a person of the project or a program.',
    link: 'Unsubscribed itself.',
    form: 'Unsubscribed by a form.',
    import: 'Unsubscribed by an imported file.',
    bulk: 'Unsubscribed together with others.',
    workflow: 'Unsubscribed by a workflow.',
    bounce: 'Unsubscribed because its mail bounced.',
    complaint: 'Unsubscribed because it reported a mail as spam.',
  },
  unsubscribeHint: 'Unsubscribed contacts get no marketing mail. Transactional mail still reaches them.',
  merge: 'Merge',
  mergeTitle: (email: string) => `Merge another contact into ${email}`,
  mergeHint: (email: string) =>
    `${email} keeps its address and its own data, and gets the history of the other contact. Of both, the stricter consent counts. The other contact is gone then; this cannot be undone.`,
  mergeFrom: 'The other contact',
  mergeNow: 'Merge the two',
  merged: 'The two contacts are one now.',
  importTitle: 'Import contacts',
  importHint:
    'A CSV file of up to 5 MB with a column of email addresses. Known addresses are updated, new ones are added.',
  drop: 'Drop a CSV file here, or choose one',
  choose: 'Choose a file',
  another: 'Choose another file',
  columns: 'Columns in the file',
  column: 'Column',
  becomes: 'Becomes',
  becomesWhat: (column: string) => `What ${column} becomes`,
  type: 'Type',
  typeOf: (column: string) => `Type of ${column}`,
  types: {
    string: 'Text',
    number: 'Number',
    boolean: 'Yes or no',
    date: 'Date',
    array: 'List',
    object: 'Object',
    mixed: 'Mixed',
  },
  forms: {
    string: 'Text',
    number: 'Number',
    'number:point': 'Number (1,234.50)',
    'number:comma': 'Number (1.234,50)',
    boolean: 'Yes or no',
    date: 'Date',
    'date:ymd': 'Date (2026-12-31)',
    'date:dmy': 'Date, day first (31/12/2026)',
    'date:mdy': 'Date, month first (12/31/2026)',
  } as Readonly<Record<string, string>>,
  /** The question about a column of numbers or dates, with its cells. */
  asks: {
    number: (cells: string) => `Are these numbers, and which sign begins the decimals? ${cells}`,
    date: (cells: string) => `Are these dates, and what comes first, the day or the month? ${cells}`,
  },
  cellOfRow: (cell: string, row: string) => `${cell} (row ${row})`,
  stayText: 'Leave as text',
  noRows: 'The file has names of columns and nothing below them, so there is nothing to import.',
  addressMissing: 'has no address',
  nobodySubscribed: 'Nobody is subscribed by this file.',
  subscribedBy: (n: number, shown: string, columns: string) =>
    n === 1
      ? `1 person will be subscribed, as the file says (${columns}).`
      : `${shown} people will be subscribed, as the file says (${columns}).`,
  allSubscribed: (n: number, shown: string) =>
    `${n === 1 ? '1 person' : `${shown} people`} will be subscribed, and no column says that they have agreed. Import only people who have asked for your mail, or choose “subscribed” under “Becomes” for the column that says who has.`,
  newTopic: 'New topic',
  newTopicHint: 'People see it on the page where they choose what they get.',
  fileKept: (name: string) =>
    `${name} is kept in this browser for a day, with what you have chosen. Come back to go on.`,
  goesOn: (name: string) => `You had chosen ${name} before. It goes on where you left.`,
  note: 'Good to know',
  rows: (n: string) => (n === '1' ? '1 row' : `${n} rows`),
  cannotImport: 'The file cannot be imported like this',
  /** The API's note about a column, in English. */
  columnNote: (note: string): string =>
    note
      .replace(
        /(texts, because of .* which is no date)/,
        '$1: with the type “Date”, only rows whose value is no date are rejected',
      )
      .replace(/(mails usually print this as .*): columns=.*/, '$1')
      .replace('give it a key with columns', 'say so here')
      .replace('columns={"its name":"email"} takes another one', 'choose “email” for another column to take it'),
  renameTo: (key: string) => `Store as ${key}`,
  theFile: { file: 'The file', columns: 'The choice of columns' } as Readonly<Record<string, string>>,
  noAddress: 'No column of the file was recognized as the email address.',
  chooseAddress: 'Choose “email” under “Becomes” for the column that has the addresses.',
  outlook: 'What will happen',
  willCreate: (n: number, shown: string) => (n === 1 ? '1 contact will be added.' : `${shown} contacts will be added.`),
  willUpdate: (n: number, shown: string) =>
    n === 1 ? '1 known contact will be updated.' : `${shown} known contacts will be updated.`,
  willRefuse: (n: number, shown: string) => (n === 1 ? '1 row will be rejected.' : `${shown} rows will be rejected.`),
  willUnsubscribe: (n: number, shown: string) =>
    n === 1 ? '1 contact will not be subscribed.' : `${shown} contacts will not be subscribed.`,
  willKeep: (n: number, shown: string) =>
    n === 1
      ? '1 contact that left stays unsubscribed, whatever the file says.'
      : `${shown} contacts that left stay unsubscribed, whatever the file says.`,
  willResubscribe: (n: number, shown: string) =>
    n === 1 ? '1 contact that left will be subscribed again.' : `${shown} contacts that left will be subscribed again.`,
  encoding: 'Character encoding',
  encodingHint: 'Are letters in the names above wrong? Choose the encoding that the file was saved in.',
  encodings: {
    'windows-1252': 'Western European (Windows-1252)',
    'windows-1250': 'Central European: Polish, Czech, Hungarian … (Windows-1250)',
    'iso-8859-2': 'Central European (ISO 8859-2)',
    'windows-1254': 'Turkish (Windows-1254)',
    'windows-1257': 'Baltic (Windows-1257)',
    'windows-1251': 'Cyrillic (Windows-1251)',
    'windows-1253': 'Greek (Windows-1253)',
    'utf-8': 'All languages (UTF-8)',
  },
  resubscribe: (n: number, shown: string) =>
    n === 1 ? 'Subscribe the 1 contact that left again' : `Subscribe the ${shown} contacts that left again`,
  resubscribeHint:
    'They unsubscribed, complained or bounced here, or left a topic. Only if they have asked to come back since.',
  wouldFail: 'Rows that will be rejected',
  firstContacts: 'The first contacts as they will be',
  isNew: 'New',
  unchanged: 'Unchanged',
  rowsDone: (n: string) => (n === '1' ? '1 row done' : `${n} rows done`),
  onlyFirst: (n: string) => `Only the first ${n} rejected rows are listed.`,
  missingTopics: (n: number, shown: string) =>
    n === 1 ? 'The file names a topic that does not exist yet' : `The file names ${shown} topics that do not exist yet`,
  makeTopics: (n: number, shown: string) => (n === 1 ? 'Create this topic' : `Create these ${shown} topics`),
  startImport: 'Import',
  importing: 'Importing …',
  importDone: 'Imported',
  keptUnsubscribed: (n: number, shown: string) =>
    n === 1 ? '1 contact that left stayed unsubscribed.' : `${shown} contacts that left stayed unsubscribed.`,
  resubscribed: (n: number, shown: string) =>
    n === 1 ? '1 contact that left was subscribed again.' : `${shown} contacts that left were subscribed again.`,
  importFailed: 'The import failed',
  created: (n: string) => `${n} new`,
  updated: (n: string) => `${n} updated`,
  failed: (n: string) => `${n} rejected`,
  failedRows: 'Rejected rows',
  row: 'Row',
  reason: 'Reason',
  downloadFailed: (n: string) => (n === '1' ? 'Download the rejected row' : `Download the ${n} rejected rows`),
  writeToThem: (n: number, text: string) => (n === 1 ? 'Write to this contact' : `Write to these ${text} contacts`),
  see: 'View contacts',
}
