import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** A port of 127.0.0.1 that another program has, until it is freed or the test ends. */
export async function takenPort(): Promise<{ readonly port: number; free(): Promise<void> }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const free = () => new Promise<void>((resolve) => void server.close(() => resolve()))
  onTestFinished(free)
  return { port: (server.address() as AddressInfo).port, free }
}
