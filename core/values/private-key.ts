import { createPrivateKey, type KeyObject } from 'node:crypto'

/** The shortest RSA key that verifiers accept (RFC 8301, section 3.2). */
const SHORTEST_RSA_BITS = 1024
/** The length an RSA key should have for signing (RFC 8301, section 3.2). */
export const GOOD_RSA_BITS = 2048

/** The PEM text with real line ends: environment variables often hold `\n` as two characters. */
export function pemText(text: string): string {
  const trimmed = text.trim()
  return trimmed.includes('\n') ? trimmed : trimmed.replace(/(?:\\r)?\\n/g, '\n')
}

/** Why the PEM text cannot sign mail, without repeating it; undefined when it can. */
export function privateKeyProblem(pem: string): string | undefined {
  if (/-----BEGIN (?:RSA )?PUBLIC KEY-----/.test(pem)) return 'is a public key; the private key belongs here'
  if (pem.includes('ENCRYPTED')) return 'is encrypted; a key without a passphrase is needed'
  let key: KeyObject
  try {
    key = createPrivateKey(pem)
  } catch {
    return 'is not a PEM private key'
  }
  const type = key.asymmetricKeyType
  if (type !== 'rsa' && type !== 'ed25519') return `must be an RSA or Ed25519 key, not ${type}`
  if (type === 'rsa' && rsaBits(key) < SHORTEST_RSA_BITS) {
    return `must have at least ${SHORTEST_RSA_BITS} bits (better ${GOOD_RSA_BITS}), not ${rsaBits(key)}`
  }
  return undefined
}

/** The length of an RSA key's modulus. */
export function rsaBits(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}
