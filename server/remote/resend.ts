import { isJsonObject, type Json, type JsonObject } from '../../core/values/json.ts'
import type { BroughtContact } from './bring-over.ts'
import { listIn, OtherApi } from './other-api.ts'

/** A topic as Resend has it. */
interface ResendTopic {
  readonly id: string
  readonly name: string
  /** Whether contacts get it who never chose. */
  readonly isForAll: boolean
}

/** Resend's interface, as far as it lists contacts and what they chose of topics. */
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

  /** Each record of a list, page by page. */
  async *#all(path: string): AsyncGenerator<JsonObject> {
    let after = ''
    do {
      const page = await this.#api.get(`${path}?limit=${PAGE}${after && `&after=${encodeURIComponent(after)}`}`)
      const records = listIn(page, ['data'])
      yield* records
      after = isJsonObject(page) && page.has_more === true ? String(records.at(-1)?.id ?? '') : ''
    } while (after !== '' && !this.#signal.aborted)
  }
}

const PAGE = 100

function dataOf({ first_name, last_name, properties }: JsonObject): Readonly<Record<string, Json>> {
  const names = { firstName: first_name, lastName: last_name }
  const given = Object.entries(names).flatMap(([key, name]) => (typeof name === 'string' && name ? [[key, name]] : []))
  return { ...(isJsonObject(properties) ? properties : {}), ...Object.fromEntries(given) }
}
