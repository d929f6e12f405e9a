import { once } from 'node:events'
import { createServer } from 'node:net'

/** Rejects with the system's error when this process could not listen there now. Nothing is accepted meanwhile. */
export async function tryToListen(host: string, port: number): Promise<void> {
  const probe = createServer((socket) => socket.destroy())
  probe.listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}
