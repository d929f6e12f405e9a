/** An event as a client of Server-Sent Events gets it. */
export interface StreamedEvent {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into data of every shape
  readonly data: any
}

/** A client that reads Server-Sent Events by a real connection. */
export interface StreamClient {
  readonly status: number
  readonly headers: Headers
  /** All events so far. */
  readonly events: readonly StreamedEvent[]
  /** The id that a client comes back with: also of a block without data. */
  readonly lastId: string | undefined
  /** Comments so far. */
  readonly comments: number
  /** Answers when the stream ends, in whichever way. */
  readonly ended: Promise<void>
  /** The body of an answer that is no stream. */
  readonly text: string
  /** Cuts the connection off. */
  cut(): void
}

/** Opens a stream; answers once its beginning is there. */
export async function followEvents(url: string, headers: Readonly<Record<string, string>>): Promise<StreamClient> {
  const abort = new AbortController()
  const response = await fetch(url, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  })
  const events: StreamedEvent[] = []
  const state = { lastId: undefined as string | undefined, comments: 0, text: '' }
  let begun = () => {}
  const beginning = new Promise<void>((resolve) => {
    begun = resolve
  })
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const read = async () => {
    let rest = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      if (!isStream) state.text += piece
      const blocks = (rest + piece).split('\n\n')
      rest = blocks.pop() ?? ''
      if (isStream) for (const block of blocks) take(block)
      begun()
    }
  }
  const take = (block: string) => {
    const fields = new Map(
      block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    if (fields.has('')) state.comments++
    state.lastId = fields.get('id') ?? state.lastId
    const data = fields.get('data')
    if (data === undefined) return
    events.push({ id: fields.get('id') ?? '', event: fields.get('event') ?? '', data: JSON.parse(data) })
  }
  const ended = read()
    .catch(() => {})
    .finally(() => begun())
  await beginning
  return {
    status: response.status,
    headers: response.headers,
    events,
    ended,
    get lastId() {
      return state.lastId
    },
    get comments() {
      return state.comments
    },
    get text() {
      return state.text
    },
    cut: () => abort.abort(),
  }
}
