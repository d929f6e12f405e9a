import { once } from 'node:events'
import net from 'node:net'

/** The server's reaction to a command instead of the usual answer. */
export type FaultAnswer =
  /** Says this, including line ends; several replies at once are allowed. */
  | string
  /** Says this as soon as it is known. */
  | Promise<string>
  /** Says this, then ends the connection. */
  | { readonly say: string; readonly next: 'end' | 'reset' }
  /** Says nothing from now on. */
  | 'silence'

export interface FaultScript {
  /** The extensions in EHLO's answer. Default PIPELINING and SIZE. */
  readonly extensions?: readonly string[]
  /**
   * Decides the answer to a command on a connection (from 0); undefined for the usual one. Besides the commands, there
   * are `GREETING` when the client connects, and `END` for the message with its final dot.
   */
  readonly answer?: (command: string, connection: number) => FaultAnswer | undefined
  /** Called when a connection is closed. */
  readonly closed?: (connection: number) => void
  /** Ends that connection after this many octets of output. */
  readonly cutAfter?: (connection: number) => number | undefined
  /** Splits the output into packets of this many octets. */
  readonly packet?: number
}

/** The course of one connection. */
interface FaultConnection {
  /** Every command, in order, with END for a message. */
  readonly commands: readonly string[]
  /** The chunks they came in, which shows about how often the client wrote. */
  readonly chunks: readonly string[]
  /** Octets of output so far. */
  readonly output: number
  /** Where each of our answers ended, in octets of output. */
  readonly ends: readonly number[]
}

export interface FaultSmtp {
  readonly port: number
  readonly connections: readonly FaultConnection[]
  /** The messages that came with their final dot, dot-stuffed. */
  readonly messages: readonly string[]
  /** How many connections are open now. */
  readonly open: number
  /** Waits until no connection is open. */
  drained(): Promise<void>
  close(): Promise<void>
}

/** Starts an SMTP server that misbehaves as the script says, on a free port of 127.0.0.1, octet by octet if need be. */
export async function startFaultSmtp(script: FaultScript = {}): Promise<FaultSmtp> {
  const connections: FaultConnection[] = []
  const messages: string[] = []
  const sockets = new Set<net.Socket>()
  const server = net.createServer((socket) => {
    sockets.add(socket)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) server.emit('drained')
    })
    connections.push(converse(socket, script, connections.length, messages))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return {
    port: address.port,
    connections,
    messages,
    get open() {
      return sockets.size
    },
    async drained() {
      if (sockets.size > 0) await once(server, 'drained')
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function converse(socket: net.Socket, script: FaultScript, index: number, messages: string[]): FaultConnection {
  const seen = { commands: [] as string[], chunks: [] as string[], output: 0, ends: [] as number[] }
  const speak = speaker(socket, script, index, seen)
  let input = ''
  let inMessage = false

  const heard = (command: string) => {
    if (command !== 'GREETING') seen.commands.push(command)
    const answer = script.answer?.(command, index) ?? usualAnswer(command, script.extensions ?? ['PIPELINING', 'SIZE'])
    if (command === 'DATA' && typeof answer === 'string' && answer.includes('354')) inMessage = true
    speak(answer)
  }
  socket.on('data', (chunk) => {
    seen.chunks.push(chunk.toString('latin1'))
    input += chunk.toString('latin1')
    for (;;) {
      const mark = inMessage ? '\r\n.\r\n' : '\r\n'
      const end = inMessage && input.startsWith('.\r\n') ? -2 : input.indexOf(mark)
      if (end === -1) return
      const taken = input.slice(0, Math.max(0, end))
      input = input.slice(end + mark.length)
      if (inMessage) messages.push(`${taken}\r\n`)
      const command = inMessage ? 'END' : taken
      inMessage = false
      heard(command)
    }
  })
  socket.once('close', () => script.closed?.(index))
  heard('GREETING')
  return seen
}

interface Output {
  output: number
  readonly ends: number[]
}

/** Writes answers one after the other, split and cut as the script says. */
function speaker(socket: net.Socket, script: FaultScript, index: number, seen: Output) {
  const limit = script.cutAfter?.(index) ?? Number.POSITIVE_INFINITY
  let planned = 0
  let silent = false
  let queue = Promise.resolve()

  const write = async (text: string) => {
    const octets = Buffer.from(text)
    const step = script.packet ?? octets.length
    for (let at = 0; at < octets.length; at += step) {
      const piece = octets.subarray(at, Math.min(at + step, octets.length, at + limit - seen.output))
      if (piece.length > 0) socket.write(piece)
      seen.output += piece.length
      if (seen.output >= limit) return void socket.end()
      if (step < octets.length) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  if (limit === 0) socket.end()
  return (answer: FaultAnswer) => {
    silent ||= answer === 'silence'
    if (silent || answer === 'silence') return
    if (answer instanceof Promise) {
      queue = queue.then(async () => write(await answer))
      return
    }
    const { say, next } = typeof answer === 'string' ? { say: answer, next: undefined } : answer
    planned += Buffer.byteLength(say)
    seen.ends.push(planned)
    queue = queue.then(async () => {
      if (seen.output >= limit) return
      await write(say)
      if (next === 'end') socket.end()
      if (next === 'reset') socket.resetAndDestroy()
    })
  }
}

function usualAnswer(command: string, extensions: readonly string[]): FaultAnswer {
  const verb = /^[A-Z]+/.exec(command)?.[0]
  switch (verb) {
    case 'GREETING':
      return '220 fault.test ESMTP\r\n'
    case 'EHLO':
      return ['fault.test', ...extensions]
        .map((line, i) => `250${i < extensions.length ? '-' : ' '}${line}\r\n`)
        .join('')
    case 'DATA':
      return '354 go on\r\n'
    case 'END':
      return '250 2.0.0 Ok: queued as F4U1T\r\n'
    case 'QUIT':
      return { say: '221 bye\r\n', next: 'end' }
    default:
      return '250 2.1.0 Ok\r\n'
  }
}
