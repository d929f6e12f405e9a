/** Lines are folded to this length where they can be (RFC 5322, section 2.1.1). */
const GOOD_LINE = 76
/** Base64 on lines of its own, after ` b=`. */
const SIGNATURE_LINE = /.{1,72}/g

/** The content of a signature apart from the signature itself (RFC 6376, section 3.5). */
export interface SignatureTags {
  readonly algorithm: 'rsa-sha256' | 'ed25519-sha256'
  readonly domain: string
  readonly selector: string
  /** When it is made, in seconds since 1970. */
  readonly time: number
  readonly names: readonly string[]
  readonly bodyHash: string
}

/**
 * The value of a DKIM-Signature field up to and including `b=`, folded: it is signed along with the fields it names.
 */
export function unsignedValue({ algorithm, domain, selector, time, names, bodyHash }: SignatureTags): string {
  const pieces = [' v=1;', ` a=${algorithm};`, ' c=relaxed/relaxed;', ` d=${domain};`, ` s=${selector};`, ` t=${time};`]
  for (const [i, name] of names.entries()) {
    pieces.push(`${i === 0 ? ' h=' : ''}${name}${i === names.length - 1 ? ';' : ':'}`)
  }
  pieces.push(` bh=${bodyHash};`)
  return `${packed(`${FIELD_NAME}:`.length, pieces)}\r\n b=`
}

/** The whole field with its line end. */
export function signatureField(unsigned: string, signature: Buffer): string {
  const lines = signature.toString('base64').match(SIGNATURE_LINE) ?? []
  return `${FIELD_NAME}:${unsigned}${lines.join('\r\n ')}\r\n`
}

const FIELD_NAME = 'DKIM-Signature'

/** Folds pieces into lines; a fold is allowed where a piece begins with a blank or follows one. */
function packed(column: number, pieces: readonly string[]): string {
  let text = ''
  let used = column
  for (const piece of pieces) {
    if (used + piece.length <= GOOD_LINE) {
      text += piece
      used += piece.length
    } else {
      const line = ` ${piece.trimStart()}`
      text += `\r\n${line}`
      used = line.length
    }
  }
  return text
}
