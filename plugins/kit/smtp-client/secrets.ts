/** Removes a login's secrets from a text that may go into a log, a record or an error. */
export type Hide = (text: string) => string

/** Pieces of a secret this long are recognised anywhere, since servers cut what they repeat. */
const PIECE = 8

const HIDDEN = '[hidden]'

/** The characters of a word that contains a piece of a secret: base64, base64url and percent-encoding. */
const WORD = /[\w+/=%.~-]/

/**
 * Hides what AUTH sends (the password, the lines of PLAIN, LOGIN and CRAM-MD5): plain, in base64, in base64url and
 * percent-encoded, whole or in part, in upper or lower case. Some servers repeat in a refusal what they received.
 */
export function hiderOf(auth: { readonly user: string; readonly pass: string } | undefined): Hide {
  if (auth === undefined) return (text) => text
  const forms = formsOf(auth)
  const pieces = new Set(forms.flatMap((form) => piecesOf(folded(form))))
  // A short password is hidden only as a whole word, exactly as written, or it would be found everywhere
  const words = new Set(forms.filter((form) => form.length < PIECE && form !== ''))
  return (text) => hideWords(hidePieces(text, pieces), words)
}

function formsOf({ user, pass }: { readonly user: string; readonly pass: string }): string[] {
  const octets = Buffer.from(pass)
  const encoded = [`\0${user}\0${pass}`, `${user}\0${user}\0${pass}`, pass, `${user} `].map((line) =>
    Buffer.from(line).toString('base64'),
  )
  // Within a longer text, the base64 of the same octets depends on their offset
  const within = [0, 1, 2].map((before) => {
    const whole = Buffer.concat([Buffer.alloc(before), octets])
      .toString('base64')
      .replace(/(?<!=)=+$/, '')
    return whole.slice(Math.ceil((before * 4) / 3), Math.floor(((before + octets.length) * 4) / 3))
  })
  const base64 = [...encoded, ...within.filter((form) => form.length >= PIECE)]
  return [
    // As UTF-8, and as it looks when read octet by octet
    ...[pass, octets.toString('latin1'), encodeURIComponent(octets.toString())],
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    ...base64.map((form) => encodeURIComponent(form)),
  ]
}

function piecesOf(form: string): string[] {
  return Array.from({ length: Math.max(0, form.length - PIECE + 1) }, (_, at) => form.slice(at, at + PIECE))
}

/** Only ASCII, since other letters may change their length. */
function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function hidePieces(text: string, pieces: ReadonlySet<string>): string {
  const searched = folded(text)
  let hidden = ''
  let kept = 0
  for (let at = 0; at + PIECE <= searched.length; at++) {
    if (!pieces.has(searched.slice(at, at + PIECE))) continue
    let from = at
    while (from > kept && WORD.test(text.charAt(from - 1))) from--
    let to = at + PIECE
    while (to < text.length && (WORD.test(text.charAt(to)) || pieces.has(searched.slice(to - PIECE + 1, to + 1)))) to++
    hidden += text.slice(kept, from) + HIDDEN
    kept = to
    at = to - 1
  }
  return hidden + text.slice(kept)
}

function hideWords(text: string, words: ReadonlySet<string>): string {
  if (words.size === 0) return text
  let hidden = ''
  let kept = 0
  for (let at = 0; at < text.length; at++) {
    const word = [...words].find((one) => text.startsWith(one, at) && standsAlone(text, at, at + one.length))
    if (word === undefined) continue
    hidden += text.slice(kept, at) + HIDDEN
    kept = at + word.length
    at = kept - 1
  }
  return hidden + text.slice(kept)
}

function standsAlone(text: string, from: number, to: number): boolean {
  return !/[\p{L}\p{N}]/u.test(text.charAt(from - 1)) && !/[\p{L}\p{N}]/u.test(text.charAt(to))
}
