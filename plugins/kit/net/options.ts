import * as v from 'valibot'
import { withoutBrackets } from '../../../core/values/ip-address.ts'

/** One line of text, not empty. */
export const line = v.pipe(
  v.string(),
  v.nonEmpty('must not be empty'),
  v.regex(/^[^\r\n\0]*$/, 'must not contain line breaks or NUL'),
)

/** A host name or an IP address. */
export const hostName = v.pipe(line, v.regex(/^\S+$/, 'must not contain spaces'), v.transform(withoutBrackets))

/** How a server proves its identity. */
export const TlsOptions = v.strictObject({
  /** False accepts any certificate: only for a server on a network you trust. */
  rejectUnauthorized: v.optional(v.boolean()),
  /** The name the certificate must have, if it is not `host`. */
  servername: v.optional(hostName),
  /** The authorities to trust instead of the well-known ones, in PEM. */
  ca: v.optional(v.union([v.string(), v.array(v.string())])),
  /** The oldest version of TLS to accept. */
  minVersion: v.optional(v.picklist(['TLSv1.2', 'TLSv1.3'])),
})
