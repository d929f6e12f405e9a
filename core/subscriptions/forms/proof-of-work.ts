import { createHash, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto'
import { isJsonObject } from '../../values/json.ts'

/*
 * The proof of work of the ALTCHA protocol (https://altcha.org, version 1): the visitor's browser searches the number that
 * was hashed. It takes a browser half a second; a program that sends thousands of forms pays for each. Nothing is stored
 * until a solution comes: the challenge carries its own end and signature.
 */

const ALGORITHM = 'SHA-256'
/** The search is for a number up to this: 25,000 hashes on average. */
const MOST = 50_000
/** How long a challenge may be solved: as long as a visitor may take to fill in a form. */
const VALID_MS = 30 * 60_000
/** No solution is longer. */
const MAX_LENGTH = 1000

/** The challenge for the browser, which has to find the number. */
export interface FormChallenge {
  /** How the number is hashed. */
  readonly algorithm: typeof ALGORITHM
  /** The hash of the salt and the number that is to be found. */
  readonly challenge: string
  /** The number is at most this. */
  readonly maxnumber: number
  /** The text before the number; it says when the challenge ends. */
  readonly salt: string
  /** Proves that the challenge is ours. */
  readonly signature: string
}

/** A solution that is right. It counts once. */
export interface Solution {
  readonly challenge: string
  readonly until: Date
}

/** Makes and checks challenges with one key. */
export class ProofOfWork {
  readonly #key: Uint8Array

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** A new challenge for this form. */
  challenge(formId: string, now: Date): FormChallenge {
    const expires = Math.floor((now.getTime() + VALID_MS) / 1000)
    const salt = `${randomBytes(12).toString('hex')}?expires=${expires}&form=${formId}&`
    const challenge = hashOf(salt, randomInt(MOST + 1))
    return { algorithm: ALGORITHM, challenge, maxnumber: MOST, salt, signature: this.#sign(challenge) }
  }

  /** Reads a solution, as the field `altcha` has it. Undefined when it is not right, too old, or of another form. */
  solution(sent: unknown, formId: string, now: Date): Solution | undefined {
    const payload = payloadOf(sent)
    if (payload === undefined) return undefined
    const { algorithm, challenge, number, salt, signature } = payload
    if (algorithm !== ALGORITHM || typeof challenge !== 'string' || typeof salt !== 'string') return undefined
    if (typeof signature !== 'string' || typeof number !== 'number') return undefined
    // only what was signed here is hashed, so that strangers cannot make this process hash for nothing
    if (!isSame(signature, this.#sign(challenge)) || hashOf(salt, number) !== challenge) return undefined
    const params = new URLSearchParams(salt.split('?')[1] ?? '')
    const until = new Date(Number(params.get('expires')) * 1000)
    return params.get('form') === formId && until > now ? { challenge, until } : undefined
  }

  #sign(challenge: string): string {
    return createHmac('sha256', this.#key).update(challenge).digest('hex')
  }
}

function hashOf(salt: string, number: number): string {
  return createHash('sha256').update(`${salt}${number}`).digest('hex')
}

function isSame(one: string, other: string): boolean {
  const [mine, theirs] = [Buffer.from(one), Buffer.from(other)]
  return mine.length === theirs.length && timingSafeEqual(mine, theirs)
}

function payloadOf(sent: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof sent !== 'string' || sent === '' || sent.length > MAX_LENGTH) return undefined
  try {
    const read: unknown = JSON.parse(Buffer.from(sent, 'base64').toString('utf8'))
    return isJsonObject(read) ? read : undefined
  } catch {
    return undefined
  }
}
