import { expect } from 'vitest'
import { type Answer, type AskOptions, SECRET, type TestApp } from './app.ts'
import { until } from './until.ts'

/** The body and header of a form with one file, as `curl -F file=@contacts.csv` sends it. */
export async function fileForm(csv: string | Uint8Array, part = 'file'): Promise<Pick<AskOptions, 'raw' | 'headers'>> {
  const form = new FormData()
  form.append(part, new Blob([typeof csv === 'string' ? csv : new Uint8Array(csv)]), 'contacts.csv')
  return formOf(form)
}

/** The body and header of a form. */
export async function formOf(form: FormData) {
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
  return { raw: new Uint8Array(await encoded.arrayBuffer()), headers }
}

/** Uploads a file of contacts. */
export async function upload(
  test: TestApp,
  csv: string | Uint8Array,
  { key = SECRET, headers = {}, query = '' }: Pick<AskOptions, 'key' | 'headers'> & { readonly query?: string } = {},
): Promise<Answer> {
  const form = await fileForm(csv)
  return test.ask('POST', `/contacts/import${query}`, { key, raw: form.raw!, headers: { ...form.headers, ...headers } })
}

/** Waits until a job answered with 202 has ended, and answers it. */
export async function ended(test: TestApp, accepted: Answer, family: 'import' | 'bulk', key = SECRET) {
  expect({ status: accepted.status, body: accepted.body }).toMatchObject({
    status: 202,
    body: { jobId: expect.any(String), message: expect.any(String) },
  })
  const path = `/contacts/${family}/${accepted.body.jobId}`
  return until(
    `${path} has ended`,
    async () => {
      const { body } = await test.ask('GET', path, { key })
      return body.state === 'completed' || body.state === 'failed' ? body : undefined
    },
    15_000,
  )
}

export interface ListedContact {
  readonly id: string
  readonly subscribed: boolean
  readonly tracking: string
  readonly data: Record<string, unknown>
  readonly createdAt: string
}

/** Every contact of the project by address. */
export async function contactsOf(test: TestApp, key = SECRET) {
  const found = new Map<string, ListedContact>()
  for (let cursor: string | undefined; ; ) {
    const { body } = await test.ask('GET', `/contacts?limit=100${cursor ? `&cursor=${cursor}` : ''}`, { key })
    for (const contact of body.data) found.set(contact.email, contact)
    if (!body.hasMore) return found
    cursor = body.cursor
  }
}

/** How many events of this name the project has. */
export async function eventCount(test: TestApp, name: string, key = SECRET): Promise<number> {
  const { body } = await test.ask('GET', '/events/stats', { key })
  return body.find((stat: { name: string }) => stat.name === name)?.count ?? 0
}
