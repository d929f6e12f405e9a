import { describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import type { Filter } from '../../core/ports/store/filters.ts'
import { refuseWhileUsed } from '../../core/references/references.ts'
import { filterUses } from '../../core/references/segment-references.ts'
import { holdersOf, type Thing, type Uses } from '../../core/references/uses.ts'

const filter: Filter = {
  operator: 'AND',
  conditions: [
    { field: 'createdAt', operator: 'within', value: 7, unit: 'days' },
    { field: 'plan', operator: 'equals', value: 'pro' },
    {
      operator: 'OR',
      conditions: [
        { field: 'data.address.city', operator: 'exists' },
        { field: 'event.shop/cart.add', operator: 'triggered' },
        { field: 'email.open', operator: 'triggered' },
        { field: 'segment.0190', operator: 'memberOfSegment' },
      ],
    },
  ],
}
const key = (name: string): Thing => ({ kind: 'field', field: { key: name } })
const event = (name: string): Thing => ({ kind: 'event', name })

describe('what a filter uses', () => {
  it.each<[Thing, boolean]>([
    [{ kind: 'field', field: { standard: 'createdAt' } }, true],
    [{ kind: 'field', field: { standard: 'email' } }, false],
    [key('plan'), true],
    [key('data.plan'), false],
    [key('address'), true],
    [key('city'), false],
    // it may be a key, too
    [key('address.city'), true],
    [key('createdAt'), false],
    [event('shop/cart.add'), true],
    [event('shop'), false],
    [event('email.open'), true],
    [event('open'), false],
    [{ kind: 'segment', id: '0190' }, true],
    [{ kind: 'segment', id: '0191' }, false],
    [{ kind: 'template', id: '0190' }, false],
  ])('%j: %s', (thing, used) => {
    expect(filterUses(filter, thing)).toBe(used)
  })
})

describe('what keeps a thing', () => {
  const none: Uses = { segments: [], campaigns: [], workflows: [], forms: [], drafts: [] }
  const named = (name: string) => ({ id: name, name })

  it('is every segment and workflow, and every campaign that is not sent', () => {
    const campaigns = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT'].map((status) => ({ ...named(status), status }))
    const uses = { ...none, segments: [named('S')], campaigns, workflows: [named('W')] }
    expect(holdersOf(uses).map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      ...['segment S', 'campaign DRAFT', 'campaign SCHEDULED', 'campaign SENDING', 'workflow W'],
    ])
    expect(holdersOf({ ...none, campaigns: campaigns.slice(-1) })).toEqual([])
  })

  it('is named in the refusal, the first ten of many', () => {
    expect(() => refuseWhileUsed('The field data.x', none)).not.toThrow()
    const segments = Array.from({ length: 12 }, (_, i) => named(`S${i}`))
    const refusal = thrownBy(() => refuseWhileUsed('The field data.x', { ...none, segments }))
    expect(refusal).toMatchObject({ code: 'CONFLICT', suggestion: expect.any(String) })
    expect(refusal.message).toMatch(/^The field data\.x is used by the segment "S0", .*the segment "S9" and 2 more\.$/)
  })
})

function thrownBy(work: () => void): EngineError {
  try {
    work()
  } catch (error) {
    if (EngineError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
