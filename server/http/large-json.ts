import { yieldToLoop } from '../../core/values/yield-to-loop.ts'

/** About how many characters are written at once; a larger value is written in pieces. */
const PIECE = 128 * 1024

/** Whether a value's JSON has about `most` characters or more. */
export function isLarge(value: unknown, most = 1024 * 1024): boolean {
  let left = most
  const take = (each: unknown): boolean => {
    left -= typeof each === 'string' ? each.length : 8
    if (left < 0) return true
    return typeof each === 'object' && each !== null && Object.values(each).some(take)
  }
  return take(value)
}

/** Like `JSON.stringify`, in consecutive pieces; it yields to the event loop between them. */
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

/** No piece ends within a character, which JSON would escape as two halves. */
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
