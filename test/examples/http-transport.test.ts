import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { acme } from '../../examples/http-transport.ts'
import {
  type GarbledAnswer,
  mailTransportContract,
  outgoingMail,
  type ReceivedMail,
  writeGarbled,
} from '../contracts/index.ts'

const kit = { log: silentLog, clock: systemClock }
const API_KEY = 'a key'

/** A provider as the example knows it; `status` and `cut` are how it treats the next mail. */
async function startAcme() {
  const mails: ReceivedMail[] = []
  const moods: { status?: number; cut?: boolean; isSilent?: boolean; garbled?: GarbledAnswer } = {}
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return
    }
    if (moods.isSilent) return
    if (request.headers['x-api-key'] !== API_KEY) return response.writeHead(401).end('who are you?')
    if (moods.status !== undefined) return response.writeHead(moods.status).end('no')
    const { searchParams } = new URL(request.url ?? '', 'http://localhost')
    mails.push({ from: searchParams.get('from') ?? '', to: searchParams.getAll('to'), raw: Buffer.concat(parts) })
    if (moods.garbled) return writeGarbled(response, moods.garbled)
    if (moods.cut) return request.socket.destroy()
    return response.end('queued')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/raw`
  const { transport } = await acme({ url, apiKey: API_KEY }).open(kit)
  return { mails, moods, url, close, transport }
}

describe('the example of an HTTP transport', () => {
  mailTransportContract(async () => {
    const { transport, mails, moods, close } = await startAcme()
    return {
      transport,
      received: async () => mails,
      refuses: undefined,
      postpones: undefined,
      unplug: close,
      stall: () => {
        moods.isSilent = true
      },
      fails: (status) => {
        moods.status = status
      },
      garbles: (answer) => {
        moods.garbled = answer
      },
      cuts: () => {
        moods.cut = true
      },
      close,
    }
  })

  it.each([
    [400, true],
    [413, true],
    [422, true],
    [401, false],
    [403, false],
    [404, false],
    [429, false],
    [500, false],
    [503, false],
  ])('takes the status %i for what it says of the mail: permanent %s', async (status, permanent) => {
    const { transport, moods, close } = await startAcme()
    onTestFinished(close)
    moods.status = status
    const result = await transport.send(outgoingMail(), new AbortController().signal)
    expect(result).toEqual({ outcome: 'refused', permanent, stage: 'data', reason: `${status} no` })
  })

  it('does not claim to know what became of a mail whose connection broke behind it', async () => {
    const { transport, moods, mails, close } = await startAcme()
    onTestFinished(close)
    moods.cut = true
    await expect(transport.send(outgoingMail(), new AbortController().signal)).rejects.toThrow()
    expect(mails).toHaveLength(1)
  })

  it('is the one docs/plugins.md shows', async () => {
    const [page, example] = await Promise.all(
      ['docs/plugins.md', 'examples/http-transport.ts'].map((path) =>
        readFile(new URL(`../../${path}`, import.meta.url), 'utf8'),
      ),
    )
    const section = page?.split(/^## /m).find((each) => each.startsWith('Write a transport\n'))
    expect(/```ts\n(.*?)```/s.exec(section ?? '')?.[1]).toBe(example)
  })
})
