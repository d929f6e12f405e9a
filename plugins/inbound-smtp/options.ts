import * as v from 'valibot'
import { listenerEntries } from '../kit/smtp-server/options.ts'

/** How mail is received. Mail servers deliver to port 25; `hostname` is the name of the MX record. All times are in seconds. */
export const InboundSmtpOptions = v.strictObject(listenerEntries({ port: 25 }))

export type InboundSmtpOptions = v.InferOutput<typeof InboundSmtpOptions>
