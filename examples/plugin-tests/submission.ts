import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { silentLog, systemClock } from 'mailwright'
import { submissionMailContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { ownSubmission } from '../own-submission.ts'

const opened = async (port: number) =>
  (await ownSubmission({ port }).open({ log: silentLog, clock: systemClock })).submission

/** Another program on a port of this machine. */
async function occupant() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise<void>((closed) => void server.close(() => closed())) }
}

describe('submission-own', () => {
  submissionMailContract(async () => {
    const [free, other] = [await occupant(), await occupant()]
    await free.close()
    const submission = await opened(free.port)
    return {
      submission,
      port: () => free.port,
      occupy: async () => ({ receiver: await opened(other.port), port: other.port }),
      close: async () => void (await Promise.all([submission.stop(0), other.close()])),
    }
  })
})
