import { codesOf, STATUSES_OF_ERRORS } from '../../http/errors.ts'
import { FIELD_MEANINGS, meaningsOf } from './errors.ts'
import type { Words } from './words.ts'

/** 405 is the answer to methods that no operation has. */
const STATUSES = STATUSES_OF_ERRORS.filter((status) => status !== 405)

const COPY_NAME = 'The name of the copy, at most 255 characters. Without it that of the original, followed by `(Copy)`.'

/** The words that are alike for every noun. */
export const everyNoun: Words = {
  schemas: {
    Warnings:
      'What was understood, but is probably not what was meant: unknown keys, times without an offset from UTC.',
    FieldProblem: 'A field that was refused, and why.',
    ...Object.fromEntries(
      STATUSES.map((status) => [`Error${status}`, `The body of an error with the status ${status}.`]),
    ),
    FlatError: 'The flat body of 400 and 401 in the public API.',
    AdviceCode:
      'What a sentence says: its text may change, its code does not, so that it can be said in another language.',
    Mailbox: 'An address: `ada@example.com`, `Ada <ada@example.com>`, or its parts.',
    Utm: 'Parameters that are added to links, for web analytics.',
    Filter:
      'Which contacts are meant: conditions that must all hold (`AND`) or of which one must (`OR`), up to 50 in 5 levels.',
    FilterCondition: 'One condition about a field of the contact, an event, its mail, a segment or a campaign.',
    FilterGroups: 'The same in another form, as Plunk writes it: groups of conditions.',
    Ok: 'It works.',
    UsedBy: 'A segment or campaign that uses it.',
    UsedByWorkflow: 'A workflow that uses it, in a step or in its trigger.',
    AcceptedJob: 'The job that does the work in the background.',
  },
  fields: {
    createdAt: 'When it was created (ISO 8601, UTC).',
    updatedAt: 'When it was last changed (ISO 8601, UTC).',
    version:
      'The number of the current version: it rises with each change that a request makes to what people write, not with statuses or figures. In a request: the version that the change is for, as `If-Match` may say it, too. 409 `VERSION_CONFLICT` with `currentVersion`, and nothing is changed, when it is not the current one any more.',
    'error.currentVersion': 'The version that the record has now, of `VERSION_CONFLICT`.',
    projectId: 'The id of the project it belongs to.',
    success: '`true` for every answer with a status of success.',
    warnings: 'What was understood, but is probably not what was meant. Absent when there is nothing to say.',
    'Warnings.field': 'The key of the request, with a dot for each level: `contact.name`.',
    'Warnings.message': 'What was odd about it, and what was probably meant.',
    'AdviceCode.code': 'The code, such as `spf_missing`.',
    'AdviceCode.params': 'The values in the sentence, by name. Numbers are numbers.',
    'utm.source': 'Where readers come from, such as `newsletter`: `utm_source`.',
    'utm.medium': 'How they come, such as `email`: `utm_medium`.',
    'utm.campaign': 'What they come by: `utm_campaign`. Without it the name of the campaign or the workflow.',
    'utm.term': 'A search term, for paid links: `utm_term`.',
    'utm.content': 'Which of several links or versions: `utm_content`.',
    'Utm.source': 'Where readers come from, such as `newsletter`: `utm_source`.',
    'Utm.medium': 'How they come, such as `email`: `utm_medium`.',
    'Utm.campaign': 'What they come by: `utm_campaign`. Without it the name of the campaign or the workflow.',
    'Utm.term': 'A search term, for paid links: `utm_term`.',
    'Utm.content': 'Which of several links or versions: `utm_content`.',
    // lists
    cursor:
      'The `cursor` of the page before, or the id of the record before; without it the list starts at its beginning.',
    'answer.cursor': 'Where this page ends: send it back as `cursor` for the next one. null on the last page.',
    hasMore: 'Whether there are further pages.',
    total: 'How many items there are on all pages. Only the first page of a cursor list counts; later ones answer 0.',
    page: 'The page, from 1.',
    pageSize: 'How many items a page has: 1 to 100, by default 20.',
    totalPages: 'How many pages there are.',
    limit: 'How many items at most.',
    timezone: 'The time zone whose days are meant, by its IANA name such as `Europe/Berlin`. By default `UTC`.',
    startDate: 'Only from this moment on (ISO 8601), or from the beginning of this day, such as `2026-01-31`.',
    endDate: 'Only before this moment (ISO 8601), or up to the end of this day.',
    // copies
    'duplicateTemplate.name': COPY_NAME,
    'duplicateCampaign.name': COPY_NAME,
    'duplicateWorkflow.name': COPY_NAME,
    // filters
    'Filter.operator': '`AND`: every condition must hold; `OR`: one is enough.',
    'Filter.conditions': 'The conditions; each may be a filter again, up to 5 levels deep.',
    'FilterCondition.field':
      'What it asks about: `email`, `subscribed`, `tracking`, `pausedUntil`, `everyDays`, `createdAt`, `updatedAt`, `data.<key>`, `event.<name>`, `email.<activity>`, `segment.<id>`, `topic.<slug>` or `campaign.<id>`.',
    'FilterCondition.operator': 'How the field is compared. Which operators a field has depends on its kind.',
    'FilterCondition.value':
      'What the field is compared with: a list for `in` and `notIn`, a number of units for spans of time, a number of days for `yearlyWithinNext` (0 is today), nothing for `exists`, `triggered` and the like.',
    'FilterCondition.unit':
      'The unit of a span of time; required with `within` (the last), `withinNext` (the coming), `olderThan` and `triggeredWithin`.',
    'FilterCondition.count': 'For `event.*` and `email.*`: the least number of times, by default 1.',
    'FilterGroups.logic': 'How the groups are joined: `AND` or `OR`.',
    'FilterGroups.groups': 'The groups; within a group every condition must hold.',
    'FilterGroups.groups.filters': 'The conditions of the group.',
    'FilterGroups.groups.conditions': 'A filter within the group, which must hold as well.',
    // addresses
    'Mailbox.name': 'The display name, at most 255 characters.',
    'Mailbox.email': 'The bare address.',
    // jobs
    jobId: 'The id of the job; ask for its progress with it.',
    'AcceptedJob.message': 'What happens now, in a sentence.',
    // uses
    usedInSegments: 'The segments whose filter names it.',
    usedInCampaigns: 'The campaigns whose audience filter names it.',
    usedInWorkflows: 'The workflows that name it, in a step or in their trigger.',
    usedInForms: 'The forms whose answers are kept in it.',
    canDelete: 'Whether it may be deleted: nothing uses it.',
    'UsedBy.id': 'The id of the segment or campaign.',
    'UsedBy.name': 'Its name.',
    'UsedByWorkflow.id': 'The id of the workflow.',
    'UsedByWorkflow.name': 'The name of the workflow.',
    'UsedByWorkflow.stepId': 'The step that uses it. Absent when its trigger does.',
    // errors
    'FieldProblem.field': 'The field, with a dot for each level: `messages.3.to`. `body` is the whole body.',
    'FieldProblem.message': 'What is wrong with it, in a sentence.',
    'FieldProblem.code': FIELD_MEANINGS,
    'FlatError.code': 'The HTTP status.',
    'FlatError.error': 'The phrase of the HTTP status.',
    'FlatError.message': 'What went wrong, in a sentence.',
    'FlatError.time': 'When it happened: milliseconds since 1970-01-01 UTC.',
    ...Object.fromEntries(STATUSES.map((status) => [`Error${status}.error.code`, meaningsOf(codesOf(status))])),
    'error.message': 'What went wrong, in a sentence for people.',
    'error.statusCode': 'The HTTP status.',
    'error.requestId': 'The id of the request, as in the log of the server and in `X-Request-Id`.',
    'error.errors': 'Each field that was refused.',
    'error.suggestion': 'What to do about it.',
    error: 'What went wrong.',
    timestamp: 'When it was answered (ISO 8601, UTC).',
    message: 'What went wrong, in a sentence; the same as `error.message`.',
    'Ok.status': '`ok`, always.',
  },
}
