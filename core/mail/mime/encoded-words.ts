/** The longest line with an encoded-word, and the longest encoded-word (RFC 2047, section 2). */
const LONGEST_LINE = 76
const LONGEST_WORD = 75
/** The length of `=?UTF-8?Q?` and `?=`. */
const FRAME = 12
/** With less room than this the first word starts on a new line: one character may need twelve. */
const SHORTEST = 28

const Q_SAFE = /^[A-Za-z0-9!*+/-]$/

/**
 * The text as encoded-words (RFC 2047) in UTF-8, in Q or B form, whichever is shorter; no word splits a character.
 * `column` is where the first word starts; later words go on separate lines after one space. The Q form uses only
 * characters that are safe within a display name too (section 5, rule 3).
 */
export function encodedWords(text: string, column: number): readonly string[] {
  const room = LONGEST_LINE - column
  const first = room < SHORTEST ? LONGEST_WORD : Math.min(room, LONGEST_WORD)
  const characters = [...text.toWellFormed()]
  const q = characters.map(qForm)
  const qLength = q.reduce((sum, { length }) => sum + length, 0)
  const bLength = Math.ceil(Buffer.byteLength(text) / 3) * 4
  return qLength <= bLength ? qWords(q, first) : bWords(characters, first)
}

function qWords(characters: readonly string[], first: number): readonly string[] {
  const words: string[] = []
  let word = ''
  for (const character of characters) {
    if (word.length + character.length + FRAME > (words.length === 0 ? first : LONGEST_WORD)) {
      words.push(`=?UTF-8?Q?${word}?=`)
      word = ''
    }
    word += character
  }
  return [...words, `=?UTF-8?Q?${word}?=`]
}

function bWords(characters: readonly string[], first: number): readonly string[] {
  const words: string[] = []
  let word = ''
  let size = 0
  for (const character of characters) {
    const more = Buffer.byteLength(character)
    if (Math.ceil((size + more) / 3) * 4 + FRAME > (words.length === 0 ? first : LONGEST_WORD)) {
      words.push(bWord(word))
      word = ''
      size = 0
    }
    word += character
    size += more
  }
  return [...words, bWord(word)]
}

function bWord(text: string): string {
  return `=?UTF-8?B?${Buffer.from(text).toString('base64')}?=`
}

function qForm(character: string): string {
  if (character === ' ') return '_'
  if (Q_SAFE.test(character)) return character
  return Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '=$&')
}
