import type { Words } from './words.ts'

const FILTERS = 'The filter of a dynamic segment.'
const CONDITION = 'The filter under another name: in a request as `filters`, in answers in the form it was written in.'

/** Segments. */
export const segmentWords: Words = {
  schemas: {
    SegmentContacts: 'A page of the contacts of a segment.',
    AddedMembers: 'What became of the contacts.',
    RemovedMembers: 'How many left the segment.',
    ComputedSegment: 'What bringing the members up to date has changed.',
    ComputingSegment: 'What has changed so far; the rest is computed in the background.',
    MemberCount: 'How many members the segment has.',
    SegmentsOfContact: 'The segments a contact is in.',
  },
  fields: {
    filters: FILTERS,
    'Segment.filters': FILTERS,
    condition: CONDITION,
    'Segment.condition': CONDITION,
    'Segment.warnings':
      'What conditions of the filter meant when it was written, if they mean something else now. It ends when the filter is saved again.',
    'changeSegment.rename':
      'With another name: whether workflows and webhooks that await its events get their new names, too. Without it the request is refused with 409 while they do.',
    'MemberCount.memberCount': 'How many members it has now.',
    'listSegmentContacts.page': 'The page, from 1.',
    'listSegmentContacts.pageSize': 'Contacts per page: 1 to 100, by default 20.',
    'listSegmentContacts.limit': 'Another name of `pageSize`.',
    'SegmentContacts.cursor': 'Where this page ends: send it back as `cursor` for the next one. null on the last page.',
    'listSegmentContacts.cursor':
      'The `cursor` of the page before, instead of `page`: no contact is skipped or repeated while others come and go.',
    'SegmentContacts.data': 'The contacts of this page.',
    emails: 'The addresses of 1 to 1,000 contacts.',
    contactIds: 'The ids of 1 to 1,000 contacts, instead of their addresses.',
    createMissing: 'Whether unknown addresses become contacts. By default `false`; they are then listed in `notFound`.',
    subscribed: 'Whether contacts that are created here are subscribed. By default `true`.',
    added: 'How many became members.',
    addedIds: 'The ids of those who became members.',
    alreadyMembers: 'How many were members before.',
    created: 'How many contacts were created for it.',
    notFound: 'The addresses or ids that are no contacts.',
    removed: 'How many are no longer members.',
    removedIds: 'The ids of those who are no longer members.',
    total: 'How many members there are.',
    message: 'What happens now, in a sentence.',
    'SegmentsOfContact.data': 'The segments the contact is in, the newest segment first.',
    since: 'When the contact entered. null where that is not recorded.',
    unchecked:
      'Segments left out because their filter was not evaluated: there are too many, it took too long, or the filter is no longer valid. Empty as a rule.',
  },
}
