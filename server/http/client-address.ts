import { isIP } from 'node:net'
import type { H3Event } from 'h3'
import { countedAddress } from '../../core/values/counted-address.ts'

/**
 * The client's address in a form to count by: of an IPv6 address its /64 network, since one client has all of that.
 * Behind a trusted proxy, it is the last entry of `X-Forwarded-For`, the only one the client cannot make up. Undefined
 * when the runtime does not give it.
 */
export function clientAddress({ req }: H3Event, trustProxy: boolean): string | undefined {
  const forwarded = trustProxy ? req.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() : undefined
  const address = forwarded && isIP(forwarded) ? forwarded : req.ip
  return address === undefined ? undefined : countedAddress(address)
}
