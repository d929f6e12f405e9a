import { yieldToLoop } from '../core/values/yield-to-loop.ts'

/** About so many characters are written at once; more of a whole are written a piece at a time. */
const PIECE = 128 * 1024

/** True when the JSON of a value has about so many characters or more. */
export function isLarge(value: unknown, most = 1024 * 1024): boolean {
  let left = most
  const take = (each: unknown): boolean => {
    left -= typeof each === 'string' ? each.length : 8
    if (left < 0) return true
    return typeof each === 'object' && each !== null && Object.values(each).some(take)
  }
  return take(value)
}

/** As `JSON.stringify`, in pieces that follow each other; others have their turn of the event loop between them. */
export async function* jsonPieces(value: unknown): AsyncGenerator<string> {
  let text = ''
  for (const piece of partsOf(value)) {
    text += piece
    if (text.length < PIECE) continue
    yield text
    text = ''
    await yieldToLoop()
  }
  yield text
}

function* partsOf(value: unknown): Generator<string> {
  if (!isLarge(value, PIECE)) yield JSON.stringify(value) ?? 'null'
  else if (typeof value === 'string') yield* textParts(value)
  else if (Array.isArray(value)) yield* listParts(value)
  else if (typeof value === 'object' && value !== null) yield* objectParts(value)
}

function* listParts(list: readonly unknown[]): Generator<string> {
  for (const [i, item] of list.entries()) {
    yield i === 0 ? '[' : ','
    yield* partsOf(item)
  }
  yield ']'
}

function* objectParts(object: object): Generator<string> {
  let mark = '{'
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue
    yield `${mark}${JSON.stringify(key)}:`
    yield* partsOf(value)
    mark = ','
  }
  yield mark === '{' ? '{}' : '}'
}

/** No piece ends within a character, which JSON would escape in two halves. */
function* textParts(text: string): Generator<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE, text.length)
    const last = text.charCodeAt(to - 1)
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to++
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
  }
  yield '"'
}
