import type { H3Event } from 'h3'
import type { Caller } from '../../core/projects/caller.ts'
import { type UntrustedInput, untrusted } from '../../core/values/input.ts'
import { isStorableText } from '../../core/values/json.ts'

/** One authenticated request, as routes see it. */
export class ApiRequest {
  #query: UntrustedInput | undefined

  constructor(
    private readonly event: H3Event,
    readonly caller: Caller,
    /** The JSON body, or a form's parts by name; undefined when the route reads none. */
    readonly body: UntrustedInput,
  ) {}

  /** A path parameter, decoded. Empty when it cannot be decoded or stored, since nothing has an empty name. */
  param(name: string): string {
    const raw = this.event.context.params?.[name] ?? ''
    if (!raw.includes('%')) return raw
    try {
      const text = decodeURIComponent(raw)
      return isStorableText(text) ? text : ''
    } catch {
      return ''
    }
  }

  /** The query as strings; of a repeated name, the last one counts. */
  get query(): UntrustedInput {
    // the same object each time: what it is warned of is kept with it
    this.#query ??= queryOf(this.event.url)
    return this.#query
  }

  /** The `Idempotency-Key`, unchecked. */
  get idempotencyKey(): string | undefined {
    return this.event.req.headers.get('idempotency-key') ?? undefined
  }
}

/** A query as strings; of a repeated name, the last one counts. */
export function queryOf({ search, searchParams }: URL): UntrustedInput {
  return untrusted(search === '' ? {} : Object.fromEntries(searchParams))
}
