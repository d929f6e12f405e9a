import * as v from 'valibot'

/** A piece of an answer, streamed or whole. Endpoints differ in all else. */
const Piece = v.object({
  choices: v.nullish(
    v.array(
      v.object({
        delta: v.nullish(v.object({ content: v.nullish(v.string()) })),
        message: v.nullish(v.object({ content: v.nullish(v.string()) })),
        finish_reason: v.nullish(v.string()),
      }),
    ),
  ),
  usage: v.nullish(v.object({ total_tokens: v.nullish(v.number()) })),
  error: v.nullish(v.unknown()),
})

/** An answer that cannot be read, or that is longer than one may be. */
export class Unreadable extends Error {}

/** The bounds of an answer. */
export interface AnswerBounds {
  /** Of all that comes. */
  readonly bytes: number
  /** Of the text in it. */
  readonly characters: number
}

/** The text of an answer, and what the endpoint says about it. */
export interface ReadAnswer {
  readonly text: string
  readonly tokens?: number
  readonly isCut?: true
}

/**
 * Reads an answer as it comes, as Server-Sent Events or as one document, and ends with `[DONE]` or with the stream. Throws
 * Unreadable when it is neither, when it is longer than the bounds, or when the endpoint says in it that it has failed.
 */
export async function readAnswer(
  chunks: AsyncIterable<Buffer>,
  isStream: boolean,
  bounds: AnswerBounds,
): Promise<ReadAnswer> {
  const answer = new Answer(bounds.characters)
  let size = 0
  /** The pieces of the line that has not ended; joined once, since a line may come in very many. */
  let rest: string[] = []
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > bounds.bytes) throw new Unreadable(`the answer is longer than ${bounds.bytes} bytes`)
    const decoded = decoder.decode(chunk, { stream: true })
    // a line end that comes in two halves is one more line, which is empty
    const [end = '', ...lines] = isStream ? decoded.split(/\r\n|\n|\r/) : [decoded]
    rest.push(end)
    for (const next of lines) {
      if (answer.takeLine(rest.join('')) === 'done') return answer.whole()
      rest = [next]
    }
  }
  const last = rest.join('') + decoder.decode()
  if (isStream) answer.takeLine(last)
  else answer.take(last)
  return answer.whole()
}

class Answer {
  #text = ''
  #tokens: number | undefined
  #isCut = false
  #isEnded = false

  constructor(private readonly most: number) {}

  takeLine(line: string): 'done' | undefined {
    if (!line.startsWith('data:')) return undefined
    const data = line.slice(5).trim()
    if (data === '') return undefined
    if (data === '[DONE]') {
      this.#isEnded = true
      return 'done'
    }
    this.take(data)
    return undefined
  }

  take(json: string): void {
    const { choices, usage, error } = pieceIn(json)
    if (error !== undefined && error !== null) throw new Unreadable('the endpoint broke its answer off with an error')
    const [choice] = choices ?? []
    this.#text += choice?.delta?.content ?? choice?.message?.content ?? ''
    if (this.#text.length > this.most) throw new Unreadable(`the answer has more than ${this.most} characters`)
    if (choice?.finish_reason != null) this.#isEnded = true
    if (choice?.finish_reason === 'length') this.#isCut = true
    const tokens = usage?.total_tokens
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) this.#tokens = tokens
  }

  whole(): ReadAnswer {
    // a stream that breaks off would pass for a short answer
    if (!this.#isEnded) throw new Unreadable('the answer ended before it was whole')
    return {
      text: this.#text,
      ...(this.#tokens === undefined ? {} : { tokens: this.#tokens }),
      ...(this.#isCut ? { isCut: true } : {}),
    }
  }
}

function pieceIn(json: string): v.InferOutput<typeof Piece> {
  try {
    return v.parse(Piece, JSON.parse(json))
  } catch {
    throw new Unreadable('the answer is not that of a chat-completions endpoint')
  }
}
