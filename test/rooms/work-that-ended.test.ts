import { expect, it } from 'vitest'
import { seeThrough } from '../../core/work/interrupted.ts'

it('frees what it had begun as soon as the database is back, since a lease would hold it up for long', async () => {
  const begun = { key: 'a', projectId: 'p', leaseToken: 't' }
  const done: string[] = []
  const begunWork = {
    end: async () => {
      done.push('end')
      if (done.length < 4) throw new Error('The database is away.')
    },
  }
  const failing = seeThrough(
    { begunWork } as never,
    begun as never,
    () => Promise.reject(new Error('work')),
    async () => {},
  )
  await expect(failing).rejects.toThrow('work')
  expect(done).toHaveLength(4)
})
