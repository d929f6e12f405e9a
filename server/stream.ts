/**
 * The text as a stream of UTF-8 bytes. A piece is asked for only when the one before was taken; whoever stops reading
 * ends the source. An error of the source ends the stream with it, after `onError` was told.
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
          // the reader went away while the piece was made: there is nowhere to put it
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
