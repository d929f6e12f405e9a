/**
 * Keeps files: uploaded images. Those of mails are in the store, since they come and go with its commits. `put`, `get`, `stream` and `remove` throw on a key that is
 * not 1–200 characters of `[a-z0-9/._-]`, starts or ends with `/`, or has an empty, `.` or `..` segment.
 */
export interface BlobStore {
  /**
   * Stores the bytes under the key and resolves when they are durable. Storing under the same key again replaces them
   * as a whole: a reader sees the old or the new bytes, never a mixture.
   */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** The bytes, or undefined when there are none. */
  get(key: string): Promise<Uint8Array | undefined>
  /**
   * The bytes piece by piece, read only as fast as they are consumed; undefined when there are none. A reader that
   * stops early cancels the stream, which then lets go of its file or connection. When the bytes are replaced meanwhile, the stream delivers the old ones to the end,
   * or fails.
   */
  stream(key: string): Promise<BlobStream | undefined>
  /** Removes the bytes under the key; true when there were some. */
  remove(key: string): Promise<boolean>
  /** Rejects when nothing can be stored at present. */
  check(): Promise<void>
}
export const BlobStore = Symbol('BlobStore')

/** The bytes of a blob as a stream, and their number. */
export interface BlobStream {
  readonly size: number
  readonly bytes: ReadableStream<Uint8Array>
}
