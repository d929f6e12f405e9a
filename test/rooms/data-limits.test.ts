import { describe, expect, it } from 'vitest'
import { changedData, readData } from '../../core/contacts/contact.ts'

const change = (data: object, by: object) => changedData('ada@example.com', { ...data }, readData({ ...by }))

describe('the data of a contact that is larger than it may be by now', () => {
  // contacts were written before there were limits: cleaning one up step by step must work
  it('may shrink and change, and not grow', () => {
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, 1]))
    expect(Object.keys(change(many, { k0: null, k1: 2 }))).toHaveLength(599)
    expect(() => change(many, { more: 1 })).toThrow('500 keys')
    const heavy = { a: 'x'.repeat(70_000), b: 1 }
    expect(change(heavy, { a: 'y'.repeat(69_000) })).toEqual({ a: 'y'.repeat(69_000), b: 1 })
    expect(() => change(heavy, { b: 22 })).toThrow('64 KB')
  })
})
