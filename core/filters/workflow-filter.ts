import type { Audience, CampaignTest, EventTest, MemberTest, TopicTest } from '../ports/store/audiences.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Filter, FilterCondition } from '../ports/store/filters.ts'
import type { Json, JsonObject } from '../values/json.ts'
import { isList, valuesAt } from './data-tests.ts'
import { matches } from './matches.ts'
import { takenBy } from './operators.ts'
import { MAX_NESTING, type SubjectAt, subjectOf } from './subject.ts'

/** The data of a contact in a workflow besides its own record: that of the event, and the context. */
export interface ExecutionData {
  readonly event: JsonObject
  readonly context: JsonObject
}

/** A compiled workflow filter: tests on the contact, and on its event and context. */
export type WorkflowTest =
  | { readonly kind: 'every' | 'some'; readonly of: readonly WorkflowTest[] }
  | { readonly kind: 'contact'; readonly test: Audience }
  | { readonly kind: keyof ExecutionData; readonly test: Audience }

/** A test that only the store can answer. */
export type StoreTest = EventTest | MemberTest | CampaignTest | TopicTest

/**
 * The meaning of a field of a workflow's CONDITION: `contact.<field>` is that field of the contact, `context.<path>` a
 * value of the context. `event.<path>` is a value of the event's data, but with an operator of events (`triggered` …)
 * the event of that name, as in other filters.
 */
export const subjectInWorkflow: SubjectAt = (field, operator) => {
  const { source, field: name } = resolveField(field, operator)
  const subject = subjectOf(name)
  if (source === 'contact' || subject?.kind !== 'data') return subject
  return name === 'data.' ? undefined : { ...subject, isElsewhere: true }
}

/** The part of the filter about the contact, in fields of contacts; conditions on event and context are left out. */
export function ofContact(filter: Filter, depth = 1): Filter {
  const conditions = filter.conditions.flatMap((each): Filter['conditions'] => {
    if ('conditions' in each) return depth < MAX_NESTING ? [ofContact(each, depth + 1)] : []
    const { source, field } = resolveField(each.field, each.operator)
    return source === 'contact' ? [{ ...each, field } as FilterCondition] : []
  })
  return { ...filter, conditions }
}

/** Compiles the filter; `audienceOf` compiles one condition on a field of contacts. */
export async function workflowTest(
  filter: Filter,
  audienceOf: (condition: FilterCondition) => Promise<Audience>,
  depth = 1,
): Promise<WorkflowTest> {
  const of: WorkflowTest[] = []
  for (const each of filter.conditions) {
    if ('conditions' in each) {
      of.push(depth < MAX_NESTING ? await workflowTest(each, audienceOf, depth + 1) : { kind: 'some', of: [] })
      continue
    }
    const { source, field } = resolveField(each.field, each.operator)
    of.push({ kind: source, test: await audienceOf({ ...each, field } as FilterCondition) })
  }
  return { kind: filter.operator === 'OR' ? 'some' : 'every', of }
}

/** The tests in it that only the store can answer. */
export function storeTests(test: WorkflowTest): readonly StoreTest[] {
  if ('of' in test) return test.of.flatMap(storeTests)
  return test.kind === 'contact' ? storeTestsOf(test.test) : []
}

/** Whether the contact meets it; `answer` gives the store's answers to those of `storeTests`. */
export function isMet(
  test: WorkflowTest,
  contact: Contact,
  onTheWay: ExecutionData,
  answer: (test: StoreTest) => boolean,
): boolean {
  switch (test.kind) {
    case 'every':
      return test.of.every((each) => isMet(each, contact, onTheWay, answer))
    case 'some':
      return test.of.some((each) => isMet(each, contact, onTheWay, answer))
    case 'contact':
      return matches(answered(test.test, answer), { contact, ...NOTHING })
    default:
      return matches(test.test, { contact: { ...contact, data: onTheWay[test.kind] }, ...NOTHING })
  }
}

/** The values of a field with a date or with data, for the contact in a workflow: those at the first path that has one. */
export function valuesIn(field: string, contact: Contact, onTheWay: ExecutionData): readonly Json[] {
  const { source, field: name } = resolveField(field, 'exists')
  const subject = subjectOf(name)
  if (subject?.kind === 'moment' || subject?.kind === 'date') {
    const moment = contact[subject.field]
    return moment ? [moment.toISOString()] : []
  }
  if (subject?.kind !== 'data') return []
  const data = source === 'contact' ? contact.data : onTheWay[source]
  const found = subject.paths.map((path) => valuesAt(data, path).flatMap((value) => (isList(value) ? value : [value])))
  return found.find((values) => values.length > 0) ?? []
}

/** Where the value of a field is found, and the name of the field there. */
function resolveField(
  field: string,
  operator: string,
): { readonly source: 'contact' | keyof ExecutionData; readonly field: string } {
  if (field.startsWith('contact.')) return { source: 'contact', field: field.slice('contact.'.length) }
  if (field.startsWith('context.')) return { source: 'context', field: `data.${field.slice('context.'.length)}` }
  if (field.startsWith('event.') && takenBy('event', operator) === undefined) {
    return { source: 'event', field: `data.${field.slice('event.'.length)}` }
  }
  return { source: 'contact', field }
}

function storeTestsOf(audience: Audience): readonly StoreTest[] {
  switch (audience.kind) {
    case 'all':
    case 'any':
      return audience.of.flatMap(storeTestsOf)
    case 'not':
      return storeTestsOf(audience.of)
    case 'event':
    case 'member':
    case 'campaign':
    case 'topic':
      return [audience]
    default:
      return []
  }
}

/** The audience with the store's answers instead of its tests. */
function answered(audience: Audience, answer: (test: StoreTest) => boolean): Audience {
  switch (audience.kind) {
    case 'all':
    case 'any':
      return { ...audience, of: audience.of.map((each) => answered(each, answer)) }
    case 'not':
      return { ...audience, of: answered(audience.of, answer) }
    case 'event':
    case 'member':
    case 'campaign':
    case 'topic':
      return { kind: answer(audience) ? 'all' : 'any', of: [] }
    default:
      return audience
  }
}

/** The store has already answered these tests. */
const NOTHING = { eventsIn: () => 0, memberOf: () => false, didInCampaign: () => false, choiceOf: () => undefined }
