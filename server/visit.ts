import type { H3Event } from 'h3'
import { isStorableText } from '../core/values/json.ts'
import { readBytes } from './body.ts'
import { clientAddress } from './client-address.ts'

/** The largest form of a page, in bytes. */
const FORM_LIMIT = 64 * 1024

/** One request of somebody without a key: a browser, a mail client, a scanner. Nothing in it is checked. */
export class Visit {
  constructor(
    private readonly event: H3Event,
    private readonly trustProxy: boolean,
  ) {}

  /** A path parameter as it stands in the path. */
  param(name: string): string {
    const raw = this.event.context.params?.[name] ?? ''
    return isStorableText(raw) ? raw : ''
  }

  /** A header field; undefined when there is none. */
  header(name: string): string | undefined {
    return this.event.req.headers.get(name) ?? undefined
  }

  /** Where it came from. */
  get address(): string | undefined {
    return clientAddress(this.event, this.trustProxy)
  }

  /** The fields of a form (`application/x-www-form-urlencoded`); of any other body, none. Throws EngineError `PAYLOAD_TOO_LARGE`. */
  async form(): Promise<URLSearchParams> {
    const type = this.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase()
    if (type !== 'application/x-www-form-urlencoded') return new URLSearchParams()
    return new URLSearchParams((await readBytes(this.event.req, FORM_LIMIT)).toString('utf8'))
  }
}
