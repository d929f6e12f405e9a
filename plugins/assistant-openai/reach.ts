import { lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { forbiddenRange, type Network } from '../kit/net/forbidden-range.ts'

/** An address that may not be reached. */
export class Forbidden extends Error {}

/**
 * Looks a name up as the system does, and answers its addresses only when all of them may be reached: public ones by https
 * alone, and those of our own network when the operator allows them. The socket connects to exactly these.
 */
export function guardedLookup(allow: readonly Network[], isSecure: boolean): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error, [])
      for (const { address } of found) {
        const problem = problemOf(address, allow, isSecure)
        // the address is not named, since it would reveal our network
        if (problem !== undefined) return done(new Forbidden(`${host} ${problem}`), [])
      }
      if (options.all) return done(null, found)
      const [first] = found
      return first ? done(null, first.address, first.family) : done(new Error(`there is no address of ${host}`), [])
    })
  }
}

function problemOf(address: string, allow: readonly Network[], isSecure: boolean): string | undefined {
  const range = forbiddenRange(address, [])
  if (range === undefined) return isSecure ? undefined : 'is at a public address, which is asked by https alone'
  if (forbiddenRange(address, allow) === undefined) return undefined
  return `is at an address that may not be reached (${range}); the option allow decides`
}
