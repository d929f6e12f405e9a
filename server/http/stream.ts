/** How long a piece may wait for its reader, and how the connection of a slower one is cut. */
interface Patience {
  readonly patienceMs: number
  cut(): void
}

/**
 * The text as a stream of UTF-8 bytes. A piece is read only once the one before was taken, and a reader that stops ends
 * the source. The source's error ends the stream, after `onError` was called. (h3's `iterable` reads ahead, and reports no
 * error.)
 */
export function bytesOf(
  text: AsyncIterable<string>,
  onError: (error: unknown) => void,
  patience?: Patience | 0 | undefined,
): ReadableStream<Uint8Array> {
  const source = text[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  let isGone = false
  let timer: NodeJS.Timeout | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer)
        try {
          const { done, value } = await source.next()
          // the reader went away while the piece was made
          if (isGone) return
          if (done) return controller.close()
          controller.enqueue(encoder.encode(value))
          if (!patience) return
          timer = setTimeout(() => {
            isGone = true
            controller.error(new Error('the reader was too slow'))
            void source.return?.()
            patience.cut()
          }, patience.patienceMs)
          timer.unref()
        } catch (error) {
          if (isGone) return
          onError(error)
          throw error
        }
      },
      async cancel() {
        isGone = true
        clearTimeout(timer)
        await source.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
