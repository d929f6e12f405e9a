import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase } from '../support/fresh-database.ts'
import { startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const LARGE = 'lorem ipsum '.repeat(400)

async function started(store: object) {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-stops-'))
  const server = await startServerProcess(folder, {
    projects: [{ name: 'Stops', secretKey: SECRET, trustedDomains: ['acme.example'] }],
    limits: { requestsPerMinute: 1_000_000 },
    log: { level: 'warn' },
    ...store,
  })
  onTestFinished(async () => {
    if (server.child.exitCode === null && server.child.signalCode === null) await server.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const ended = once(server.child, 'close')
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  const ask = async (method: string, path: string, body?: object): Promise<any> => {
    const isForm = body instanceof FormData
    const headers = { authorization: `Bearer ${SECRET}`, ...(isForm ? {} : { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
    return (await fetch(server.url + path, { method, headers, ...sent })).json()
  }
  const upload = async (csv: string): Promise<string> => {
    const form = new FormData()
    form.append('file', new Blob([csv]), 'contacts.csv')
    return (await ask('POST', '/contacts/import', form)).jobId
  }
  const imported = (jobId: string) =>
    until(
      'the import has ended',
      async () => {
        const { state } = await ask('GET', `/contacts/import/${jobId}`)
        return state === 'completed' || state === 'failed'
      },
      60_000,
    )
  return { ...server, ended, ask, upload, imported }
}

type Server = Awaited<ReturnType<typeof started>>

/** The work that a server is in the middle of. */
const MOMENTS: Readonly<Record<string, (server: Server) => Promise<unknown>>> = {
  async 'has nothing to do'() {},
  async 'reads very many contacts for a filter'({ ask, upload, imported }) {
    await imported(
      await upload(`email,text\n${Array.from({ length: 900 }, (_, i) => `r${i}@x.example,${LARGE}`).join('\n')}`),
    )
    const conditions = Array.from({ length: 90 }, (_, i) => ({
      field: 'data.text',
      operator: 'contains',
      value: `dolor${i}`,
    }))
    const segment = { name: 'Heavy', trackMembership: true, filters: { operator: 'OR', conditions } }
    const { id } = await ask('POST', '/segments', segment)
    for (let reads = 0; reads < 3; reads++) void ask('POST', `/segments/${id}/compute`).catch(() => {})
    await pause(150)
  },
  async 'imports contacts'({ upload }) {
    await upload(`email,n\n${Array.from({ length: 20_000 }, (_, i) => `i${i}@x.example,${i}`).join('\n')}`)
    await pause(300)
  },
  async 'sends mail'({ ask }) {
    const to = Array.from({ length: 100 }, (_, i) => `s${i}@x.example`)
    await ask('POST', '/v1/send', { to, from: 'hi@acme.example', subject: 'Hi', body: '<p>Hi</p>' })
  },
}

// one handler takes both signals: each moment has both, one on each store
describe.each([
  { name: 'SQLite', signals: ['SIGTERM', 'SIGINT'], store: async () => ({}) },
  {
    name: 'PostgreSQL',
    signals: ['SIGINT', 'SIGTERM'],
    store: async () => ({ store: { use: 'postgres', options: { url: await freshDatabase() } } }),
  },
] as const)('a server on $name that is told to stop', { timeout: 120_000 }, ({ signals, store }) => {
  it.each(
    Object.keys(MOMENTS).map((moment, i) => [moment, signals[i % 2 ? 1 : 0]] as const),
  )('while it %s, by %s, ends with 0', async (moment, signal) => {
    const server = await started(await store())
    await MOMENTS[moment]?.(server)
    server.child.kill(signal)
    expect(await server.ended).toEqual([0, null])
    expect(server.output()).not.toMatch(/unsettled top-level await|"level":"error"/)
  })

  it('twice ends with 1 at once', async () => {
    const server = await started(await store())
    await MOMENTS['reads very many contacts for a filter']?.(server)
    server.child.kill('SIGTERM')
    await pause(20)
    server.child.kill('SIGTERM')
    // unless the first one was done already
    expect([0, 1]).toContain((await server.ended)[0])
  })

  it('answers others while it imports a cell of five megabytes of quotes, and refuses its row', async () => {
    const server = await started(await store())
    // a busy machine may stutter: the cell once held the server for good, and how long work may hold it is held by stalls.test.ts
    let least = Number.POSITIVE_INFINITY
    for (let time = 0; time < 3 && least > 1000; time++) {
      const jobId = await server.upload(`email\n${'"'.repeat(4_900_000)}`)
      let longest = 0
      let job: { readonly state?: string; readonly result?: unknown } = {}
      while (job.state !== 'completed' && job.state !== 'failed') {
        const begun = performance.now()
        job = await server.ask('GET', `/contacts/import/${jobId}`)
        longest = Math.max(longest, performance.now() - begun)
      }
      const errors = [{ row: 2, error: expect.stringMatching(/^email: has \d{7} characters/) }]
      expect(job).toMatchObject({ state: 'completed', result: { failureCount: 1, errors } })
      least = Math.min(least, longest)
    }
    expect(least).toBeLessThan(1000)
    expect(await server.stop()).toBe(0)
  })
})
