import { expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { nameBy, renamed } from '../../server/compat/kit/renamed.ts'
import { rowsOf } from '../../server/compat/kit/rows-of.ts'
import { mailsOf } from '../../server/compat/kit/send-all.ts'

const MEGABYTE = 1024 * 1024

it('makes no further mails of a request once they are too large in all', async () => {
  let made = 0
  const make = async () => {
    made++
    return { to: 'ada@example.org', body: 'x'.repeat(MEGABYTE) }
  }
  expect(await mailsOf(Array(20).fill(0), 'to', make)).toHaveLength(20)
  made = 0
  await expect(mailsOf(Array(500).fill(0), 'to', make)).rejects.toMatchObject({ fields: [{ field: 'to' }] })
  expect(made).toBe(21)
  made = 0
  await expect(mailsOf(Array(501).fill(0), 'to', make)).rejects.toMatchObject({ fields: [{ code: 'too_big' }] })
  expect(made).toBe(0)
})

it('looks for rows until there are enough, none can follow, or the list is too long', async () => {
  let pages = 0
  /** A list of a row a page, from 0 on. */
  const read = async ({ cursor = '0' }: { readonly cursor?: string }) => {
    pages++
    return { data: [Number(cursor)], cursor: String(Number(cursor) + 1), total: 5000 }
  }
  const isEven = (row: number) => row % 2 === 0
  expect(await rowsOf(read, { most: 3, counts: isEven })).toEqual({ rows: [0, 2, 4], total: 5000 })
  expect(pages).toBe(5)
  expect((await rowsOf(read, { most: 9, counts: isEven, isPast: (row) => row > 3 })).rows).toEqual([0, 2, 4])
  pages = 0
  await expect(rowsOf(read, { most: 1, counts: () => false })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(pages).toBe(1000)
})

it('names fields as a service does, in errors that stay as they are', () => {
  const names = { body: 'html' }
  expect(['body', 'headers.body', 'constructor'].map((field) => nameBy(names, field))).toEqual([
    'html',
    'headers.body',
    'constructor',
  ])
  const fields = [{ field: 'messages.3.body', code: 'custom' as const, message: 'is wrong' }]
  const error = new EngineError('RATE_LIMIT_EXCEEDED', 'Too many.', { fields, suggestion: 'Wait.', retryAfter: 7 })
  expect(renamed(error, (place, field) => `${place}/${nameBy(names, field)}`)).toMatchObject({
    fields: [{ field: '3/html' }],
    suggestion: 'Wait.',
    retryAfter: 7,
  })
})
