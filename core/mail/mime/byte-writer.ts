/** Collects the bytes of a message in a buffer that grows and is reused for the next message. */
export class ByteWriter {
  bytes: Buffer
  length = 0
  /** A buffer for text that is being re-encoded. */
  aside: Buffer

  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafeSlow(capacity)
    this.aside = Buffer.allocUnsafeSlow(capacity)
  }

  /** How much memory it holds. */
  get capacity(): number {
    return this.bytes.length + this.aside.length
  }

  /** Writes the text as UTF-8 into `aside` and answers its length; an unpaired surrogate becomes U+FFFD. */
  putAside(text: string): number {
    if (text.length * 3 > this.aside.length) this.aside = Buffer.allocUnsafeSlow(text.length * 3)
    return this.aside.write(text, 'utf8')
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
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

  /** A copy of everything written; the writer is empty again. */
  take(): Buffer<ArrayBuffer> {
    const taken = Buffer.allocUnsafeSlow(this.length)
    this.bytes.copy(taken, 0, 0, this.length)
    this.length = 0
    return taken
  }
}
