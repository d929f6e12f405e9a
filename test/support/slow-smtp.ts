import { once } from 'node:events'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** An SMTP server that receives messages and answers them only when told. */
export interface SlowSmtp {
  readonly port: number
  /**
   * `message to …` for each whole message, `closed to …` for each once its connection is closed,
   * in the order they happened.
   */
  readonly events: readonly string[]
  /** Accepts all messages it holds, and all later ones at once. */
  answer(): void
}

/** Starts one on a free port of 127.0.0.1, until the test ends. */
export async function startSlowSmtp(): Promise<SlowSmtp> {
  const { promise, resolve: answer } = Promise.withResolvers<void>()
  const events: string[] = []
  const laden = new Map<string, string[]>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    socketTimeout: 600_000,
    onData(stream, { id, envelope }, done) {
      stream.resume()
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address).join()
        events.push(`message to ${to}`)
        laden.set(id, [...(laden.get(id) ?? []), to])
        void promise.then(() => done())
      })
    },
    onClose({ id }) {
      for (const to of laden.get(id) ?? []) events.push(`closed to ${to}`)
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
