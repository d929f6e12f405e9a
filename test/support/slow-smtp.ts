import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** An SMTP server that takes messages and says nothing to them before it is told to. */
export interface SlowSmtp {
  readonly port: number
  /** `message` for each whole message, `closed` for each connection that had one and is gone; in the order they happened. */
  readonly events: readonly ('message' | 'closed')[]
  /** Takes all it has, and at once all that come later. */
  answer(): void
}

/** Starts one on a free port of 127.0.0.1; it is gone when the test ends. */
export async function startSlowSmtp(): Promise<SlowSmtp> {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const events: ('message' | 'closed')[] = []
  const laden = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    socketTimeout: 600_000,
    onData(stream, { id }, done) {
      stream.resume()
      stream.on('end', () => {
        events.push('message')
        laden.add(id)
        void promise.then(() => done())
      })
    },
    onClose({ id }) {
      if (laden.has(id)) events.push('closed')
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return { port: address.port, events, answer }
}
