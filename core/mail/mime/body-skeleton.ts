import { ByteWriter } from './byte-writer.ts'
import { writeQuotedPrintable, writeSoftBreak } from './quoted-printable.ts'

/** How large a block of pieces is. */
const BLOCK = 16 * 1024

/**
 * A body that is the same for every recipient except for its slots: the fixed pieces are encoded once. Each slot is
 * followed by a soft line break, so every piece begins in column 0 and its encoding does not depend on the values.
 */
export class BodySkeleton {
  readonly #pieces: readonly Piece[]

  /** `pieces` are the texts before, between and after the slots: one more than there are slots. */
  constructor(pieces: readonly string[]) {
    const writer = new ByteWriter(BLOCK)
    this.#pieces = pieces.map((text) => {
      const column = writeQuotedPrintable(writer, text, 0)
      return { bytes: writer.take(), column }
    })
  }

  /** Writes the body as quoted-printable; `values` has one text for each slot. */
  write(writer: ByteWriter, values: readonly string[]): void {
    const last = this.#pieces.length - 1
    for (let i = 0; i <= last; i++) {
      const piece = this.#pieces[i] as Piece
      writer.add(piece.bytes)
      if (i === last) return
      const column = writeQuotedPrintable(writer, values[i] ?? '', piece.column)
      const isEnd = i + 1 === last && this.#pieces[last]?.bytes.length === 0
      if (column > 0 && !isEnd) writeSoftBreak(writer)
    }
  }
}

/** A body that is written by filling in a skeleton. */
export interface FilledBody {
  readonly skeleton: BodySkeleton
  readonly values: readonly string[]
}

interface Piece {
  readonly bytes: Uint8Array
  /** Where its last line ends. */
  readonly column: number
}
