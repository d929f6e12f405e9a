import * as v from 'valibot'
import { Mailbox } from '../values/mailbox.ts'

const WebUrl = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http or https URL'),
  v.transform((text) => text.replace(/(?<!\/)\/+$/, '')),
)
const Credential = v.pipe(v.string(), v.minLength(1), v.maxLength(1000))
const client = {
  /** As the provider gave it to this server. */
  clientId: Credential,
  /** The secret that the provider gave with it. */
  clientSecret: Credential,
}

/** The providers people may log in with. */
const OAuthSettings = v.object({
  /** An OAuth app of GitHub; `url` for GitHub Enterprise. */
  github: v.optional(
    v.object({
      ...client,
      /** The address of GitHub Enterprise. Default github.com. */
      url: v.optional(WebUrl),
    }),
  ),
  /** A client of Google. */
  google: v.optional(v.object(client)),
  /** Any provider of OpenID Connect, by its issuer. */
  oidc: v.optional(
    v.object({
      ...client,
      /** The address of the provider, where its configuration is found. */
      issuer: WebUrl,
    }),
  ),
})

/** Who may have an account, and how people log in. */
export const AccountSettings = v.object({
  /** Whether sign-up is open to all. Without it only the first user may, with a secret key or by the set-up link. */
  signup: v.optional(v.boolean(), false),
  /** Whether people who signed up may make projects, and so send. */
  projects: v.optional(v.boolean(), false),
  /** The sender of mails about accounts. Without it, the sender of the only project that has one. */
  from: v.optional(Mailbox),
  /** The project, by id or name, that sends them. Without it, the one that may send from that address. */
  project: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(200))),
  /** Where people get after they logged in at a provider or used a link. Without it, to a plain page here. */
  dashboardUrl: v.optional(WebUrl),
  /** How long a session lasts. */
  sessionDays: v.optional(v.pipe(v.number(), v.minValue(0.01), v.maxValue(365)), 7),
  /** The cost of hashing a password, as a power of two (N of scrypt, RFC 7914). */
  passwordCost: v.optional(v.pipe(v.number(), v.integer(), v.minValue(10), v.maxValue(20)), 15),
  /** The providers people may log in with. */
  oauth: v.optional(OAuthSettings, {}),
})
