import * as v from 'valibot'
import { withoutBrackets } from '../../../core/values/ip-address.ts'

const MEGABYTE = 1024 * 1024
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(86_400)), fallback)
const line = v.pipe(v.string(), v.nonEmpty('must not be empty'), v.regex(/^[\x21-\x7e]*$/, 'must not contain spaces'))
const file = v.pipe(v.string(), v.nonEmpty('must not be empty'))

/** How messages are received, the same for every listener. Times are in seconds. */
export function listenerEntries({ port }: { readonly port: number }) {
  return {
    /** The IP address to listen on, such as `127.0.0.1`. Default `0.0.0.0`, which is all. */
    host: v.optional(v.pipe(line, v.transform(withoutBrackets)), '0.0.0.0'),
    /** The TCP port to listen on; 0 takes a free one. */
    port: v.optional(whole(0, 65_535), port),
    /** The name it greets with. Default the machine's host name. */
    hostname: v.optional(line),
    /** The largest message, in bytes. Default 25 MB. */
    maxSize: v.optional(whole(1024, 1024 * MEGABYTE), 25 * MEGABYTE),
    /** How many bytes all messages being received may have together. Beyond it, senders are asked to come again. Default 256 MB. */
    maxBuffered: v.optional(whole(MEGABYTE, 1024 * 1024 * MEGABYTE), 256 * MEGABYTE),
    /** Connections at the same time. Default 200. */
    maxConnections: v.optional(whole(1, 100_000), 200),
    /** Connections at the same time from one address. Default 20. */
    maxConnectionsPerAddress: v.optional(whole(1, 100_000), 20),
    /** Recipients per message. Default 100. */
    maxRecipients: v.optional(whole(1, 10_000), 100),
    /** A certificate and its key, as PEM files. With them, TLS is offered. */
    tls: v.optional(
      v.strictObject({
        /** The path of the private key, in PEM. */
        keyFile: file,
        /** The path of the certificate with those of its authorities, in PEM. */
        certFile: file,
      }),
    ),
    /** How long a client may take. */
    timeouts: v.optional(
      v.strictObject({
        /** For the next command, and for any standstill during a message. */
        command: seconds(300),
        /** For a whole message. */
        data: seconds(600),
      }),
      {},
    ),
  }
}

const Listener = v.object(listenerEntries({ port: 0 }))
export type ListenerOptions = v.InferOutput<typeof Listener>
