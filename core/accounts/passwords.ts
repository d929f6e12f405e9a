import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import PQueue from 'p-queue'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'

/** How many passwords are hashed at a time: each takes a thread of the pool that also signs mail. */
const AT_ONCE = 2
/** How many more may wait: some ten seconds. */
const MAX_WAITING = 64
const SALT_BYTES = 16
const HASH_BYTES = 32
const BLOCK_SIZE = 8
const PARALLEL = 3

/** The parameters of scrypt (RFC 7914). */
interface Parameters {
  /** N, as a power of two. */
  readonly cost: number
  readonly blockSize: number
  readonly parallel: number
}

/** A stored hash, read. */
interface Stored extends Parameters {
  readonly salt: Buffer
  readonly hash: Buffer
}

/**
 * Hashes passwords with scrypt (RFC 7914), with N = 2^15, r = 8, p = 3 unless configured: 32 MB and a quarter of a
 * second each. The parameters stand in the hash, so that they can be raised. Only a few are computed at a time, so that
 * a flood of logins leaves threads and memory for everything else.
 */
export class Passwords {
  readonly #queue = new PQueue({ concurrency: AT_ONCE })
  readonly #parameters: Parameters
  /** A hash to compare with when the user is unknown. */
  readonly #nobody: Stored

  constructor({ settings }: Pick<Kit, 'settings'>) {
    this.#parameters = { cost: settings.accounts.passwordCost, blockSize: BLOCK_SIZE, parallel: PARALLEL }
    this.#nobody = { ...this.#parameters, salt: randomBytes(SALT_BYTES), hash: randomBytes(HASH_BYTES) }
  }

  /** The hash to store. Throws EngineError `SERVICE_UNAVAILABLE` while too many wait. */
  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const hash = await this.#derive(password, salt, this.#parameters)
    const { cost, blockSize, parallel } = this.#parameters
    return ['scrypt', cost, blockSize, parallel, salt.toString('base64url'), hash.toString('base64url')].join('$')
  }

  /**
   * Whether this is the password of the stored hash. Without one it is as much work, so that timing does not reveal
   * who has an account. Throws EngineError `SERVICE_UNAVAILABLE` while too many wait.
   */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored === undefined ? undefined : readStored(stored)
    const { salt, hash, ...parameters } = known ?? this.#nobody
    const derived = await this.#derive(password, salt, parameters)
    return timingSafeEqual(derived, hash) && known !== undefined
  }

  /** Whether the hash was made with other parameters than new ones. */
  isOutdated(stored: string): boolean {
    const known = readStored(stored)
    const { cost, blockSize, parallel } = this.#parameters
    return known?.cost !== cost || known.blockSize !== blockSize || known.parallel !== parallel
  }

  async #derive(password: string, salt: Buffer, { cost, blockSize, parallel }: Parameters): Promise<Buffer> {
    if (this.#queue.size >= MAX_WAITING) {
      throw new EngineError('SERVICE_UNAVAILABLE', 'Too many people are logging in at the moment.', { retryAfter: 5 })
    }
    const N = 2 ** cost
    // what it needs, with room to spare: Node refuses more than 32 MB by default
    const options = { N, r: blockSize, p: parallel, maxmem: 256 * N * blockSize }
    return this.#queue.add(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          scrypt(password.normalize('NFC'), salt, HASH_BYTES, options, (error, derived) => {
            if (error) reject(error)
            else resolve(derived)
          })
        }),
    )
  }
}

function readStored(stored: string): Stored | undefined {
  const [, cost, blockSize, parallel, salt, hash] =
    /^scrypt\$(\d{2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]{43})$/.exec(stored) ?? []
  if (salt === undefined || hash === undefined) return undefined
  return {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallel: Number(parallel),
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}
