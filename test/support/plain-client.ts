import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { until } from './until.ts'

/** A text's octets. */
export const bytes = (text: string) => Buffer.from(text, 'latin1')

/** An SMTP client that sends octets unchanged, and has already said EHLO. `toData` names `recipient` by default. */
export async function plainClient(port: number, recipient: string) {
  const socket: Socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let text = ''
  let isClosed = false
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('close', () => {
    isClosed = true
  })
  socket.on('error', () => {})
  /** The next whole reply. */
  const reply = () =>
    until('a reply comes', () => {
      const [whole] = /^(?:\d{3}-.*\r\n)*\d{3}(?: .*)?\r\n/.exec(text) ?? []
      if (whole !== undefined) text = text.slice(whole.length)
      return whole ?? (isClosed ? 'closed' : undefined)
    })
  const say = (line: string | Buffer) => {
    socket.write(typeof line === 'string' ? bytes(`${line}\r\n`) : line)
    return reply()
  }
  await reply()
  const greeting = await say('EHLO client.example')
  const toData = async (recipients = [recipient]) => {
    await say('MAIL FROM:<ada@friend.example>')
    for (const each of recipients) await say(`RCPT TO:<${each}>`)
    return say('DATA')
  }
  return { socket, say, reply, toData, greeting, isClosed: () => isClosed }
}
