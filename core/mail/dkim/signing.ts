import { hash, type KeyObject, sign } from 'node:crypto'
import { inject, injectable } from '../../di.ts'
import { Kit } from '../../kit.ts'
import { domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { KeyRing } from './key-ring.ts'
import { relaxedBodyHash, relaxedFields, relaxedValue } from './relaxed.ts'
import { signatureField, unsignedValue } from './signature-field.ts'
import { signedFields } from './signed-fields.ts'
import type { SigningKeys } from './signing-keys.ts'

/** Signs messages for their sender's domain (DKIM: RFC 6376, RFC 8301, RFC 8463). */
@injectable()
export class Signing {
  constructor(
    @inject(KeyRing) private readonly keys: SigningKeys,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /**
   * The message with a DKIM-Signature field for every key of its sender's domain in front; unchanged without a key.
   * `message` is composed: CRLF line ends and 7 bit, so that no hop needs to change it; `from` is its author's address.
   * `bodyHash` is the result of `bodyHashOf`, if already known. The signatures are made in the thread pool.
   */
  async sign(
    message: Uint8Array<ArrayBuffer>,
    from: string,
    { projectId, bodyHash }: { readonly projectId?: ProjectId; readonly bodyHash?: string | undefined } = {},
  ): Promise<Uint8Array<ArrayBuffer>> {
    const keys = await this.keys.keysFor(domainOf(from), projectId)
    if (keys.length === 0) return message
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
    const blankLine = bytes.indexOf('\r\n\r\n')
    const { names, fields } = signedFields(relaxedFields(bytes.toString('latin1', 0, blankLine)))
    const hashed = bodyHash ?? relaxedBodyHash(bytes.subarray(blankLine + 4))
    const signed = fields.map(({ name, value }) => `${name}:${value}\r\n`).join('')
    const time = Math.floor(this.kit.now().getTime() / 1000)
    const signatures = keys.map(async ({ domain, selector, privateKey }) => {
      const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? 'ed25519-sha256' : 'rsa-sha256'
      const unsigned = unsignedValue({ algorithm, domain, selector, time, names, bodyHash: hashed })
      const data = Buffer.from(`${signed}dkim-signature:${relaxedValue(unsigned)}`, 'latin1')
      return signatureField(unsigned, await signatureOf(data, privateKey))
    })
    return Buffer.concat([Buffer.from((await Promise.all(signatures)).join(''), 'latin1'), bytes])
  }
}

/** Ed25519 signs the SHA-256 of the data (RFC 8463, section 3); RSA hashes by itself. */
function signatureOf(data: Buffer, key: KeyObject): Promise<Buffer> {
  const [algorithm, input] =
    key.asymmetricKeyType === 'ed25519' ? [null, hash('sha256', data, 'buffer')] : ['sha256', data]
  return new Promise((resolve, reject) => {
    sign(algorithm, input, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}
