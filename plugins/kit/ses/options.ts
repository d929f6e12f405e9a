import * as v from 'valibot'

const line = v.pipe(
  v.string(),
  v.nonEmpty('must not be empty'),
  v.regex(/^[\x21-\x7e]*$/, 'must be plain ASCII without spaces'),
)
const seconds = (fallback: number) => v.optional(v.pipe(v.number(), v.minValue(0.05), v.maxValue(600)), fallback)

/** The options every Amazon SES plugin has: which service to ask, and with which keys. */
export const sesEntries = {
  /** The region of the account, such as `eu-central-1`. */
  region: v.pipe(line, v.regex(/^[a-z]{2}(?:-[a-z]+)+-\d+$/, 'must be a region such as eu-central-1')),
  /**
   * An access key. Without it, it is taken from the usual places of Amazon's tools: variables (AWS_ACCESS_KEY_ID …),
   * the shared files, the role of the container or the machine.
   */
  credentials: v.optional(
    v.strictObject({
      /** The id of the access key. */
      accessKeyId: line,
      /** Its secret. */
      secretAccessKey: line,
      /** Only with temporary keys. */
      sessionToken: v.optional(line),
    }),
  ),
  /** The service's URL, if it is not the region's own: a VPC endpoint. */
  endpoint: v.optional(v.pipe(v.string(), v.check(isWebUrl, 'must be an http or https URL'))),
  /** How long Amazon SES may take. */
  timeouts: v.optional(
    v.strictObject({
      /** For connecting. */
      connect: seconds(10),
      /** For a whole request with its answer. */
      request: seconds(120),
    }),
    {},
  ),
}

const SesAccess = v.object(sesEntries)
export type SesAccess = v.InferOutput<typeof SesAccess>

function isWebUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '')
}
