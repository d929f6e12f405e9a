import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { silentLog, systemClock } from 'mailwright'
import { inboundMailContract } from 'mailwright/contracts'
import { createTransport } from 'nodemailer'
import { describe } from 'vitest'
import { ownInbound } from '../own-inbound.ts'

const opened = async (port: number) => (await ownInbound({ port }).open({ log: silentLog, clock: systemClock })).inbound

/** Another program on a port of this machine. */
async function occupant() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise<void>((closed) => void server.close(() => closed())) }
}

describe('inbound-own', () => {
  inboundMailContract(async () => {
    const [free, other] = [await occupant(), await occupant()]
    await free.close()
    const inbound = await opened(free.port)
    const sender = createTransport({ host: '127.0.0.1', port: free.port, ignoreTLS: true })
    return {
      inbound,
      send: ({ envelope: { from, to }, raw }) => sender.sendMail({ envelope: { from, to: [...to] }, raw }),
      occupy: async () => ({ receiver: await opened(other.port), port: other.port }),
      close: async () => void (await Promise.all([inbound.stop(0), other.close()])),
    }
  })
})
