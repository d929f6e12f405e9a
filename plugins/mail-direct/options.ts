import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import * as v from 'valibot'
import { isDomain } from '../../core/values/email-address.ts'
import { isNetwork } from '../kit/net/forbidden-range.ts'
import { hostName } from '../kit/net/options.ts'
import type { Families } from './look-up.ts'

const wholeNumber = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.001), v.maxValue(86_400)), fallback)

/** Names that lead every machine to itself (RFC 6761, section 6.3). */
const LOCAL = /(?:^|\.)localhost(?:\.localdomain)?$/

const Options = v.strictObject({
  /**
   * The name of this machine in EHLO, such as `mail.acme.example`. Its address record leads to the address that mail is
   * sent from, and the reverse record of that address back to this name; many receivers refuse mail otherwise.
   */
  name: v.pipe(
    hostName,
    v.check(
      (name) => isDomain(name) && !LOCAL.test(name),
      'must be the full name of this machine in the DNS, such as mail.acme.example',
    ),
    v.transform(domainToASCII),
  ),
  /** The most mails at the same time. Default 100. */
  concurrency: v.optional(wholeNumber(1, 1_000), 100),
  /** The most connections to one mail server, each carrying one mail at a time. Default 10. */
  perServer: v.optional(wholeNumber(1, 1_000), 10),
  /** The port of mail servers. Another than 25 is for tests. */
  port: v.optional(wholeNumber(1, 65_535), 25),
  /**
   * Uses IPv6, too. Default false, since large receivers refuse mail from IPv6 addresses without a reverse record, and
   * hardly any domain is reached by IPv6 alone.
   */
  ipv6: v.optional(v.boolean(), false),
  /** The address of this machine to send from; only servers with addresses of its family are reached. Default the system's choice. */
  localAddress: v.optional(
    v.pipe(
      v.string(),
      v.check((text) => isIP(text) !== 0, 'must be an IP address of this machine'),
    ),
  ),
  /**
   * Sends nothing unencrypted. Default false: mail is encrypted wherever the server offers it, without a look at the
   * certificate (RFC 7435), and otherwise sent in the clear, as mail servers do.
   */
  requireTls: v.optional(v.boolean(), false),
  /** Networks whose servers may be connected to besides those at public addresses, such as `10.1.0.0/16`. */
  publicOr: v.optional(v.array(v.pipe(v.string(), v.check(isNetwork, 'must be a network such as 10.0.0.0/8'))), []),
  /** How long a mail server may take. */
  timeouts: v.optional(
    v.strictObject({
      /** For connecting, TLS and the greeting together. */
      connect: seconds(30),
      /** For the reply to a command. */
      command: seconds(120),
      /** For the reply to a whole message, and any standstill while writing it. */
      data: seconds(600),
    }),
    {},
  ),
  /** How long an unused connection is kept. */
  idleSeconds: seconds(5),
})

/** The options of `direct`. Times are in seconds. */
export const DirectOptions = v.pipe(
  Options,
  v.forward(
    v.check(
      ({ ipv6, localAddress }) => ipv6 || localAddress === undefined || isIP(localAddress) === 4,
      'must be an IPv4 address, or `ipv6` must be true',
    ),
    ['localAddress'],
  ),
)
export type DirectOptions = v.InferOutput<typeof DirectOptions>

/** The families of addresses that are connected to: those that the address of this machine can reach. */
export function familiesOf({ ipv6, localAddress }: DirectOptions): Families {
  const own = localAddress === undefined ? 0 : isIP(localAddress)
  return { v4: own !== 6, v6: ipv6 && own !== 4 }
}
