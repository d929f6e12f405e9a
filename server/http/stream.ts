/**
 * The text as a stream of UTF-8 bytes. A piece is read only once the one before was taken, and a reader that stops ends
 * the source. The source's error ends the stream, after `onError` was called. (h3's `iterable` reads ahead, and reports no
 * error.)
 */
export function bytesOf(text: AsyncIterable<string>, onError: (error: unknown) => void): ReadableStream<Uint8Array> {
  const source = text[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let isGone = false
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await source.next()
          // the reader went away while the piece was made
          if (isGone) return
          if (done) controller.close()
          else controller.enqueue(encoder.encode(value))
        } catch (error) {
          if (isGone) return
          onError(error)
          throw error
        }
      },
      async cancel() {
        isGone = true
        await source.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
