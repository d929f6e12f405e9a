import { expect, it } from 'vitest'
import { bytesOf } from '../../server/http/stream.ts'

it('a reader that goes away while a piece is made is no error, and the source is told', async () => {
  const errors: unknown[] = []
  const made = Promise.withResolvers<void>()
  let isEnded = false
  async function* pieces() {
    try {
      yield 'first'
      await made.promise
      yield 'second'
    } finally {
      isEnded = true
    }
  }
  const reader = bytesOf(pieces(), (error) => errors.push(error)).getReader()
  await reader.read()
  const second = reader.read()
  // until the source is asked for it
  await new Promise((resolve) => setImmediate(resolve))
  const cancelled = reader.cancel()
  made.resolve()
  await Promise.all([second, cancelled])
  expect({ errors, isEnded }).toEqual({ errors: [], isEnded: true })
})
