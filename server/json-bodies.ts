import { EngineError } from '../core/errors.ts'
import type { Untrusted } from '../core/values/json.ts'
import { readJsonText } from '../core/values/json-text.ts'
import { Thread, ThreadOverrun, threadFile } from '../core/work/thread.ts'

/** A body of more bytes is read beside the event loop: what is smaller takes some milliseconds. */
const LARGE = 256 * 1024
/** How long one body may take, and how much memory: a body of 50 MB takes a second and 400 MB. */
const PATIENCE_MS = 20_000
const MEMORY_MB = 1024

/** Reads the JSON of bodies, large ones in a thread of their own. */
export class JsonBodies {
  readonly #thread = new Thread<Uint8Array>({
    file: threadFile('./json-thread', import.meta.url),
    name: 'mailwright-json',
    patience: PATIENCE_MS,
    memory: MEMORY_MB,
  })

  /** The value of a body; its bytes are given away. Throws as `readJsonText` does. */
  async read(bytes: Buffer): Promise<Untrusted> {
    if (bytes.length <= LARGE) return readJsonText(bytes)
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
    try {
      return await this.#thread.ask(whole, { transfer: [whole.buffer as ArrayBuffer] })
    } catch (error) {
      if (!(error instanceof ThreadOverrun)) throw error
      throw new EngineError('PAYLOAD_TOO_LARGE', 'The body takes too much time or memory to read.', { cause: error })
    }
  }
}
