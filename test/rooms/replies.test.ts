import { describe, expect, it } from 'vitest'
import { namesIn } from '../../core/inbound/replies.ts'

const ONE = '01900000-0000-7000-8000-000000000001'
const TWO = '01900000-0000-7000-8000-000000000002'

describe('the mails that a message answers', () => {
  it('are those of In-Reply-To, then those of References from the last, in any letter case', () => {
    const headers = [
      ['references', `<x@elsewhere.example> <${TWO}@example.com>\n <${ONE.toUpperCase()}@example.com>`],
      ['In-Reply-To', `(comment) <${TWO}@example.com>`],
    ] as const
    expect(namesIn(headers)).toEqual([{ id: TWO }, { id: ONE }, { id: TWO }])
  })

  it('may be named by the id that Amazon gave them', () => {
    const headers = [['In-Reply-To', '<0102018f-aaaa-000000@eu-west-1.amazonses.com>']] as const
    expect(namesIn(headers)).toEqual([{ providerId: '0102018f-aaaa-000000' }])
  })

  it('are none of other names, and at most 20 of a long thread, the nearest', () => {
    expect(namesIn([['In-Reply-To', '<abc@example.com> nonsense <a b@c>']])).toEqual([])
    expect(namesIn([])).toEqual([])
    const id = (number: number) => `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`
    const references = Array.from({ length: 300 }, (_, i) => `<${id(i)}@example.com>`).join(' ')
    const named = namesIn([['References', references]])
    expect(named).toHaveLength(20)
    expect(named[0]).toEqual({ id: id(299) })
  })
})
