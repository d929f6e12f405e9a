import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Mailbox } from '../../core/ports/mail-transport.ts'
import type { ReceivedMail } from '../contracts/arrived-mail.ts'
import { type GarbledAnswer, writeGarbled } from '../contracts/garbled-answers.ts'

const API_KEY = 'a key'

interface Posted {
  readonly from: Mailbox
  readonly to: readonly Mailbox[]
  readonly cc?: readonly Mailbox[]
  readonly bcc?: readonly Mailbox[]
  readonly replyTo?: readonly Mailbox[]
  readonly subject: string
  readonly text: string
  readonly html?: string
  readonly headers?: readonly { readonly name: string; readonly value: string }[]
  readonly attachments?: readonly {
    readonly filename: string
    readonly contentType: string
    readonly contentId?: string
    readonly content: string
  }[]
}

/** A provider that makes messages of JSON, and wants a recipient in `to`, as most do. */
export async function startJsonProvider() {
  const mails: ReceivedMail[] = []
  const moods: {
    status?: number
    refuses?: string
    cut?: boolean
    cutFrom?: number
    isSilent?: boolean
    garbled?: GarbledAnswer
  } = {}
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return
    }
    if (moods.isSilent) return
    if (request.headers.authorization !== `Bearer ${API_KEY}`) return response.writeHead(401).end('who are you?')
    if (moods.status !== undefined) return response.writeHead(moods.status).end('no')
    const mail: Posted = JSON.parse(Buffer.concat(parts).toString())
    if (mail.to.length === 0) return response.writeHead(422).end('to is empty')
    const to = [...mail.to, ...(mail.cc ?? []), ...(mail.bcc ?? [])].map(({ email }) => email)
    if (moods.refuses !== undefined && to.includes(moods.refuses)) return response.writeHead(422).end('unknown')
    mails.push({ to, id: `acme-${mails.length + 1}`, fields: fieldsOf(mail) })
    if (moods.garbled) return writeGarbled(response, moods.garbled)
    if (moods.cut || mails.length >= (moods.cutFrom ?? Number.POSITIVE_INFINITY)) return request.socket.destroy()
    return response.end(JSON.stringify({ id: `acme-${mails.length}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/email`
  return { mails, moods, close, url, apiKey: API_KEY }
}

function fieldsOf({ headers = [], attachments = [], ...mail }: Posted) {
  return {
    ...mail,
    headers: headers.map(({ name, value }) => [name, value] as const),
    attachments: attachments.map(({ content, ...file }) => ({ ...file, content: Buffer.from(content, 'base64') })),
  }
}
