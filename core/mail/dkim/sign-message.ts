import { hash, type KeyObject, sign } from 'node:crypto'
import type { ProjectId } from '../../values/project-id.ts'
import { relaxedBodyHash, relaxedFields, relaxedValue } from './relaxed.ts'
import { signatureField, unsignedValue } from './signature-field.ts'
import { signedFields } from './signed-fields.ts'

/** A signing key, with the place where its public half is published. */
export interface SigningKey {
  /** In ASCII, for the `d=` tag. */
  readonly domain: string
  readonly selector: string
  /** RSA or Ed25519; parsed once, because parsing PEM costs as much as a signature. */
  readonly privateKey: KeyObject
}

/** A message to be signed. */
interface ToSign {
  /** Whose parent domain's keys may be used, too. */
  readonly projectId?: ProjectId
  /** The result of `bodyHashOf`, if already known. */
  readonly bodyHash?: string | undefined
}

/** Signs composed messages with the keys of their author's domain. */
export interface Signer {
  /** The message with its signatures in front; `from` is its author's address. Unchanged without a key. */
  sign(message: Uint8Array<ArrayBuffer>, from: string, about?: ToSign): Promise<Uint8Array<ArrayBuffer>>
}

/**
 * The message with a DKIM-Signature field for every key in front (RFC 6376, RFC 8301, RFC 8463). `message` is composed:
 * CRLF line ends and 7 bit, so that no hop needs to change it. The signatures are made in the thread pool.
 */
export async function signMessage(
  message: Uint8Array<ArrayBuffer>,
  keys: readonly SigningKey[],
  { at, bodyHash }: { readonly at: Date; readonly bodyHash?: string | undefined },
): Promise<Uint8Array<ArrayBuffer>> {
  if (keys.length === 0) return message
  const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength)
  const blankLine = bytes.indexOf('\r\n\r\n')
  const { names, fields } = signedFields(relaxedFields(bytes.toString('latin1', 0, blankLine)))
  const hashed = bodyHash ?? relaxedBodyHash(bytes.subarray(blankLine + 4))
  const signed = fields.map(({ name, value }) => `${name}:${value}\r\n`).join('')
  const time = Math.floor(at.getTime() / 1000)
  const signatures = keys.map(async ({ domain, selector, privateKey }) => {
    const algorithm = privateKey.asymmetricKeyType === 'ed25519' ? 'ed25519-sha256' : 'rsa-sha256'
    const unsigned = unsignedValue({ algorithm, domain, selector, time, names, bodyHash: hashed })
    const data = Buffer.from(`${signed}dkim-signature:${relaxedValue(unsigned)}`, 'latin1')
    return signatureField(unsigned, await signatureOf(data, privateKey))
  })
  return Buffer.concat([Buffer.from((await Promise.all(signatures)).join(''), 'latin1'), bytes])
}

/** Ed25519 signs the SHA-256 of the data (RFC 8463, section 3); RSA hashes by itself. */
function signatureOf(data: Buffer, key: KeyObject): Promise<Buffer> {
  const [algorithm, input] =
    key.asymmetricKeyType === 'ed25519' ? [null, hash('sha256', data, 'buffer')] : ['sha256', data]
  return new Promise((resolve, reject) => {
    sign(algorithm, input, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}
