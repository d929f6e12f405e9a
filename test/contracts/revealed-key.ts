import { createPrivateKey } from 'node:crypto'

/** A run of base64, of either alphabet, that may hold a key. */
const RUNS = [/[A-Za-z0-9+/]{20,}={0,2}/g, /[A-Za-z0-9_-]{20,}={0,2}/g]
/** How often a key may have been written into another text. */
const DEPTH = 3

/** The numbers of a private key (PEM) that must stay secret, as octets. */
export function secretsOf(privateKey: string): readonly Buffer[] {
  const { d, p, q } = createPrivateKey(privateKey).export({ format: 'jwk' })
  return [d, p, q].flatMap((each) => (each === undefined ? [] : [Buffer.from(each, 'base64url')]))
}

/** Whether the secret stands in the text: as hex, as base64, in a PEM, or in the base64 of one of these. */
export function reveals(text: string, secret: Buffer, depth = DEPTH): boolean {
  const plain = text.replace(/\\[nr]|\s/g, '')
  if (plain.toLowerCase().includes(secret.toString('hex'))) return true
  for (const run of RUNS.flatMap((pattern) => plain.match(pattern) ?? [])) {
    // the run may begin before the key does
    for (const from of [0, 1, 2, 3]) {
      const bytes = Buffer.from(run.slice(from), 'base64')
      if (bytes.includes(secret) || (depth > 0 && isText(bytes) && reveals(bytes.toString(), secret, depth - 1))) {
        return true
      }
    }
  }
  return false
}

function isText(bytes: Buffer): boolean {
  return bytes.length > 0 && bytes.every((octet) => octet === 10 || octet === 13 || (octet >= 32 && octet < 127))
}
