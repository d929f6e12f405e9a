import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A server that accepts and discards mail, and notes when it came. */
export interface NotingSink {
  readonly port: number
  /** When the first mail since `forget` came, by `performance.now()`. */
  readonly first: number | undefined
  /** When each mail to the noted domain came, by recipient. */
  readonly arrivals: ReadonlyMap<string, number>
  forget(): void
  close(): Promise<void>
}

/** Starts one on a loopback port. It notes the recipients at `domain`. */
export async function startNotingSink(domain = ''): Promise<NotingSink> {
  const arrivals = new Map<string, number>()
  let first: number | undefined
  const sink = await startSink((recipients) => {
    const now = performance.now()
    first ??= now
    for (const to of recipients) if (to.endsWith(`@${domain}`)) arrivals.set(to, now)
  })
  return {
    port: sink.port,
    get first() {
      return first
    },
    arrivals,
    forget() {
      first = undefined
      arrivals.clear()
    },
    close: sink.close,
  }
}

/**
 * Starts an SMTP server on a loopback port, which accepts and discards mail. `arrived` is called with a mail's recipients
 * before it is accepted.
 */
export async function startSink(
  arrived: (recipients: readonly string[]) => void,
  port = 0,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    converse(socket, arrived)
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    async close() {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}

const END = '\r\n.\r\n'

/** Accepts everything. Clients send nothing after a message's end before its reply (RFC 2920). */
function converse(socket: Socket, arrived: (recipients: readonly string[]) => void): void {
  let recipients: string[] = []
  let inMessage = false
  let rest = ''
  socket.write('220 sink\r\n')
  socket.on('data', (chunk) => {
    if (inMessage) {
      rest = (rest + chunk.toString('latin1', Math.max(0, chunk.length - END.length))).slice(-END.length)
      if (rest !== END) return
      arrived(recipients)
      socket.write('250 taken\r\n')
      ;[recipients, inMessage, rest] = [[], false, '']
      return
    }
    const lines = (rest + chunk.toString('latin1')).split('\r\n')
    rest = lines.pop() ?? ''
    let replies = ''
    for (const line of lines) {
      const verb = line.slice(0, 4).toUpperCase()
      if (verb === 'RCPT') recipients.push(line.slice(line.indexOf('<') + 1, line.indexOf('>')))
      if (verb === 'DATA') inMessage = true
      replies += REPLIES[verb] ?? '250 ok\r\n'
    }
    socket.write(replies)
    if (lines.some((line) => line.toUpperCase() === 'QUIT')) socket.end()
  })
}

const REPLIES: Readonly<Record<string, string>> = {
  EHLO: '250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n',
  DATA: '354 go on\r\n',
  QUIT: '221 bye\r\n',
}
