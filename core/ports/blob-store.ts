/** Keeps files: uploaded images, attachments of received mail. */
export interface BlobStore {
  /**
   * Stores the bytes under the key and answers when they are durable. The same key again replaces them whole: a reader
   * sees the old or the new bytes, never a mixture. Throws on a key that is not 1–200 characters of `[a-z0-9/._-]`,
   * starts or ends with `/`, or has an empty, `.` or `..` segment.
   */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The bytes, or undefined when there are none. */
  get(key: string): Promise<Uint8Array | undefined>
  /** True when there was something to remove. */
  remove(key: string): Promise<boolean>
  /** Rejects when nothing can be stored at present. */
  check(): Promise<void>
}
export const BlobStore = Symbol('BlobStore')
