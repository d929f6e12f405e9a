import { describe, expect, it } from 'vitest'
import { readMailDate } from '../../server/compat/kit/mail-date.ts'

describe('a date as mail has it', () => {
  it.each([
    ['Fri, 14 Oct 2011 23:10:10 -0000', '2011-10-14T23:10:10.000Z'],
    ['14 oct 2011 23:10 GMT', '2011-10-14T23:10:00.000Z'],
    ['Thu, 1 Mar 2029 00:15:00 +0530', '2029-02-28T18:45:00.000Z'],
    ['Sun, 31 Dec 2028 23:30:00 -0045', '2029-01-01T00:15:00.000Z'],
    ['Tue, 29 Feb 2028 12:00:00 EST', '2028-02-29T17:00:00.000Z'],
    ['Tue, 29 Feb 2028 12:00:00 pdt', '2028-02-29T19:00:00.000Z'],
  ])('reads %s', (text, at) => {
    expect(readMailDate(text)?.toISOString()).toBe(at)
  })

  it.each([
    'Thu, 29 Feb 2029 12:00:00 GMT',
    'Fri, 14 Abc 2011 23:10:10 GMT',
    'Fri, 14 Oct 2011 24:00:00 GMT',
    'Fri, 14 Oct 2011 23:60:00 GMT',
    'Fri, 14 Oct 2011 23:10:60 GMT',
    'Fri, 0 Oct 2011 23:10:10 GMT',
    'Fri, 14 Oct 2011 23:10:10 CET',
    'Fri, 14 Oct 2011 23:10:10',
    '2011-10-14T23:10:10Z',
  ])('takes %s for no date', (text) => {
    expect(readMailDate(text)).toBeUndefined()
  })
})
