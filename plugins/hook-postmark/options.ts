import * as v from 'valibot'

/** Postmark signs nothing, so this secret is the only proof. */
const Secret = v.pipe(v.string(), v.minLength(16, 'must have at least 16 characters'), v.maxLength(500))

/** How Postmark's requests are verified, and how they name our mail. */
export const PostmarkHookOptions = v.pipe(
  v.strictObject({
    /** User name and password in the webhook's URL, sent as HTTP Basic authentication (RFC 7617). */
    user: v.optional(v.pipe(v.string(), v.minLength(1), v.regex(/^[^:]*$/, 'must not contain ":"'))),
    password: v.optional(Secret),
    /** Or a header field added to the webhook, and its value. */
    header: v.optional(v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]+$/, 'must be the name of a header field'))),
    secret: v.optional(Secret),
    /** The metadata key that holds our record's id, from `X-PM-Metadata-<name>`. */
    metadata: v.optional(v.pipe(v.string(), v.minLength(1)), 'mailwright'),
  }),
  v.check(
    ({ user, password, header, secret }) =>
      (user !== undefined && password !== undefined) !== (header !== undefined && secret !== undefined) &&
      [user, password, header, secret].filter((each) => each !== undefined).length === 2,
    'needs user and password, or else header and secret',
  ),
)

export type PostmarkHookOptions = v.InferOutput<typeof PostmarkHookOptions>
