import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const VERSION = 'v1'
const IV_BYTES = 12
const TAG_BYTES = 16

/**
 * Encrypts stored keys and secrets (AES-256-GCM, the key derived by HKDF, RFC 5869), so that reading the database is
 * not enough to sign. A sealed text is bound to its owner: it cannot be opened in another owner's row.
 */
export class Sealing {
  readonly #key: Buffer
  readonly #before: () => Promise<string>
  #keyBefore: Promise<Buffer> | undefined

  /** `before` answers the generated secret that was used before one was configured. */
  constructor(secret: string, before: () => Promise<string>) {
    this.#key = derived(secret)
    this.#before = before
  }

  seal(text: string, owner: string): string {
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(owner))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return `${VERSION}:${sealed.toString('base64')}`
  }

  /** Whether it was sealed with the secret of now. */
  isCurrent(sealed: string, owner: string): boolean {
    return openWith(this.#key, sealed, owner) !== undefined
  }

  /** The text; undefined when it was sealed with another secret or for another owner. */
  async open(sealed: string, owner: string): Promise<string | undefined> {
    const opened = openWith(this.#key, sealed, owner)
    if (opened !== undefined) return opened
    // sealed before a secret was configured
    this.#keyBefore ??= this.#before().then(derived)
    return openWith(await this.#keyBefore, sealed, owner)
  }
}

function derived(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'mailwright sender keys', 32))
}

function openWith(key: Buffer, sealed: string, owner: string): string | undefined {
  const [version, text = ''] = sealed.split(':')
  const bytes = Buffer.from(text, 'base64')
  if (version !== VERSION || bytes.length < IV_BYTES + TAG_BYTES) return undefined
  const end = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(end))
  try {
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, end)), decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}
