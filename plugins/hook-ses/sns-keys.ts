import { type KeyObject, X509Certificate } from 'node:crypto'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { RecentlyUsed } from '../../core/values/recently-used.ts'
import { isCertificateUrl } from './sns-url.ts'

const TIMEOUT_MS = 5_000
/** A certificate has about two kilobytes. */
const MAX_CERTIFICATE_BYTES = 16 * 1024
/** How many certificates are kept: a region has one, and a new one each year. */
const MAX_KEYS = 20
/** How many are fetched per minute at most, since any stranger who knows a topic can make up certificate names. */
const MAX_FETCHES_PER_MINUTE = 10
const MINUTE_MS = 60_000

interface Certified {
  readonly key: KeyObject
  readonly from: number
  readonly to: number
}

/** There is no such key, and never will be. */
export class NoKey extends Error {
  override readonly name = 'NoKey'
}

/** The keys that sign notices, fetched from Amazon's own host only, each once. */
export class SnsKeys {
  readonly #webhooks: WebhookSender
  readonly #known = new RecentlyUsed<Certified>(MAX_KEYS, MAX_KEYS, () => 1)
  readonly #asked = new Map<string, Promise<Certified>>()
  #minute = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(webhooks: WebhookSender) {
    this.#webhooks = webhooks
  }

  /**
   * The key at this URL. Throws NoKey when the URL is not Amazon's or holds no key, and another error when it cannot be
   * fetched now.
   */
  async at(url: string, now: Date): Promise<KeyObject> {
    if (!isCertificateUrl(url)) throw new NoKey('the SigningCertURL is not one of Amazon SNS')
    const known = this.#known.get(url)
    if (known && isValid(known, now)) return known.key
    const asked = this.#asked.get(url) ?? this.#ask(url)
    const certified = await asked
    if (!isValid(certified, now)) throw new NoKey('the certificate is not valid now')
    this.#known.set(url, certified)
    return certified.key
  }

  #ask(url: string): Promise<Certified> {
    const minute = performance.now()
    if (minute - this.#minute >= MINUTE_MS) {
      this.#minute = minute
      this.#count = 0
    }
    if (++this.#count > MAX_FETCHES_PER_MINUTE) return Promise.reject(new Error('too many certificates are asked for'))
    const asked = this.#fetch(url).finally(() => this.#asked.delete(url))
    this.#asked.set(url, asked)
    return asked
  }

  async #fetch(url: string): Promise<Certified> {
    const request = { url, method: 'GET', headers: {}, timeout: TIMEOUT_MS, redirect: 'manual' } as const
    const answer = await this.#webhooks.send(request, AbortSignal.timeout(TIMEOUT_MS))
    if (answer.outcome !== 'answered') throw new Error(`the certificate cannot be had: ${answer.reason}`)
    const { status, body } = answer
    if (status >= 500 || status === 429) throw new Error(`the certificate cannot be had: status ${status}`)
    if (status !== 200) throw new NoKey(`there is no certificate: status ${status}`)
    return readCertificate(body)
  }
}

function readCertificate(text: string): Certified {
  if (text.length > MAX_CERTIFICATE_BYTES) throw new NoKey('the certificate is too long')
  try {
    const { publicKey: key, validFrom, validTo } = new X509Certificate(text)
    const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key
    if (type === 'rsa' && modulusLength >= 2048) return { key, from: Date.parse(validFrom), to: Date.parse(validTo) }
  } catch (cause) {
    throw new NoKey('what Amazon answered is no certificate', { cause })
  }
  throw new NoKey('the certificate is of another kind of key')
}

function isValid({ from, to }: Certified, now: Date): boolean {
  return now.getTime() >= from && now.getTime() <= to
}
