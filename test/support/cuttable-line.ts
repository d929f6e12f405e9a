import { once } from 'node:events'
import net from 'node:net'
import { onTestFinished } from 'vitest'

/** A connection to a server that can be cut. */
export interface CuttableLine {
  readonly port: number
  /** Ends every connection and refuses new ones. */
  cut(): void
  /** Allows connections again. */
  mend(): void
}

/** Forwards a free port of 127.0.0.1 to this server until the test ends. */
export async function cuttableLine(host: string, port: number): Promise<CuttableLine> {
  const sockets = new Set<net.Socket>()
  let isCut = false
  const server = net.createServer((near) => {
    if (isCut) return near.destroy()
    const far = net.connect({ host, port })
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the line has no port')
  return {
    port: address.port,
    cut,
    mend: () => {
      isCut = false
    },
  }
}
