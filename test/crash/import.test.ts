import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'c'.repeat(48)}`
const ROWS = 8_000

let server: ServerProcess | undefined
let folder: string

afterEach(async () => {
  await server?.kill()
  rmSync(folder, { recursive: true, force: true })
})

/** How the process ends, and behind how many percent. */
const ENDS = [
  [20, (process: ServerProcess) => process.kill()],
  [55, (process: ServerProcess) => process.stop()],
] as const

it('an import goes on behind the last batch when its process is killed with SIGKILL and when it is stopped with SIGTERM: every row counts once, and every event is there once', async () => {
  folder = mkdtempSync(join(tmpdir(), 'mailwright-crash-'))
  const config = {
    projects: [{ name: 'Crash', secretKey: SECRET }],
    limits: { requestsPerMinute: 1_000_000 },
    log: { level: 'warn' },
  }
  const addresses = Array.from({ length: ROWS }, (_, i) => `user${i}@example.org`)
  server = await startServerProcess(folder, config)
  const made = await upload(`email,subscribed\n${addresses.map((email) => `${email},false`).join('\n')}`)
  expect((await ended(made)).result).toMatchObject({ createdCount: ROWS, failureCount: 0 })

  const jobId = await upload(`email,subscribed,n\n${addresses.map((email, i) => `${email},true,${i}`).join('\n')}`)
  const seen: { readonly state: string; readonly progress: number }[] = []
  for (const [aim, end] of ENDS) {
    seen.push(await jobWhen(jobId, `${aim} % are done`, ({ progress }) => progress >= aim))
    await end(server)
    expect(server.output()).not.toMatch(/\berror\b/i)
    server = await startServerProcess(folder, config)
  }
  const { state, result } = await ended(jobId)
  expect(state).toBe('completed')
  const counts = { totalRows: ROWS, successCount: ROWS, createdCount: 0, updatedCount: ROWS, failureCount: 0 }
  const consent = { keptUnsubscribed: 0, resubscribed: 0 }
  const columns = [
    { header: 'email', key: 'email', type: 'string' },
    { header: 'subscribed', key: 'subscribed', type: 'boolean' },
    { header: 'n', key: 'n', type: 'number' },
  ]
  expect(result).toEqual({ ...counts, ...consent, keptCount: 0, errors: [], columns, notes: [], encoding: 'utf-8' })
  const events = (await ask('/events/stats')).body.find(({ name }: { name: string }) => name === 'contact.subscribed')
  expect(events.count).toBe(ROWS)
  expect((await ask('/contacts?subscribed=true&limit=1')).body.total).toBe(ROWS)
  expect((await ask('/contacts?subscribed=false&limit=1')).body.total).toBe(0)
  expect(seen.map(({ progress }) => progress)).toEqual(seen.map(({ progress }) => progress).toSorted((a, b) => a - b))
  // else nothing was at stake
  expect(seen.map((job) => job.state)).toEqual(['active', 'active'])
}, 180_000)

// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
async function ask(path: string, init: RequestInit = {}): Promise<{ status: number; body: any }> {
  const response = await fetch(`${server?.url}${path}`, { ...init, headers: { authorization: `Bearer ${SECRET}` } })
  return { status: response.status, body: await response.json() }
}

async function upload(csv: string): Promise<string> {
  const form = new FormData()
  form.append('file', new Blob([csv]), 'contacts.csv')
  const { status, body } = await ask('/contacts/import', { method: 'POST', body: form })
  expect(status).toBe(202)
  return body.jobId
}

function ended(jobId: string) {
  return jobWhen(jobId, 'the import has ended', ({ state }) => state === 'completed' || state === 'failed')
}

function jobWhen(jobId: string, what: string, is: (job: { state: string; progress: number }) => boolean) {
  return until(
    what,
    async () => {
      const { body } = await ask(`/contacts/import/${jobId}`)
      return is(body) ? body : undefined
    },
    60_000,
    2,
  )
}
