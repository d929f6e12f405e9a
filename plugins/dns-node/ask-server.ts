import { createSocket } from 'node:dgram'
import { createConnection, isIPv6 } from 'node:net'
import dnsPacket, { type DecodedPacket, type Packet } from 'dns-packet'
import { answerTo } from './message.ts'
import type { ServerAddress } from './server-address.ts'

/** Asks one server once, over UDP. Rejects when the socket fails or `signal` ends. */
export function askByUdp(server: ServerAddress, query: Packet, signal: AbortSignal): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    // a socket for each question, so that the port cannot be guessed; connected, it receives only from that server
    const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4')
    const end = (settle: () => void) => {
      signal.removeEventListener('abort', stop)
      socket.removeAllListeners('message')
      socket.close()
      settle()
    }
    let ended = false
    const once = (settle: () => void) => {
      if (ended) return
      ended = true
      end(settle)
    }
    const stop = () => once(() => reject(signal.reason))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    socket.on('error', (error) => once(() => reject(error)))
    socket.on('message', (bytes) => {
      const answer = answerTo(query, bytes)
      if (answer) once(() => resolve(answer))
    })
    socket.connect(server.port, server.address, () => {
      if (!ended) socket.send(dnsPacket.encode(query))
    })
  })
}

/** Asks one server once, over TCP (RFC 7766), for answers too long for a datagram. */
export function askByTcp(server: ServerAddress, query: Packet, signal: AbortSignal): Promise<DecodedPacket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ host: server.address, port: server.port, signal })
    let received = Buffer.alloc(0)
    const fail = (error: unknown) => {
      socket.destroy()
      reject(error)
    }
    socket.on('error', (error) => fail(signal.aborted ? signal.reason : error))
    socket.on('close', () => reject(new Error('closed without an answer')))
    socket.on('connect', () => socket.write(dnsPacket.streamEncode(query)))
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      // at most 65,535 bytes, after two bytes of length
      if (received.length < 2 || received.length < received.readUInt16BE(0) + 2) return
      const answer = answerTo(query, received.subarray(2, received.readUInt16BE(0) + 2))
      if (answer === undefined) return fail(new Error('an answer to another question'))
      resolve(answer)
      socket.destroy()
    })
  })
}
