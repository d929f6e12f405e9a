import { get } from 'node:http'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Project } from '../../config/library.ts'
import { silentLog } from '../../core/ports/log.ts'
import { listen } from '../../server/http/http-server.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { ended, upload } from '../support/contact-jobs.ts'
import { QUICK } from '../support/matrix.ts'

/** Without a turn of the event loop the one who asks beside would wait for this many rounds, and after them. */
const ROUNDS = 500

for (const store of [QUICK]) {
  describe(`a request beside long work on ${store.name}`, () => {
    let test: TestApp
    let project: Project
    let url: string

    beforeAll(async () => {
      test = await testApp(store)
      await test.engine.start()
      const rows = Array.from({ length: 3000 }, (_, i) => `t${i}@t.example,${i}`)
      await ended(test, await upload(test, `email,n\n${rows.join('\n')}`), 'import')
      project = (await test.engine.projects.list()).find(({ name }) => name === 'Test')!
      const server = await listen(test.app, { host: '127.0.0.1', port: 0 }, silentLog)
      url = server.url
      return () => server.close(0)
    })

    /** Does the work again and again until a request over a socket is answered; answers whether it ever was. */
    async function isAnswered(work: () => Promise<unknown>): Promise<boolean> {
      let answered = false
      const request = get(`${url}/health/live`, (response) => {
        response.resume().on('end', () => {
          answered = true
        })
      })
      request.on('error', () => {})
      onTestFinished(() => void request.destroy())
      for (let round = 0; round < ROUNDS && !answered; round++) await work()
      return answered
    }

    it('is answered while contacts are exported', async () => {
      const drain = async () => {
        let pieces = 0
        for await (const _piece of await test.engine.contacts.export(project, {})) pieces++
        expect(pieces).toBeGreaterThan(2)
      }
      expect(await isAnswered(drain)).toBe(true)
    })

    it('is answered while a segment is computed', async () => {
      const filters = {
        operator: 'AND',
        conditions: [{ field: 'data.n', operator: 'greaterThan', value: 1500 }],
      } as const
      const { id } = await test.engine.segments.create(project, { name: 'Some', filters, trackMembership: true })
      expect(await isAnswered(() => test.engine.segments.compute(project, id))).toBe(true)
    })
  })
}
