import type { Lane } from '../../core/ports/queue.ts'

/** Ids added under one key, or without a key; emptied when a later job takes the key. */
export interface Chunk {
  ids: string[]
  readonly key: string | undefined
}

/** Ids that go to a handler together. */
export interface Batch {
  readonly ids: readonly string[]
  /** How many times they were handed out. */
  tries: number
}

const CHUNK = 1000

/** The ids that wait for one task in one lane, first come first served. Costs an array slot per id and nothing else. */
export class Line {
  readonly task: string
  readonly lane: Lane
  /** How many runs have been asked for and not begun. */
  asked = 0
  readonly #chunks: Chunk[] = []
  readonly #again: Batch[] = []
  #head = 0
  #fresh = 0
  #repeated = 0

  constructor(task: string, lane: Lane) {
    this.task = task
    this.lane = lane
  }

  /** How many ids wait. */
  get waiting(): number {
    return this.#fresh + this.#repeated
  }

  /** How many runs of at most `batch` ids would empty the line. */
  runsNeeded(batch: number): number {
    return this.#again.length + Math.ceil(this.#fresh / batch)
  }

  /** Adds ids at the end. Answers where they are, for `replace`. */
  push(ids: readonly string[], key?: string): Chunk {
    const last = this.#chunks.at(-1)
    this.#fresh += ids.length
    if (key === undefined && last !== undefined && last.key === undefined && last.ids.length < CHUNK) {
      for (const id of ids) last.ids.push(id)
      return last
    }
    const chunk = { ids: [...ids], key }
    this.#chunks.push(chunk)
    return chunk
  }

  /** Replaces the ids of a chunk that still waits; an empty list gives it up. */
  replace(chunk: Chunk, ids: readonly string[]): void {
    this.#fresh += ids.length - chunk.ids.length
    chunk.ids = [...ids]
  }

  /** Puts a batch back in front of everything new. */
  pushAgain(batch: Batch): void {
    this.#again.push(batch)
    this.#repeated += batch.ids.length
  }

  /** Takes the next ids, at most `most`. Calls `begun` for every chunk with a key that it starts on. */
  take(most: number, begun: (chunk: Chunk) => void): Batch | undefined {
    const again = this.#again.shift()
    if (again !== undefined) {
      this.#repeated -= again.ids.length
      return again
    }
    const ids: string[] = []
    while (ids.length < most && this.#head < this.#chunks.length) {
      const chunk = this.#chunks[this.#head]
      if (chunk === undefined) break
      if (chunk.key !== undefined && chunk.ids.length > 0) begun(chunk)
      for (const id of chunk.ids.splice(0, most - ids.length)) ids.push(id)
      if (chunk.ids.length === 0) this.#head++
    }
    this.#forgetTaken()
    this.#fresh -= ids.length
    return ids.length === 0 ? undefined : { ids, tries: 0 }
  }

  #forgetTaken(): void {
    // Not shift(): on a long array, it moves all elements.
    if (this.#head < CHUNK && this.#head < this.#chunks.length) return
    this.#chunks.splice(0, this.#head)
    this.#head = 0
  }
}
