import { EngineError } from '../../core/errors.ts'
import type { Untrusted } from '../../core/values/json.ts'
import { readJsonText } from '../../core/values/json-text.ts'
import { Thread, ThreadOverrun, threadFile } from '../../core/work/thread.ts'

/** A body with more bytes is parsed off the event loop; smaller ones take a few milliseconds. */
const LARGE_BODY = 256 * 1024
/** How much time and memory one body may take: 50 MB take a second and 400 MB. */
const PATIENCE_MS = 20_000
const MEMORY_MB = 1024

/** Parses the JSON of bodies, large ones in a thread of their own. */
export class JsonBodies {
  readonly #thread = new Thread<Uint8Array>({
    file: threadFile('./json-thread', import.meta.url),
    name: 'mailwright-json',
    patience: PATIENCE_MS,
    memory: MEMORY_MB,
  })

  /**
   * A body's value. The buffer must not be used afterwards, since a large one moves to the thread. Throws as
   * `readJsonText` does.
   */
  async read(bytes: Buffer): Promise<Untrusted> {
    if (bytes.length <= LARGE_BODY) return readJsonText(bytes)
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
    try {
      return await this.#thread.ask(whole, { transfer: [whole.buffer as ArrayBuffer] })
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      throw new EngineError('PAYLOAD_TOO_LARGE', 'The body takes too much time or memory to read.', { cause: error })
    }
  }
}
