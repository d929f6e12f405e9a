import { isIP } from 'node:net'
import type { H3Event } from 'h3'

/**
 * The address of the client, in a form to count by: of an IPv6 address its /64 network, for that much one client has to
 * himself. Behind a trusted proxy it is the last entry of `X-Forwarded-For`, the only one the client cannot make up.
 * Undefined when the runtime does not tell.
 */
export function clientAddress({ req }: H3Event, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? req.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  const address = forwarded && isIP(forwarded) ? forwarded : req.ip
  return address === undefined ? undefined : countedAddress(address)
}

/** An address in the form to count by. */
export function countedAddress(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  return mapped ?? (isIP(address) === 6 ? network(address) : address)
}

function network(address: string): string {
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  const groups = [...before, ...Array<string>(Math.max(zeros, 0)).fill('0'), ...after]
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')
}
