import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import { forbiddenRange, isSameAddress, type Network } from '../kit/net/forbidden-range.ts'
import type { Limit } from './limit.ts'
import { failure, NoAnswer } from './no-answer.ts'
import { hostOf, portOf } from './target.ts'

/** The rules for making connections. */
export interface ConnectRules {
  readonly allow: readonly Network[]
  readonly secureContext: SecureContext
}

/**
 * Connects to the first address that accepts, with TLS for https. It looks up no names and uses no proxy, and the
 * socket is for this one exchange only. Throws NoAnswer.
 */
export async function connect(
  url: URL,
  addresses: readonly string[],
  rules: ConnectRules,
  limit: Limit,
): Promise<Socket> {
  const socket = await connectToOne(addresses, portOf(url), limit)
  try {
    checkPeer(socket, addresses, rules.allow)
    return url.protocol === 'https:' ? await secure(socket, hostOf(url), rules.secureContext, limit) : socket
  } catch (error) {
    socket.destroy()
    throw failure(error)
  }
}

/** Each address gets its share of the time left, so that one that swallows packets does not use it all up. */
async function connectToOne(addresses: readonly string[], port: number, limit: Limit): Promise<Socket> {
  let last: unknown
  for (const [i, address] of addresses.entries()) {
    const socket = connectTcp({ host: address, port, noDelay: true })
    const share = limit.left() / (addresses.length - i)
    const timer = setTimeout(() => socket.destroy(new Error('the connection took too long')), share)
    try {
      await limit.within(event(socket, 'connect'))
      return socket
    } catch (error) {
      socket.destroy()
      if (limit.signal.aborted) throw failure(error)
      last = error
    } finally {
      clearTimeout(timer)
    }
  }
  const { message } = failure(last)
  // the system's message contains the address, which may be one of our internal network
  const reason = addresses.reduce((text, address) => text.replaceAll(address, 'the server'), message)
  throw new NoAnswer('failed', `could not connect: ${reason}`)
}

/** The final check: whatever happened before, the socket's other end must be one of the checked addresses. */
function checkPeer({ remoteAddress }: Socket, addresses: readonly string[], allow: readonly Network[]): void {
  if (remoteAddress === undefined) throw new NoAnswer('failed', 'the connection was closed')
  const isChecked = addresses.some((address) => isSameAddress(address, remoteAddress))
  if (!isChecked || forbiddenRange(remoteAddress, allow) !== undefined) {
    throw new NoAnswer('forbidden', 'the connection leads to an address that may not be reached')
  }
}

/** The certificate must be valid for the URL's host name, whatever the environment says about unauthorized ones. */
async function secure(socket: Socket, host: string, secureContext: SecureContext, limit: Limit): Promise<Socket> {
  const tls = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    secureContext,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
  })
  try {
    await limit.within(event(tls, 'secureConnect'))
    return tls
  } catch (error) {
    tls.destroy()
    throw new NoAnswer('failed', limit.signal.aborted ? failure(error).message : `TLS: ${failure(error).message}`)
  }
}

/**
 * Waits for an event. Throws when the socket fails or closes before. Later errors are ignored, so that they do not end
 * the process.
 */
function event(socket: Socket, name: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once(name, () => resolve())
    socket.on('error', reject)
    socket.once('close', () => reject(new Error('the connection was closed')))
  })
}
