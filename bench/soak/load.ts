import { setTimeout as pause } from 'node:timers/promises'
import { type Installation, SECRET } from './installation.ts'

/** How often each thing is done, in milliseconds. */
const EVERY = { send: 100, batch: 5_000, track: 100, campaign: 60_000, import: 60_000, read: 500 } as const
/** How many mails one batch has, contacts a campaign goes to, and rows an import has. */
export const MANY = { batch: 50, audience: 500, rows: 1_000 } as const
/** An answer that takes longer is none. */
const PATIENCE_MS = 30_000
/** How long a caller waits before it asks again for what was refused. */
const AGAIN_MS = 500

const READS = [
  '/emails?limit=20',
  '/activity?limit=50',
  '/analytics/timeseries',
  '/contacts?limit=20&search=c1',
  '/events/stats',
  '/campaigns?limit=20',
  '/health',
]

/** The accepted work, which must be found at the end. */
export interface Promised {
  /** The recipients of single mails and of batches; each has one mail. */
  readonly mails: Set<string>
  readonly campaigns: string[]
  readonly imports: string[]
  /** How many events were accepted, and how many more may be stored: their requests were not answered. */
  events: number
  unanswered: number
}

/** An API client that works steadily, continues after every refusal, and remembers every accepted request. */
export class Load {
  readonly promised: Promised = { mails: new Set(), campaigns: [], imports: [], events: 0, unanswered: 0 }
  readonly readMs: number[] = []
  /** How many requests were refused or not answered, by status; 0 for no answer. */
  readonly refused = new Map<number, number>()
  /** How many campaigns were asked for; the answer to some may have been lost. */
  campaigns = 0
  readonly #installation: Installation
  #isOn = true
  #made = 0
  readonly #loops: Promise<void>[] = []

  constructor(installation: Installation) {
    this.#installation = installation
  }

  /** Makes what the load needs: contacts to write to, and a listener to events. */
  async prepare(hook: string): Promise<void> {
    await this.#need('POST', '/webhooks', { url: hook, events: ['email.delivery', 'bought'] })
    const rows = Array.from({ length: MANY.audience }, (_, i) => `n${i}@news.example,news`)
    await this.#import(`email,group\n${rows.join('\n')}`)
    while (!(await this.importsAreDone())) await pause(100)
  }

  begin(): void {
    this.#repeat(EVERY.send, () => this.#send())
    this.#repeat(EVERY.batch, () => this.#batch())
    this.#repeat(EVERY.track, () => this.#track())
    this.#repeat(EVERY.campaign, () => this.#campaign())
    this.#repeat(EVERY.import, () => this.#importRows())
    this.#repeat(EVERY.read, () => this.#read())
  }

  async end(): Promise<void> {
    this.#isOn = false
    await Promise.all(this.#loops)
  }

  /** Asks once. Answers undefined unless the status is 2xx. */
  async ask<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    const isForm = body instanceof FormData
    const type = isForm || body === undefined ? {} : { 'content-type': 'application/json' }
    let status = 0
    try {
      const response = await fetch(this.#installation.url + path, {
        method,
        headers: { authorization: `Bearer ${SECRET}`, ...type },
        signal: AbortSignal.timeout(PATIENCE_MS),
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      })
      status = response.status
      const text = await response.text()
      if (response.ok) return JSON.parse(text === '' ? '{}' : text) as T
    } catch {}
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1)
    return undefined
  }

  async importsAreDone(): Promise<boolean> {
    for (const id of this.promised.imports) {
      const job = await this.ask<{ state: string }>('GET', `/contacts/import/${id}`)
      if (job?.state !== 'completed') return false
    }
    return true
  }

  /** Runs again and again, so often in the mean, however long one run takes. */
  #repeat(everyMs: number, work: () => Promise<unknown>): void {
    const loop = async () => {
      for (let next = performance.now(); this.#isOn; next = Math.max(next + everyMs, performance.now() - everyMs)) {
        await work()
        while (this.#isOn && performance.now() < next + everyMs) {
          await pause(Math.min(1_000, Math.max(1, next + everyMs - performance.now())))
        }
      }
    }
    this.#loops.push(loop())
  }

  /** Asks until there is a yes, or the load ends. */
  async #need<T>(method: string, path: string, body?: object): Promise<T | undefined> {
    for (;;) {
      const answer = await this.ask<T>(method, path, body)
      if (answer !== undefined || !this.#isOn) return answer
      await pause(AGAIN_MS)
    }
  }

  async #send(): Promise<void> {
    const to = `s${this.#made++}@soak.example`
    if (await this.ask('POST', '/v1/send', mailTo(to))) this.promised.mails.add(to)
    else await pause(AGAIN_MS)
  }

  async #batch(): Promise<void> {
    const all = Array.from({ length: MANY.batch }, () => `b${this.#made++}@soak.example`)
    if (await this.ask('POST', '/v1/send/batch', { messages: all.map(mailTo) }))
      for (const to of all) this.promised.mails.add(to)
    else await pause(AGAIN_MS)
  }

  async #track(): Promise<void> {
    const email = `n${this.#made++ % MANY.audience}@news.example`
    if (await this.ask('POST', '/v1/track', { email, event: 'bought', data: { n: this.#made } })) this.promised.events++
    else {
      this.promised.unanswered++
      await pause(AGAIN_MS)
    }
  }

  async #campaign(): Promise<void> {
    const name = `News ${this.#made++}`
    const audienceFilter = { operator: 'AND', conditions: [{ field: 'data.group', operator: 'equals', value: 'news' }] }
    const campaign = { name, subject: name, body: '<p>Hi {{ email }}</p>', from: 'news@example.com' }
    const made = await this.#need<{ data: { id: string } }>('POST', '/campaigns', {
      ...campaign,
      audienceType: 'FILTERED',
      audienceFilter,
    })
    // asked again without an answer it may say that it is sent already: what counts is that it is SENT in the end
    if (made) this.campaigns++
    if (made && (await this.ask('POST', `/campaigns/${made.data.id}/send`))) this.promised.campaigns.push(made.data.id)
  }

  async #importRows(): Promise<void> {
    const n = this.#made++
    const rows = Array.from({ length: MANY.rows }, (_, i) => `i${n}-${i}@rows.example,rows`)
    await this.#import(`email,group\n${rows.join('\n')}`)
  }

  async #import(csv: string): Promise<void> {
    const form = new FormData()
    form.append('file', new File([csv], 'contacts.csv', { type: 'text/csv' }))
    const job = await this.ask<{ jobId: string }>('POST', '/contacts/import', form)
    if (job) this.promised.imports.push(job.jobId)
  }

  async #read(): Promise<void> {
    const path = READS[this.#made++ % READS.length] ?? '/health'
    const start = performance.now()
    if (await this.ask('GET', path)) this.readMs.push(performance.now() - start)
  }
}

function mailTo(to: string): object {
  return { to, from: 'hello@example.com', subject: `For ${to}`, body: `<p>Hello ${to}</p>` }
}
