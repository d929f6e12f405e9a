import dns from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { forbiddenRange, type Network, networksOf } from '../net/forbidden-range.ts'
import type { Hop } from './hop.ts'

/** An address that must not be connected to. The message does not name it, since it would reveal our internal network. */
export class ForbiddenAddress extends Error {
  override readonly name = 'ForbiddenAddress'

  constructor(range: string) {
    super(`it is at an address that may not be reached (${range}); egress.allow in the configuration decides`)
  }
}

/**
 * Where to connect to. If the hop is bound to public addresses, names are looked up so that the connection is made to
 * exactly the addresses that were judged, all of which must be allowed. Throws ForbiddenAddress for an address that is not.
 */
export function targetOf({ host, port, publicOr, lookup, localAddress }: Hop): {
  readonly host: string
  readonly port: number
  readonly lookup?: LookupFunction
  readonly localAddress?: string
} {
  const target = { host, port, ...(localAddress === undefined ? {} : { localAddress }) }
  if (publicOr === undefined) return lookup === undefined ? target : { ...target, lookup }
  const networks = networksOf(publicOr)
  // an address is not looked up
  const forbidden = isIP(host) === 0 ? undefined : forbiddenAmong([host], networks)
  if (forbidden) throw forbidden
  return { ...target, lookup: judging(networks, lookup ?? dns.lookup) }
}

function judging(networks: readonly Network[], lookup: LookupFunction): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, answer) => {
      const found = typeof answer === 'string' ? [] : answer
      if (error) return done(error, [])
      const forbidden = forbiddenAmong(
        found.map(({ address }) => address),
        networks,
      )
      if (forbidden) return done(forbidden, [])
      if (options.all) return done(null, found)
      done(null, found[0]?.address ?? '', found[0]?.family)
    })
  }
}

function forbiddenAmong(addresses: readonly string[], networks: readonly Network[]): ForbiddenAddress | undefined {
  const range = addresses.map((address) => forbiddenRange(address, networks)).find((each) => each !== undefined)
  return range === undefined ? undefined : new ForbiddenAddress(range)
}
