import type { Words } from './words.ts'

/** Contacts, their fields and their jobs. */
export const contactWords: Words = {
  schemas: {
    Confirmation: 'The confirmation that is awaited of a contact.',
    Contact: 'A person, by e-mail address.',
    UpsertedContact: 'The contact, and whether it is new.',
    LookedUpContacts: 'The addresses, sorted into known and unknown ones.',
    ImportJob: 'An import of contacts.',
    ImportResult: 'What an import has made of its file so far.',
    ImportPreview: 'What an import of a file would do.',
    BulkJob: 'A change of many contacts.',
    BulkResult: 'What a change of many contacts has done so far. Every contact asked for is in one of the counts.',
    ContactFields: 'The fields that contacts have.',
    FieldValues: 'The different values of a field.',
    FieldUsage: 'Where a field is used.',
    DeletedFrom: 'How many contacts had the field.',
  },
  fields: {
    since: 'When it was asked first, since it last subscribed or unsubscribed. null when no confirmation is awaited.',
    mails: 'The mails that asked, the latest first.',
    'mails.id': 'The id of the mail.',
    'mails.status': 'The status of the mail, as in `GET /emails`.',
    'mails.toFolder': 'True when it was only written to a folder, since no mail server was set.',
    'mails.createdAt': 'When it was accepted (ISO 8601, UTC).',
    again:
      'Whether it may be asked once more: `now`, `later` (a day after the last mail), or `no` (after three, and for a blocked address). null when no confirmation is awaited.',
    id: 'The id of the contact.',
    'ImportJob.id': 'The id of the job.',
    'BulkJob.id': 'The id of the job.',
    email: 'The address, in lower case. It is unique in the project.',
    'upsertContact.email': 'The address. Its contact is changed, or a new one is created.',
    'changeContact.email': 'A new address. It must not belong to another contact.',
    subscribed:
      'Whether the contact gets marketing mail. By default a new contact is subscribed, and a known one does not change.',
    tracking:
      'Which openings and clicks may be recorded: `full`, `anonymous` (counted, but not with the contact) or `none`. A new contact has the default of the project.',
    pausedUntil:
      'Until when the contact gets no marketing mail, which it chooses on its page. In a request, null ends the pause.',
    everyDays:
      'In how many days the contact gets one marketing mail at most, 1 to 366, which it chooses on its page. Of this and the `frequencyCap` of the project the stricter counts. In a request, null lifts the limit.',
    leftBy:
      'How the contact left: `link` (the unsubscribe link, its page or the button of the mail program), `form`, `api`, `import`, `bulk`, `workflow`, `bounce` or `complaint`. Absent while it is subscribed, and for a contact that never was.',
    data: 'Fields of your own, with values of any JSON type. In a request they are merged key by key, and null deletes a key.',
    _meta: 'What the request did.',
    '_meta.isNew': 'Whether the contact was created.',
    '_meta.isUpdate': 'Whether the contact was there before.',
    // lists
    'listContacts.answer.data': 'The contacts of this page.',
    'listImports.answer.data': 'The imports of this page, newest first.',
    'listContacts.limit': 'How many contacts at most: 1 to 100, by default 20.',
    'listContacts.total':
      '`false`: does not count, which takes long for some filters; `total` is then 0, as on all pages but the first.',
    'countContacts.answer.count': 'How many contacts there are.',
    'countContacts.subscribed': 'Only subscribed contacts (`true`), or only the others (`false`).',
    search: 'Only contacts with this in their address.',
    'listContacts.subscribed': 'Only subscribed contacts (`true`), or only the others (`false`).',
    'exportContacts.subscribed': 'Only subscribed contacts (`true`), or only the others (`false`).',
    filter: 'Only contacts that match this filter, as JSON text.',
    sort: 'Sort by creation time (the default) or by address.',
    dir: 'The order. By default the newest come first, and addresses from A to Z.',
    'lookUpContacts.emails': '1 to 500 addresses. An invalid one is unknown.',
    found: 'The addresses that are contacts, spelled as they were sent.',
    notFound: 'The addresses that are not.',
    // imports
    file: 'The CSV file, at most 5 MB, with a header.',
    columns:
      'What columns become, as a JSON object by their names in the header: a key, `email`, `subscribed` or `tracking`; null leaves a column out; `{"key": …, "type": …}` sets its type, too: `string`, `number`, `boolean` or `date`. `"format"` says how numbers (`comma`: 1.234,50; `point`: 1,234.50) or dates (`dmy`, `mdy`, `ymd`) are written in it; without it the cells decide, where they are clear.',
    topic:
      'The id or the slug of a topic that every contact of the file gets. Contacts who left the topic here, or are unsubscribed, do not.',
    consentText:
      'The words that every contact of the file agreed to, at most 2,000 characters. They are kept with each topic that a contact gets by the file, unless its row has others.',
    'mergeContacts.from': 'The id of the other contact, which is gone afterwards.',
    resubscribe:
      'Whether contacts that left here (unsubscribed, complained, bounced or suppressed) come back where the file has them as subscribed, or as readers of a topic they left. By default `false`: they stay away, and `keptUnsubscribed` counts them.',
    'subscribeContacts.resubscribe':
      'Whether contacts that left by themselves, complained or bounced are subscribed again. By default `false`: only those that never left, or that a bulk call unsubscribed.',
    'unsubscribeContacts.resubscribe': 'Only for `bulk-subscribe`.',
    'deleteContacts.resubscribe': 'Only for `bulk-subscribe`.',
    keptUnsubscribed:
      'How many contacts left here, are subscribed in the file, or readers of a topic they left, and stay away. See `resubscribe`.',
    resubscribed: 'How many such contacts come back, since `resubscribe` says so.',
    'BulkResult.keptUnsubscribed':
      'How many contacts left by themselves, complained or bounced, and stay away. See `resubscribe`. Only of `bulk-subscribe`.',
    type: 'The kind of job.',
    state: '`waiting`, `active`, `completed`, or `failed` with a `failedReason`.',
    progress: 'How much is done, in percent.',
    result: 'What was done so far. null until it has begun.',
    failedReason: 'Why the job failed. null unless it did.',
    encoding:
      'The encoding of the file. In a request it is left out unless names come out wrong: then UTF-8, UTF-16 and Windows-1252 are detected. In an answer it is the one the file was read with.',
    'ImportResult.columns': 'What became of each column, in their order.',
    'ImportPreview.columns': 'What each column would become, in their order.',
    delimiter: 'What separates the cells of the file.',
    subscribedCount: 'How many contacts the file subscribes, each counted once: the last of its rows decides.',
    unsubscribedCount: 'How many contacts lose their subscription by the file, or begin without one.',
    missingTopics:
      'Topics that rows list and the project does not have, up to 100, the most frequent first. Create them before the import, or these rows are refused.',
    'missingTopics.name': 'The name, as the file has it.',
    'missingTopics.rows': 'How many rows list it.',
    rows: 'The first 10 contacts as they would be.',
    'rows.row': 'The row in the file. The header is row 1.',
    'rows.email': 'The address of the contact.',
    'rows.isNew': 'Whether the row makes a new contact.',
    'rows.subscribed':
      'Whether the contact will get marketing mail. null when that of a known contact stays as it was.',
    'rows.data': 'The fields that the row sets.',
    header: 'The name of the column in the file.',
    key: 'The key of the data it became, or `email`, `subscribed`, `tracking`. null when it was left out.',
    'columns.format': 'How its numbers or dates are written, where that is not plain.',
    'columns.asks': 'What has to be said before the column can be more than text: a type with one of these formats.',
    'columns.asks.type': 'What its cells may be.',
    'columns.asks.formats': 'The formats in which all of them can be read.',
    'columns.asks.examples': 'Cells that can be read in several ways, with their rows.',
    'columns.asks.examples.row': 'The row in the file; the header is row 1.',
    'columns.asks.examples.cell': 'What stands there.',
    'columns.isConsent': '`true`: the column says who is subscribed, and new contacts follow it.',
    'columns.suggestedKey':
      'The key by which mails usually print such values, such as `firstName` for a column “Vorname”; the column keeps its own unless `columns` says otherwise.',
    'columns.type': 'The type of its values. null when it was left out.',
    note: 'Something to know about the column.',
    notes: 'Something to know about the file.',
    totalRows: 'How many rows there are, without the header.',
    successCount: 'How many were taken.',
    createdCount: 'How many made a new one.',
    updatedCount: 'How many changed a known contact.',
    failureCount: 'How many were refused.',
    keptCount:
      'How many refused rows `GET /contacts/import/{jobId}/refused` gives: all of them, 50,000 at most. Absent for imports from before rows were kept.',
    'BulkResult.successCount': 'How many contacts were changed.',
    changedIds:
      'The ids of the contacts that were changed. Absent for a deletion, and where a filter chose the contacts.',
    'BulkResult.failureCount': 'How many contacts could not be changed.',
    errors: 'The first 100 that were refused, with the reason.',
    'errors.row': 'The row in the file. The header is row 1.',
    'errors.email': 'The address in the row, as it was written.',
    'errors.error': 'Why it was refused.',
    'errors.id': 'The id of the contact.',
    // bulk changes
    mode: '`ids` (the default) names contacts by id, `query` takes all that match a filter.',
    contactIds: 'The ids of 1 to 1,000 contacts.',
    'subscribeContacts.filter': 'All contacts that match now.',
    'unsubscribeContacts.filter': 'All contacts that match now.',
    'deleteContacts.filter': 'All contacts that match now.',
    excludeIds: 'Up to 1,000 contacts to leave out though they match.',
    operation: 'What is done to the contacts.',
    totalRequested: 'How many different contacts were asked for; with a filter, how many were found so far.',
    unchangedCount: 'How many contacts were in the wanted state before.',
    // workflows of a contact
    'listExecutionsOfContact.status': 'Only executions with this status.',
    'listExecutionsOfContact.limit': 'How many executions at most: 1 to 100, by default 20.',
    'listExecutionsOfContact.answer.data': 'The executions of this page.',
    // fields
    field: 'The field: `data.<key>`, or `email`, `subscribed` and the like.',
    fields: 'The standard fields, then those of the data by name.',
    'fields.type': 'The type of most of its values.',
    coverage:
      'How many contacts have a value for it, in percent. Absent for `pausedUntil` and `everyDays`, which are not counted.',
    count: 'How many are listed here.',
    'ContactFields.total': 'How many fields there are in all, including those that are not listed.',
    values: 'The different values, without texts of more than 1,000 characters.',
    'FieldValues.limit': 'How many values are listed at most.',
    'listFieldValues.limit': 'How many values at most: 1 to 200, by default 100.',
    contactCount: 'How many contacts have a value for it.',
    deletedFrom: 'How many contacts had the field.',
  },
}
