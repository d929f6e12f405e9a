import { type KeyObject, X509Certificate } from 'node:crypto'
import type { WebhookSender } from '../../core/ports/webhook-sender.ts'
import { RecentlyUsed } from '../../core/values/recently-used.ts'
import { isCertificateUrl } from './sns-url.ts'

const TIMEOUT_MS = 5_000
/** A certificate has two kilobytes. */
const LONGEST = 16 * 1024
/** So many certificates are kept; a region has one, and a new one each year. */
const KEPT = 20
/** So many are asked for in a minute at most: who knows a topic can make up any number of their names. */
const PER_MINUTE = 10
const MINUTE_MS = 60_000

interface Certified {
  readonly key: KeyObject
  readonly from: number
  readonly to: number
}

/** There is no such key, and will be none. */
export class NoKey extends Error {
  override readonly name = 'NoKey'
}

/** The keys notices are signed with, from Amazon's own host alone; each is asked for once. */
export class SnsKeys {
  readonly #webhooks: WebhookSender
  readonly #known = new RecentlyUsed<Certified>(KEPT, KEPT, () => 1)
  readonly #asked = new Map<string, Promise<Certified>>()
  #minute = Number.NEGATIVE_INFINITY
  #count = 0

  constructor(webhooks: WebhookSender) {
    this.#webhooks = webhooks
  }

  /** The key at this address. Throws NoKey when it may not be taken from there or is none, another error when it cannot be had now. */
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
    if (++this.#count > PER_MINUTE) return Promise.reject(new Error('too many certificates are asked for'))
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
  if (text.length > LONGEST) throw new NoKey('the certificate is too long')
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
