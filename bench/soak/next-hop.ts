import { startSink } from '../noting-sink.ts'

/** The SMTP server that all mail goes to. It counts how often each address got mail, and can be away for a while. */
export class NextHop {
  readonly copies = new Map<string, number>()
  #port = 0
  #close: (() => Promise<void>) | undefined

  get port(): number {
    return this.#port
  }

  async up(): Promise<void> {
    const note = (recipients: readonly string[]) => {
      for (const to of recipients) this.copies.set(to, (this.copies.get(to) ?? 0) + 1)
    }
    const { port, close } = await startSink(note, this.#port)
    this.#port = port
    this.#close = close
  }

  /** Breaks every connection and takes no new one. */
  async down(): Promise<void> {
    await this.#close?.()
    this.#close = undefined
  }
}
