import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLog, systemClock } from 'mailwright'
import { type GarbledAnswer, mailTransportContract, type ReceivedMail, writeGarbled } from 'mailwright/contracts'
import { describe } from 'vitest'
import { acme } from '../http-transport.ts'

/** A provider that keeps its mails, to be made more like yours. */
async function startProvider() {
  const mails: ReceivedMail[] = []
  const mood: { status?: number; isSilent?: boolean; garbled?: GarbledAnswer } = {}
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return
    }
    if (mood.isSilent) return
    if (mood.status !== undefined) return response.writeHead(mood.status).end('no')
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    mails.push({ from: searchParams.get('from') ?? '', to: searchParams.getAll('to'), raw: Buffer.concat(parts) })
    if (mood.garbled !== undefined) return writeGarbled(response, mood.garbled)
    return response.end('queued')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { mails, mood, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

describe('mail-acme', () => {
  mailTransportContract(async () => {
    const { mails, mood, close, url } = await startProvider()
    const { transport } = await acme({ url, apiKey: 'test' }).open({ log: silentLog, clock: systemClock })
    return {
      transport,
      received: async () => mails,
      refuses: undefined,
      postpones: undefined,
      unplug: close,
      stall: () => {
        mood.isSilent = true
      },
      fails: (status) => {
        mood.status = status
      },
      garbles: (answer) => {
        mood.garbled = answer
      },
      close,
    }
  })
})
