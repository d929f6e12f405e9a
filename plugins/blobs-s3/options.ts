import * as v from 'valibot'
import { sesEntries } from '../kit/ses/options.ts'

/** Which bucket is used, and how. Times are in seconds. */
export const S3Options = v.strictObject({
  /** The bucket, which must exist. */
  bucket: v.pipe(
    v.string(),
    v.regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket: 3 to 63 of a-z, 0-9, - and .'),
  ),
  /** Its region, such as `eu-central-1`; services that have none take `auto` or `us-east-1`. */
  region: v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,40}$/, 'must be a region such as eu-central-1')),
  /** The start of the names of objects, so that others may use the bucket, too. */
  prefix: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(200),
      v.regex(/^(?:[A-Za-z0-9._-]+\/)*$/, 'must be empty or end with / as mail/ does'),
    ),
    '',
  ),
  /** The service's URL, if it is not Amazon's own. */
  endpoint: sesEntries.endpoint,
  credentials: sesEntries.credentials,
  /** Whether the bucket stands in the path of URLs, not in the host name. Default: with an `endpoint`. */
  forcePathStyle: v.optional(v.boolean()),
  timeouts: sesEntries.timeouts,
})

export type S3Options = v.InferOutput<typeof S3Options>
