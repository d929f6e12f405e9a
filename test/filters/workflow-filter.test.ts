import { describe, expect, it } from 'vitest'
import { readPlaced } from '../../core/filters/read-filter.ts'
import { resolve } from '../../core/filters/resolve.ts'
import { subjectOf } from '../../core/filters/subject.ts'
import {
  isMet,
  ofContact,
  type StoreTest,
  storeTests,
  subjectInWorkflow,
  workflowTest,
} from '../../core/filters/workflow-filter.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { contact, NOON, newProjectId } from '../contracts/store/records.ts'

const ADA = contact(newProjectId(), {
  email: 'ada@example.org',
  data: { plan: 'pro', event: { plan: 'mine' }, context: { a: 1 } },
})
const ON_THE_WAY = {
  event: { plan: 'basic', sum: 12, at: '2025-01-01', ends: '2025-07-01', empty: [] },
  context: { source: 'hand' },
}

const read = (condition: JsonObject) =>
  readPlaced({ operator: 'AND', conditions: [condition] }, 'config', { subjectAt: subjectInWorkflow }).filter

async function meets(condition: JsonObject, answer: (test: StoreTest) => boolean = () => false): Promise<boolean> {
  const test = await workflowTest(read(condition), async (each) => {
    const subject = subjectOf(each.field)
    if (subject === undefined || subject.kind === 'segment' || subject.kind === 'topic')
      throw new Error(`no audience for ${each.field}`)
    return resolve(each, subject, { now: NOON, zone: 'UTC' })
  })
  return isMet(test, ADA, ON_THE_WAY, answer)
}

describe("a workflow's condition", () => {
  it.each([
    [{ field: 'plan', operator: 'equals', value: 'pro' }, true],
    [{ field: 'data.plan', operator: 'equals', value: 'pro' }, true],
    [{ field: 'contact.plan', operator: 'equals', value: 'pro' }, true],
    [{ field: 'contact.data.plan', operator: 'equals', value: 'pro' }, true],
    [{ field: 'contact.email', operator: 'endsWith', value: 'example.org' }, true],
    [{ field: 'contact.subscribed', operator: 'equals', value: false }, false],
    [{ field: 'contact.tracking', operator: 'notEquals', value: 'none' }, true],
    [{ field: 'event.plan', operator: 'equals', value: 'basic' }, true],
    [{ field: 'event.plan', operator: 'equals', value: 'pro' }, false],
    [{ field: 'event.sum', operator: 'greaterThan', value: 10 }, true],
    [{ field: 'event.at', operator: 'olderThan', value: 1, unit: 'days' }, true],
    [{ field: 'event.at', operator: 'within', value: 400, unit: 'days' }, true],
    [{ field: 'event.ends', operator: 'within', value: 7, unit: 'days' }, false],
    [{ field: 'event.ends', operator: 'withinNext', value: 40, unit: 'days' }, true],
    [{ field: 'event.ends', operator: 'yearlyWithinNext', value: 29 }, false],
    [{ field: 'event.ends', operator: 'yearlyWithinNext', value: 30 }, true],
    [{ field: 'event.empty', operator: 'exists' }, false],
    [{ field: 'event.empty', operator: 'notExists' }, true],
    [{ field: 'event.none', operator: 'exists' }, false],
    [{ field: 'context.source', operator: 'in', value: ['hand', 'api'] }, true],
    [{ field: 'context.a', operator: 'exists' }, false],
    [{ field: 'data.context.a', operator: 'equals', value: 1 }, true],
    [{ field: 'data.event.plan', operator: 'equals', value: 'mine' }, true],
  ])('%j is %s', async (condition, expected) => {
    expect(await meets(condition)).toBe(expected)
  })

  it('asks the store for events by their operators, and only for those', async () => {
    const condition = { field: 'event.bought', operator: 'triggered' }
    expect(await meets(condition)).toBe(false)
    expect(await meets(condition, (test) => test.kind === 'event' && test.name === 'bought')).toBe(true)
    const test = await workflowTest(read(condition), async () => ({ kind: 'event', name: 'bought', count: 1 }))
    expect(storeTests(test)).toEqual([{ kind: 'event', name: 'bought', count: 1 }])
  })

  it('mentions of the contact what a filter of contacts would', () => {
    const filter = readPlaced(
      {
        operator: 'OR',
        conditions: [
          { field: 'contact.plan', operator: 'exists' },
          { field: 'event.plan', operator: 'exists' },
          { operator: 'AND', conditions: [{ field: 'event.bought', operator: 'notTriggered' }] },
        ],
      },
      'config',
      { subjectAt: subjectInWorkflow },
    ).filter
    expect(ofContact(filter)).toEqual({
      operator: 'OR',
      conditions: [
        { field: 'plan', operator: 'exists' },
        { operator: 'AND', conditions: [{ field: 'event.bought', operator: 'notTriggered' }] },
      ],
    })
  })

  it.each([
    { field: 'event.', operator: 'exists' },
    { field: 'context.', operator: 'exists' },
    { field: 'contact.', operator: 'exists' },
    { field: 'contact.email', operator: 'greaterThan', value: 1 },
    { field: 'context.source', operator: 'triggered' },
  ])('%j is refused', (condition) => {
    expect(() => read(condition)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }))
  })
})
