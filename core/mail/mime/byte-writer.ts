/** A longer message gets its own memory, so that it keeps no block alive that is mostly not its own. */
const LONG = 64 * 1024

/**
 * Writes messages one behind the other into a block of memory, and begins a new block when one is full: memory of its
 * own for each message would take longer to get and to give back than the message takes to write.
 */
export class ByteWriter {
  /** The block. */
  bytes: Buffer<ArrayBuffer>
  /** Where in the block the next byte goes. */
  length = 0
  /** A buffer for text that is being re-encoded. */
  aside: Buffer
  /** Where the message begins. */
  #begin = 0

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
    this.aside = Buffer.allocUnsafeSlow(capacity)
  }

  /** How much memory it holds. */
  get capacity(): number {
    return this.bytes.length + this.aside.length
  }

  /** How many bytes were written since the last `take`. */
  get written(): number {
    return this.length - this.#begin
  }

  /** Drops what was written since the last `take`. */
  reset(): void {
    this.length = this.#begin
  }

  /** Writes the text as UTF-8 into `aside` and answers its length; an unpaired surrogate becomes U+FFFD. */
  putAside(text: string): number {
    if (text.length * 3 > this.aside.length) this.aside = Buffer.allocUnsafeSlow(text.length * 3)
    return this.aside.write(text, 'utf8')
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return
    const written = this.length - this.#begin
    const block = Buffer.allocUnsafeSlow(Math.max(this.bytes.length, 2 * (written + more)))
    this.bytes.copy(block, 0, this.#begin, this.length)
    this.bytes = block
    this.#begin = 0
    this.length = written
  }

  /** Appends text whose characters are all below 128. */
  ascii(text: string): void {
    this.reserve(text.length)
    this.length += this.bytes.write(text, this.length, 'latin1')
  }

  add(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Everything written since the last call. Nothing is written there again. */
  take(): Buffer<ArrayBuffer> {
    const written = this.bytes.subarray(this.#begin, this.length)
    if (written.length > LONG) {
      this.reset()
      const taken = Buffer.allocUnsafeSlow(written.length)
      written.copy(taken)
      return taken
    }
    this.#begin = this.length
    return written
  }
}
