import type { Audience, CampaignTest, NumberTest, Span, TextTest } from '../ports/store/audiences.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { FieldsOfContact } from '../values/fields-of-contact.ts'
import { hasPart, isIn, meets } from './data-tests.ts'

/** The contact to check, with what is known beside its own record. */
export interface AudienceSubject {
  readonly contact: FieldsOfContact & Pick<Contact, 'data'>
  /** How many events of this name it has in the span. */
  eventsIn(name: string, span: Span): number
  /** Whether it is a member of this static segment. */
  memberOf(segmentId: string): boolean
  /** The contact's choice for this topic; undefined when it never chose. */
  choiceOf(topicId: string): boolean | undefined
  /** Whether this became of its mail of the campaign. */
  didInCampaign(test: CampaignTest): boolean
}

/** Whether the contact belongs to the audience; stores must answer the same. */
export function matches(audience: Audience, subject: AudienceSubject): boolean {
  const { contact } = subject
  switch (audience.kind) {
    case 'all':
      return audience.of.every((each) => matches(each, subject))
    case 'any':
      return audience.of.some((each) => matches(each, subject))
    case 'not':
      return !matches(audience.of, subject)
    case 'text':
      return matchesText(audience, contact[audience.field])
    case 'flag':
    case 'choice':
      return contact[audience.field] === audience.is
    case 'moment':
      return isIn(audience, contact[audience.field])
    case 'number':
      return isAmong(audience, contact[audience.field])
    case 'data':
      return meets(contact.data, audience.path, audience.test)
    case 'event':
      return subject.eventsIn(audience.name, audience) >= audience.count
    case 'member':
      return subject.memberOf(audience.segmentId)
    case 'topic':
      return subject.choiceOf(audience.topicId) === audience.is
    case 'campaign':
      return subject.didInCampaign(audience)
  }
}

function isAmong({ least, most }: NumberTest, number: number | undefined): boolean {
  return number !== undefined && (least === undefined || number >= least) && (most === undefined || number <= most)
}

function matchesText(test: TextTest, text: string): boolean {
  return test.is === 'oneOf' ? test.values.includes(text) : hasPart(test, text)
}
