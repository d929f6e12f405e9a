import type { SuppressionReason } from '../../core/ports/store/suppressions.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts'
import { toOurs } from '../../core/values/resend-placeholders.ts'
import type { BroughtRecord } from './bring-over.ts'
import type { BroughtContact } from './brought-csv.ts'
import { listIn, OtherApi } from './other-api.ts'

/** A topic as Resend has it. */
interface ResendTopic {
  readonly id: string
  readonly name: string
  /** Whether contacts get it who never chose. */
  readonly isForAll: boolean
}

/** Resend's interface, as far as it lists an audience and what is sent to it. */
export class Resend {
  readonly #api: OtherApi
  readonly #signal: AbortSignal

  /** Throws RemoteProblem when the address is none. */
  constructor(url: string, key: string, signal: AbortSignal) {
    const variables = { urlVariable: 'RESEND_URL', keyVariable: 'RESEND_API_KEY' }
    this.#api = new OtherApi({ name: 'Resend', url, key, ...variables }, signal)
    this.#signal = signal
  }

  async topics(): Promise<readonly ResendTopic[]> {
    const topics: ResendTopic[] = []
    for await (const { id, name, default_subscription } of this.#all('/topics')) {
      topics.push({ id: String(id), name: String(name), isForAll: default_subscription === 'opt_in' })
    }
    return topics
  }

  /** The contacts with their topics; `slugs` are those here, by the ids there. */
  async *contacts(slugs: ReadonlyMap<string, string>): AsyncGenerator<BroughtContact> {
    for await (const contact of this.#all('/contacts')) {
      const [topics, leftTopics]: [string[], string[]] = [[], []]
      if (slugs.size > 0) {
        for await (const { id, subscription } of this.#all(
          `/contacts/${encodeURIComponent(String(contact.id))}/topics`,
        )) {
          const slug = slugs.get(String(id))
          if (slug !== undefined) (subscription === 'opt_in' ? topics : leftTopics).push(slug)
        }
      }
      const subscribed = contact.unsubscribed !== true
      // who left everything gets no topic by being in a list
      yield {
        email: String(contact.email),
        subscribed,
        data: dataOf(contact),
        leftTopics,
        ...(subscribed ? { topics } : {}),
      }
    }
  }

  /** The names of segments with the addresses in them. */
  async *segments(): AsyncGenerator<{ readonly name: string; readonly emails: readonly string[] }> {
    for await (const { id, name } of this.#all('/segments')) {
      const emails: string[] = []
      for await (const { email } of this.#all(`/segments/${encodeURIComponent(String(id))}/contacts`)) {
        emails.push(String(email))
      }
      yield { name: String(name), emails }
    }
  }

  /** The addresses that get no mail, by the reason. */
  async suppressions(): Promise<ReadonlyMap<SuppressionReason, readonly string[]>> {
    const byReason = new Map<SuppressionReason, string[]>([
      ['BOUNCE', []],
      ['COMPLAINT', []],
      ['MANUAL', []],
    ])
    for await (const { email, origin } of this.#all('/suppressions')) {
      const reason = origin === 'bounce' ? 'BOUNCE' : origin === 'complaint' ? 'COMPLAINT' : 'MANUAL'
      byReason.get(reason)?.push(String(email))
    }
    return byReason
  }

  /** The templates, with their placeholders as they are written here. */
  async *templates(): AsyncGenerator<BroughtRecord> {
    for await (const { id } of this.#all('/templates')) {
      const template = await this.#api.get(`/templates/${encodeURIComponent(String(id))}`)
      if (isJsonObject(template)) yield templateOf(template)
    }
  }

  /** The texts of broadcasts that were sent. */
  async *broadcasts(): AsyncGenerator<BroughtRecord> {
    for await (const { id, status } of this.#all('/broadcasts')) {
      if (status !== 'sent') continue
      const broadcast = await this.#api.get(`/broadcasts/${encodeURIComponent(String(id))}`)
      if (isJsonObject(broadcast)) yield broadcastOf(broadcast)
    }
  }

  /** The names of the domains that mail is sent from. */
  async domains(): Promise<readonly string[]> {
    const names: string[] = []
    for await (const { name } of this.#all('/domains')) names.push(String(name))
    return names
  }

  /** Each record of a list, page by page; none where Resend has no such list. */
  async *#all(path: string): AsyncGenerator<JsonObject> {
    let after = ''
    do {
      const page = await this.#api.getIfThere(`${path}?limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`)
      const records = listIn(page, ['data'])
      yield* records
      after = isJsonObject(page) && page.has_more === true ? String(records.at(-1)?.id ?? '') : ''
    } while (after !== '' && !this.#signal.aborted)
  }
}

const PAGE = 100

/** A template is for one person, and has no footer of a newsletter. */
function templateOf({ name, subject, html, from, reply_to, variables }: JsonObject): BroughtRecord {
  const known = (Array.isArray(variables) ? variables : []).filter(isJsonObject).map(({ key, fallback_value }) => {
    const fallback = typeof fallback_value === 'string' || typeof fallback_value === 'number' ? fallback_value : null
    return { key: String(key), fallback }
  })
  const replies = Array.isArray(reply_to) ? reply_to.filter((each) => typeof each === 'string') : []
  const called = String(name)
  return {
    name: called,
    subject: typeof subject === 'string' && subject !== '' ? toOurs(subject, known) : called,
    body: toOurs(String(html ?? ''), known),
    type: 'TRANSACTIONAL',
    ...(typeof from === 'string' && from !== '' ? senderIn(from) : {}),
    ...(replies.length > 0 ? { replyTo: replies.map(addressIn).join(', ') } : {}),
  }
}

function broadcastOf({ name, subject, html, sent_at, preview_text }: JsonObject): BroughtRecord {
  const day = typeof sent_at === 'string' ? sent_at.slice(0, 10) : ''
  const called = String(name ?? '') || String(subject ?? '') || day
  return {
    name: `Resend: ${called.slice(0, 80)}`,
    description: `A broadcast that was sent with Resend${day && ` on ${day}`}.`,
    subject: typeof subject === 'string' && subject !== '' ? toOurs(subject) : called,
    body: toOurs(String(html ?? '')),
    type: 'MARKETING',
    ...(typeof preview_text === 'string' && preview_text !== '' ? { preheader: toOurs(preview_text) } : {}),
  }
}

/** `Acme <hello@acme.example>`, or the address alone. */
function senderIn(text: string): { readonly from: string; readonly fromName?: string } {
  const name = text
    .slice(0, Math.max(text.indexOf('<'), 0))
    .replaceAll('"', '')
    .trim()
  return name === '' ? { from: addressIn(text) } : { from: addressIn(text), fromName: name }
}

function addressIn(text: string): string {
  const start = text.indexOf('<')
  return (start < 0 ? text : (text.slice(start + 1).split('>', 1)[0] ?? '')).trim()
}

function dataOf({ first_name, last_name, properties }: JsonObject): Readonly<Record<string, Json>> {
  const names = { firstName: first_name, lastName: last_name }
  const given = Object.entries(names).flatMap(([key, name]) => (typeof name === 'string' && name ? [[key, name]] : []))
  return { ...(isJsonObject(properties) ? properties : {}), ...Object.fromEntries(given) }
}
