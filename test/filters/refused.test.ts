import { describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { readFilter } from '../../core/filters/read-filter.ts'
import type { Filter } from '../../core/ports/store/filters.ts'

const PRO = { field: 'data.plan', operator: 'equals', value: 'pro' }

describe('a filter', () => {
  it.each<[name: string, filter: unknown, problems: string]>([
    ['that is missing', undefined, 'filters required'],
    ['that is null', null, 'filters required'],
    ['that is a text', 'plan = pro', 'filters invalid_type'],
    ['that is a list', [PRO], 'filters invalid_type'],
    ['that is empty', {}, 'filters.operator required, filters.conditions required'],
    ['without an operator', { conditions: [PRO] }, 'filters.operator required'],
    ['of an unknown operator', { operator: 'XOR', conditions: [PRO] }, 'filters.operator invalid_enum_value'],
    ['of a small operator', { operator: 'and', conditions: [PRO] }, 'filters.operator invalid_enum_value'],
    ['without conditions', { operator: 'AND' }, 'filters.conditions required'],
    ['of no conditions', { operator: 'AND', conditions: [] }, 'filters.conditions too_small'],
    ['whose conditions are no list', { operator: 'AND', conditions: PRO }, 'filters.conditions invalid_type'],
    ['with 51 conditions', { operator: 'AND', conditions: Array(51).fill(PRO) }, 'filters.conditions too_big'],
    [
      'with 51 conditions in two',
      { operator: 'AND', conditions: [all(Array(26).fill(PRO)), all(Array(25).fill(PRO))] },
      'filters.conditions.1.conditions.24 too_big',
    ],
    [
      'of six levels',
      all([all([all([all([all([all([PRO])])])])])]),
      'filters.conditions.0.conditions.0.conditions.0.conditions.0.conditions.0 too_big',
    ],
    ['nested, without an operator', all([{ conditions: [PRO] }]), 'filters.conditions.0.operator required'],
    ['nested, of no conditions', all([PRO, all([])]), 'filters.conditions.1.conditions too_small'],
    [
      "of Plunk's form without anything",
      { logic: 'MAYBE', groups: [] },
      'filters.logic invalid_enum_value, filters.groups too_small',
    ],
    ["of Plunk's form without groups", { logic: 'AND' }, 'filters.groups required'],
    ["of Plunk's form with a group that is none", { logic: 'AND', groups: [7] }, 'filters.groups.0 invalid_type'],
    ["of Plunk's form with an empty group", { logic: 'AND', groups: [{}] }, 'filters.groups.0.filters required'],
    [
      "of Plunk's form with a group of nothing",
      { logic: 'AND', groups: [{ filters: [] }] },
      'filters.groups.0.filters too_small',
    ],
    [
      "of Plunk's form with bad places",
      {
        logic: 'OR',
        groups: [
          { filters: [PRO, { ...PRO, operator: 'is' }] },
          { filters: [PRO], conditions: { logic: 'OR', groups: [{ filters: [{ ...PRO, value: null }] }] } },
        ],
      },
      'filters.groups.0.filters.1.operator invalid_enum_value, ' +
        'filters.groups.1.conditions.groups.0.filters.0.value required',
    ],
    [
      'wrong in several places',
      all([{ ...PRO, operator: 'like' }, PRO, all([PRO, PRO, { ...PRO, value: {} }]), { field: 'email.sold' }]),
      'filters.conditions.0.operator invalid_enum_value, filters.conditions.2.conditions.2.value invalid_type, ' +
        'filters.conditions.3.field invalid_enum_value, filters.conditions.3.operator required',
    ],
  ])('%s is refused', (_name, filter, problems) => {
    expect(problemsOf(filter).join(', ')).toBe(problems)
  })

  it('tells of no more than a hundred problems', () => {
    const condition = { field: 1, operator: 2, value: 3 }
    expect(problemsOf(all(Array(50).fill(all(Array(50).fill(condition)))))).toHaveLength(100)
  })

  it.each<[condition: unknown, problems: string]>([
    [null, ' invalid_type'],
    ['plan', ' invalid_type'],
    [[PRO], ' invalid_type'],
    [{}, '.field required, .operator required'],
    [{ field: 7, operator: 'equals', value: 1 }, '.field invalid_type'],
    [{ field: '', operator: 'equals', value: 1 }, '.field required'],
    [{ field: 'event.', operator: 'triggered' }, '.field invalid_enum_value'],
    [{ field: 'segment.', operator: 'memberOfSegment' }, '.field invalid_enum_value'],
    [{ field: 'campaign.01900000-0000-7000-8000-000000000000', operator: 'triggered' }, '.operator invalid_enum_value'],
    [{ field: 'email.', operator: 'triggered' }, '.field invalid_enum_value'],
    [{ field: 'email.opend', operator: 'triggered' }, '.field invalid_enum_value'],
    [{ field: 'x'.repeat(1001), operator: 'exists' }, '.field too_big'],
    [{ field: 'data.\u0000', operator: 'exists' }, '.field invalid_string'],
    [{ field: 'data.\ud800', operator: 'exists' }, '.field invalid_string'],
    [{ field: 'plan' }, '.operator required'],
    [{ field: 'plan', operator: 7 }, '.operator invalid_type'],
    [{ field: 'plan', operator: '=' }, '.operator invalid_enum_value'],
    [{ field: 'plan', operator: 'toString' }, '.operator invalid_enum_value'],
    [{ field: 'plan', operator: '__proto__' }, '.operator invalid_enum_value'],
    [{ field: 'plan', operator: 'triggered' }, '.operator invalid_enum_value'],
    [{ field: 'email', operator: 'exists' }, '.operator invalid_enum_value'],
    [{ field: 'email', operator: 'greaterThan', value: 'a' }, '.operator invalid_enum_value'],
    [{ field: 'subscribed', operator: 'contains', value: 't' }, '.operator invalid_enum_value'],
    [{ field: 'createdAt', operator: 'contains', value: '2025' }, '.operator invalid_enum_value'],
    [{ field: 'updatedAt', operator: 'in', value: ['2025-01-01'] }, '.operator invalid_enum_value'],
    [{ field: 'event.x', operator: 'equals', value: 1 }, '.operator invalid_enum_value'],
    [{ field: 'email.open', operator: 'contains', value: 'x' }, '.operator invalid_enum_value'],
    [{ field: 'segment.x', operator: 'triggered' }, '.operator invalid_enum_value'],
    [{ field: 'email', operator: 'equals' }, '.value required'],
    [{ field: 'email', operator: 'equals', value: null }, '.value required'],
    [{ field: 'email', operator: 'equals', value: 7 }, '.value invalid_type'],
    [{ field: 'email', operator: 'in', value: 'ada' }, '.value invalid_type'],
    [{ field: 'email', operator: 'in', value: ['ada', 7, null] }, '.value.1 invalid_type, .value.2 required'],
    [{ field: 'email', operator: 'contains', value: '' }, '.value too_small'],
    [{ field: 'email', operator: 'equals', value: '' }, '.value too_small'],
    [{ field: 'plan', operator: 'notEquals', value: ' ' }, '.value too_small'],
    [{ field: 'plan', operator: 'in', value: ['pro', ''] }, '.value.1 too_small'],
    [{ field: 'plan', operator: 'greaterThan', value: '' }, '.value too_small'],
    [{ field: 'email', operator: 'equals', value: 'a\u0000' }, '.value invalid_string'],
    [{ field: 'subscribed', operator: 'equals', value: 'true' }, '.value invalid_type'],
    [{ field: 'subscribed', operator: 'notEquals' }, '.value required'],
    [{ field: 'tracking', operator: 'in', value: ['none'] }, '.operator invalid_enum_value'],
    [{ field: 'tracking', operator: 'equals', value: 'some' }, '.value invalid_enum_value'],
    [{ field: 'tracking', operator: 'equals', value: true }, '.value invalid_type'],
    [{ field: 'tracking', operator: 'notEquals' }, '.value required'],
    [{ field: 'createdAt', operator: 'equals', value: 1748779200000 }, '.value invalid_type'],
    [{ field: 'createdAt', operator: 'lessThan', value: 'yesterday' }, '.value invalid_date'],
    [{ field: 'createdAt', operator: 'lessThan', value: '2025-02-30' }, '.value invalid_date'],
    [{ field: 'createdAt', operator: 'within', value: '2025-01-01', unit: 'days' }, '.value invalid_type'],
    [{ field: 'createdAt', operator: 'within', value: 7 }, '.unit required'],
    [{ field: 'createdAt', operator: 'within', value: 7, unit: 'weeks' }, '.unit invalid_enum_value'],
    [{ field: 'createdAt', operator: 'within', value: 7, unit: 7 }, '.unit invalid_enum_value'],
    [{ field: 'createdAt', operator: 'within', value: 0, unit: 'days' }, '.value too_small'],
    [{ field: 'createdAt', operator: 'olderThan', value: -1, unit: 'days' }, '.value too_small'],
    [{ field: 'createdAt', operator: 'olderThan', value: 1e10, unit: 'days' }, '.value too_big'],
    [{ field: 'createdAt', operator: 'olderThan' }, '.value required, .unit required'],
    [{ field: 'plan', operator: 'equals' }, '.value required'],
    [{ field: 'plan', operator: 'equals', value: {} }, '.value invalid_type'],
    [{ field: 'plan', operator: 'notEquals', value: ['pro'] }, '.value invalid_type'],
    [{ field: 'plan', operator: 'equals', value: Number.NaN }, '.value invalid_type'],
    [{ field: 'plan', operator: 'equals', value: 'x'.repeat(1001) }, '.value too_big'],
    [{ field: 'plan', operator: 'contains', value: 'x'.repeat(1001) }, '.value too_big'],
    [{ field: 'plan', operator: 'in', value: ['a', 'x'.repeat(1001)] }, '.value.1 too_big'],
    [{ field: 'plan', operator: 'contains', value: 7 }, '.value invalid_type'],
    [{ field: 'plan', operator: 'startsWith', value: '' }, '.value too_small'],
    [{ field: 'plan', operator: 'in' }, '.value required'],
    [{ field: 'plan', operator: 'in', value: [] }, '.value too_small'],
    [{ field: 'plan', operator: 'in', value: Array(501).fill('x') }, '.value too_big'],
    [{ field: 'plan', operator: 'in', value: ['x', {}, null] }, '.value.1 invalid_type, .value.2 invalid_type'],
    [{ field: 'plan', operator: 'greaterThan', value: true }, '.value invalid_type'],
    [{ field: 'plan', operator: 'within', value: '7', unit: 'days' }, '.value invalid_type'],
    [{ field: 'exp', operator: 'within', value: 'today', unit: 'days' }, '.value invalid_type'],
    [{ field: 'exp', operator: 'withinNext', value: 7 }, '.unit required'],
    [{ field: 'exp', operator: 'withinNext', value: 0, unit: 'days' }, '.value too_small'],
    [{ field: 'exp', operator: 'withinNext', value: '+7 days', unit: 'days' }, '.value invalid_type'],
    [{ field: 'createdAt', operator: 'withinNext', value: 7, unit: 'days' }, '.operator invalid_enum_value'],
    [{ field: 'pausedUntil', operator: 'contains', value: '2026' }, '.operator invalid_enum_value'],
    [{ field: 'pausedUntil', operator: 'greaterThan', value: 'soon' }, '.value invalid_date'],
    [{ field: 'everyDays', operator: 'withinNext', value: 7, unit: 'days' }, '.operator invalid_enum_value'],
    [{ field: 'everyDays', operator: 'equals', value: '7' }, '.value invalid_type'],
    [{ field: 'exp', operator: 'yearlyWithinNext' }, '.value required'],
    [{ field: 'exp', operator: 'yearlyWithinNext', value: 1.5 }, '.value invalid_type'],
    [{ field: 'exp', operator: 'yearlyWithinNext', value: 'today' }, '.value invalid_type'],
    [{ field: 'exp', operator: 'yearlyWithinNext', value: -1 }, '.value too_small'],
    [{ field: 'exp', operator: 'yearlyWithinNext', value: 366 }, '.value too_big'],
    [{ field: 'exp', operator: 'yearlyWithinNext', value: 3, unit: 'hours' }, '.unit invalid_enum_value'],
    [{ field: 'exp', operator: 'lessThan', value: 'today' }, '.value invalid_date'],
    [{ field: 'exp', operator: 'greaterThan', value: '+7 days' }, '.value invalid_date'],
    [{ field: 'exp', operator: 'greaterThanOrEqual', value: 'Now - 7d' }, '.value invalid_date'],
    [{ field: 'exp', operator: 'lessThanOrEqual', value: 'next  week' }, '.value invalid_date'],
    [{ field: 'exp', operator: 'lessThan', value: '3 days ago' }, '.value invalid_date'],
    [{ field: 'exp', operator: 'lessThan', value: '-2w' }, '.value invalid_date'],
    [{ field: 'createdAt', operator: 'equals', value: 'today' }, '.value invalid_date'],
    [{ field: 'event.x', operator: 'triggeredWithin', value: 7 }, '.unit required'],
    [{ field: 'event.x', operator: 'triggeredOlderThan', unit: 'days' }, '.value required'],
    [{ field: 'event.x', operator: 'notTriggeredWithin', value: 7, unit: 'day' }, '.unit invalid_enum_value'],
    [{ field: 'event.x', operator: 'triggered', count: 0 }, '.count too_small'],
    [{ field: 'event.x', operator: 'triggered', count: 1.5 }, '.count invalid_type'],
    [{ field: 'event.x', operator: 'triggered', count: '2' }, '.count invalid_type'],
    [{ field: 'event.x', operator: 'triggered', count: 1_000_001 }, '.count too_big'],
  ])('is refused for the condition %j', (condition, problems) => {
    const places = problems.split(', ').map((problem) => `filters.conditions.1${problem}`)
    expect(problemsOf(all([PRO, condition]))).toEqual(places)
  })

  it('keeps what was written, and drops what its operators do not need', () => {
    const written = all([
      { field: 'plan', operator: 'exists', value: 'x', unit: 'days', count: 7, other: true },
      { field: 'data.plan', operator: 'in', value: ['a', 1, false] },
      { field: 'event.x', operator: 'triggeredWithin', value: 1.5, unit: 'hours', count: 2 },
      { field: 'email.open', operator: 'triggered', value: '', unit: null, count: null },
      { field: 'born', operator: 'yearlyWithinNext', value: 0, unit: 'days' },
      { field: 'size', operator: 'lessThan', value: "today's" },
    ])
    expect(readFilter({ ...written, more: 1 }, 'filters')).toEqual(
      all([
        { field: 'plan', operator: 'exists' },
        { field: 'data.plan', operator: 'in', value: ['a', 1, false] },
        { field: 'event.x', operator: 'triggeredWithin', value: 1.5, unit: 'hours', count: 2 },
        { field: 'email.open', operator: 'triggered' },
        { field: 'born', operator: 'yearlyWithinNext', value: 0 },
        { field: 'size', operator: 'lessThan', value: "today's" },
      ]),
    )
  })

  it("turns Plunk's form into the one form, which can be read again", () => {
    const free = { ...PRO, value: 'free' }
    const filters = [
      [{ logic: 'OR', groups: [{ filters: [PRO, free] }] }, all([PRO, free])],
      [{ logic: 'OR', groups: [{ filters: [PRO] }, { filters: [free] }] }, any([PRO, free])],
      [{ logic: 'OR', groups: [{ filters: [PRO, free] }, { filters: [free] }] }, any([all([PRO, free]), free])],
      [
        { logic: 'AND', groups: [{ filters: [], conditions: { logic: 'OR', groups: [{ filters: [PRO] }] } }] },
        all([all([PRO])]),
      ],
      [{ logic: 'AND', groups: [{ filters: [PRO], conditions: all([free]) }] }, all([PRO, all([free])])],
    ]
    for (const [plunks, ours] of filters) {
      expect(readFilter(plunks, 'condition')).toEqual(ours)
      expect(readFilter(ours, 'filters')).toEqual(ours)
    }
  })

  it("never makes of Plunk's form what is nested too deep", () => {
    let written: unknown = { logic: 'AND', groups: [{ filters: [PRO] }] }
    let levels = 1
    for (; levels < 20; levels++) {
      written = { logic: 'OR', groups: [{ filters: [PRO], conditions: written }, { filters: [PRO] }] }
      try {
        readFilter(readFilter(written, 'condition'), 'filters')
      } catch (error) {
        expect(EngineError.is(error) && error.fields[0]?.field).toMatch(/^condition\.groups/)
        break
      }
    }
    expect(levels).toBe(3)
  })

  // what people did with a campaign, asked of a text that is no id, was refused as an operator of a data field
  it('that asks of a campaign without its id says that the id is meant', () => {
    const asked = (operator: string) => () =>
      readFilter(all([{ field: 'campaign.summer', operator, value: 'yes' }]), 'filters')
    const [field, message] = [
      'filters.conditions.0.field',
      'must be "campaign." and the id of a campaign for this operator',
    ]
    expect(asked('notOpened')).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ field, message })] }),
    )
    expect(asked('equals')().conditions).toHaveLength(1)
  })
})

function all(conditions: readonly unknown[]) {
  return { operator: 'AND', conditions }
}

function any(conditions: readonly unknown[]) {
  return { operator: 'OR', conditions }
}

function problemsOf(filter: unknown): readonly string[] {
  try {
    const read: Filter = readFilter(filter, 'filters')
    return [JSON.stringify(read)]
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
    return error.fields.map(({ field, code }) => `${field}${field.endsWith(' ') ? '' : ' '}${code}`)
  }
}
