import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { BlockList, isIP, type LookupFunction, Socket } from 'node:net'

/** The addresses of a name, by the suite's resolver. */
export type Ask = (name: string, family: 4 | 6) => Promise<readonly string[]>

/** Keeps the requests of a sender inside the suite. */
export interface Trap {
  /** Where the sender tried to go besides the suite's servers: `10.0.0.1:80`. Nothing has been sent there. */
  readonly caught: string[]
  /** How many connections to the suite's servers have been seen. */
  readonly seen: () => number
  readonly release: () => void
}

const FUNCTIONS = ['resolve', 'resolve4', 'resolve6'] as const

/**
 * Lets this process connect to these ports on loopback addresses alone, and answers its look-ups of names by `ask`. It
 * is for senders that are not finished yet: their mistakes are caught and reach no one.
 */
export function trap(ports: ReadonlySet<number>, ask: Ask): Trap {
  const caught: string[] = []
  let seen = 0
  const isOurs = (address: string, port: number) => ports.has(port) && isLoopback(address)
  const turnAway = (where: string) => {
    caught.push(where)
    const message = `connect ECONNREFUSED ${where}: the contract lets a sender connect only to its own servers`
    return Object.assign(new Error(message), { code: 'ECONNREFUSED' })
  }

  const connect = Socket.prototype.connect
  const lookup = dns.lookup
  const guarded = function (this: Socket, ...given: unknown[]) {
    const target = targetOf(given)
    const { host, port, path } = target
    const known = path === undefined && (isIP(host) === 0 || isOurs(host, port))
    if (!known) {
      const error = turnAway(path ?? place(host, port))
      process.nextTick(() => this.destroy(error))
      return this
    }
    if (isIP(host) !== 0) seen++
    const check = checking(target.lookup ?? (dns.lookup as LookupFunction), (address) => {
      if (!isOurs(address, port)) return turnAway(place(address, port))
      seen++
      return undefined
    })
    return Reflect.apply(connect, this, target.with(check))
  }
  const answer = async (name: string, family: 4 | 6) => {
    if (/(^|\.)localhost\.?$/i.test(name)) return family === 4 ? ['127.0.0.1'] : ['::1']
    const found = await ask(name, family)
    if (found.length === 0) throw Object.assign(new Error(`queryA ENOTFOUND ${name}`), { code: 'ENOTFOUND' })
    return [...found]
  }
  const restore = [
    replace(Socket.prototype, 'connect', guarded),
    replace(dns, 'lookup', byCallback(both(answer), true)),
    replace(dns.promises, 'lookup', byPromise(both(answer), true)),
    ...[dns, dns.Resolver.prototype].flatMap((place) =>
      FUNCTIONS.map((name) => replace(place, name, byCallback(one(answer, name), false))),
    ),
    ...[dns.promises, dns.promises.Resolver.prototype].flatMap((place) =>
      FUNCTIONS.map((name) => replace(place, name, byPromise(one(answer, name), false))),
    ),
  ]
  syncBuiltinESMExports()
  return {
    caught,
    seen: () => seen,
    release: () => {
      for (const undo of restore) undo()
      syncBuiltinESMExports()
      if (dns.lookup !== lookup) throw new Error('the look-up of names could not be put back')
    },
  }
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8)
LOOPBACK.addAddress('::1', 'ipv6')

/** Also of an IPv4 address that is written as IPv6. */
const isLoopback = (address: string) => LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const place = (host: string, port: number) => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`)

/** The target of a call of `connect`: by callers, or by Node itself with a list that it has put in order. */
function targetOf(given: readonly unknown[]) {
  const [first] = given
  const listed = Array.isArray(first) ? first : undefined
  const options = (listed ? listed[0] : first) as Record<string, unknown> | number | string | undefined
  if (typeof options !== 'object') {
    const isPath = typeof options === 'string' && !/^\d+$/.test(options)
    const host = typeof given[1] === 'string' ? given[1] : 'localhost'
    const rest = given.filter((each) => typeof each === 'function')
    return {
      host,
      port: Number(options),
      path: isPath ? options : undefined,
      lookup: undefined,
      with: (lookup: LookupFunction) => [{ host, port: Number(options), lookup }, ...rest],
    }
  }
  const { host, port, path, lookup } = options
  return {
    host: typeof host === 'string' && host !== '' ? host : 'localhost',
    port: Number(port),
    path: typeof path === 'string' ? path : undefined,
    lookup: typeof lookup === 'function' ? (lookup as LookupFunction) : undefined,
    with: (checked: LookupFunction) => {
      const changed = { ...options, lookup: checked }
      if (listed === undefined) return [changed, ...given.slice(1)]
      listed[0] = changed
      return given
    },
  }
}

/** A look-up whose answer is refused when one of its addresses is. */
function checking(lookup: LookupFunction, refusal: (address: string) => Error | undefined): LookupFunction {
  return (name, options, callback) =>
    lookup(name, options, (error, address, family) => {
      if (error) return callback(error, address, family)
      for (const each of [address].flat()) {
        const refused = refusal(typeof each === 'string' ? each : each.address)
        if (refused) return callback(refused, address, family)
      }
      return callback(null, address, family)
    })
}

type Found = (name: string, options: unknown) => Promise<readonly { address: string; family: 4 | 6 }[]>
type Answer = (name: string, family: 4 | 6) => Promise<readonly string[]>

/** The addresses of one family, or of both in this order, as `lookup` has them. */
function both(answer: Answer): Found {
  return async (name, options) => {
    if (isIP(name) !== 0) return [{ address: name, family: isIP(name) === 4 ? 4 : 6 }]
    const wanted = typeof options === 'number' ? options : Number((options as { family?: unknown })?.family ?? 0)
    const families = ([4, 6] as const).filter((family) => wanted === 0 || wanted === family)
    const answers = await Promise.allSettled(families.map((family) => answer(name, family)))
    const found = answers.flatMap((each, i) =>
      each.status === 'fulfilled' ? each.value.map((address) => ({ address, family: families[i] ?? 4 })) : [],
    )
    const failed = answers.find((each) => each.status === 'rejected')
    if (found.length === 0 && failed) throw failed.reason
    return found
  }
}

const one =
  (answer: Answer, name: (typeof FUNCTIONS)[number]): Found =>
  async (host, type) => {
    const family = name === 'resolve6' || type === 'AAAA' ? 6 : 4
    return (await answer(host, family)).map((address) => ({ address, family }))
  }

function byPromise(find: Found, isLookup: boolean) {
  return async (name: string, options?: unknown) => {
    const found = await find(name, options)
    if (!isLookup) return found.map(({ address }) => address)
    return wantsAll(options) ? found : found[0]
  }
}

function byCallback(find: Found, isLookup: boolean) {
  return (name: string, ...rest: unknown[]) => {
    const callback = rest.pop() as (...answer: unknown[]) => void
    find(name, rest[0]).then(
      (found) => {
        if (!isLookup)
          callback(
            null,
            found.map(({ address }) => address),
          )
        else if (wantsAll(rest[0])) callback(null, found)
        else callback(null, found[0]?.address, found[0]?.family)
      },
      (error) => callback(error),
    )
  }
}

const wantsAll = (options: unknown) => (options as { all?: unknown } | undefined)?.all === true

/** Puts another function in a place, and answers what puts the first one back. */
function replace(at: object, name: string, by: unknown): () => void {
  const before = Object.getOwnPropertyDescriptor(at, name)
  Reflect.set(at, name, by)
  return () => {
    if (before) Object.defineProperty(at, name, before)
    else Reflect.deleteProperty(at, name)
  }
}
