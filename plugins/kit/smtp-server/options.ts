import * as v from 'valibot'

const MEGABYTE = 1024 * 1024
const whole = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(86_400)), fallback)
const line = v.pipe(v.string(), v.nonEmpty('must not be empty'), v.regex(/^[\x21-\x7e]*$/, 'must not contain spaces'))
const file = v.pipe(v.string(), v.nonEmpty('must not be empty'))

/** How messages are received, whoever sends them: the same for every listener. All times are in seconds. */
export function listenerEntries({ port }: { readonly port: number }) {
  return {
    /** The address to listen on; every one without it. */
    host: v.optional(line, '0.0.0.0'),
    /** The TCP port to listen on; 0 takes a free one. */
    port: v.optional(whole(0, 65_535), port),
    /** What it calls itself. Without it the machine's own host name. */
    hostname: v.optional(line),
    /** The largest message, in bytes. */
    maxSize: v.optional(whole(1024, 1024 * MEGABYTE), 25 * MEGABYTE),
    /** Messages that are being received may have so many bytes together; beyond that senders are asked to come again. */
    maxBuffered: v.optional(whole(MEGABYTE, 1024 * 1024 * MEGABYTE), 256 * MEGABYTE),
    /** Connections at the same time. */
    maxConnections: v.optional(whole(1, 100_000), 200),
    /** Of them, those of one address. */
    maxConnectionsPerAddress: v.optional(whole(1, 100_000), 20),
    /** Recipients of one message. */
    maxRecipients: v.optional(whole(1, 10_000), 100),
    /** A certificate and its key, as files in PEM: with them TLS is offered. */
    tls: v.optional(v.strictObject({ keyFile: file, certFile: file })),
    timeouts: v.optional(
      v.strictObject({
        /** The next command, and any standstill while a message comes. */
        command: seconds(300),
        /** A whole message. */
        data: seconds(600),
      }),
      {},
    ),
  }
}

const Listener = v.object(listenerEntries({ port: 0 }))
export type ListenerOptions = v.InferOutput<typeof Listener>
