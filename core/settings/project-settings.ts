import * as v from 'valibot'
import { PROJECT_MODES, PUBLIC_DATA, TRACKING } from '../ports/store/projects.ts'
import { canonicalDomain, EmailAddress, isDomain } from '../values/email-address.ts'
import { headerText } from '../values/header-text.ts'
import { isId } from '../values/id.ts'
import { Look } from '../values/look.ts'
import { Mailbox } from '../values/mailbox.ts'
import { TimeZone } from '../values/time-zone.ts'
import { TRACKING_CONSENTS } from '../values/tracking-consent.ts'
import { Utm } from '../values/utm.ts'
import { isWebhookSecret } from '../values/webhook-secret.ts'

/** At most so many marketing mails to a contact in so many days. */
export const FrequencyCap = v.object({
  /** How many mails, from 1 to 1,000. */
  mails: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1000)),
  /** In how many days, from 1 to 366. */
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(366)),
})

/** How many addresses and domains a project may allow, and how long one is. */
const MOST_ALLOWED = 200
const Allowed = v.pipe(
  v.string(),
  v.maxLength(254),
  v.transform((text) => text.trim().toLowerCase().replace(/^@/, '')),
  v.transform((text) => {
    const at = text.lastIndexOf('@')
    return `${text.slice(0, at + 1)}${canonicalDomain(text.slice(at + 1))}`
  }),
  v.check(
    (text) => (text.includes('@') ? v.is(EmailAddress, text) : isDomain(text)),
    'must be an address such as ada@example.com, or a domain such as example.com',
  ),
)

/** Whom the mail of a project in the mode `members` reaches beside its members. */
export const AllowedRecipients = v.pipe(v.array(Allowed), v.maxLength(MOST_ALLOWED))

const Quota = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1_000_000_000))

/** A project in the config. What is left out stays unchanged, or gets its default. */
export const ProjectSettings = v.object({
  /** Its id, so that it may be renamed. Without one, the name finds it. */
  id: v.optional(v.pipe(v.string(), v.check(isId, 'must be a lower-case UUID'))),
  /** 1 to 200 characters. */
  name: v.pipe(headerText(1, 200), v.trim(), v.minLength(1)),
  /** `sk_` and at least 16 more characters: it opens the whole API for this project. A different one replaces it. */
  secretKey: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^sk_[\x21-\x7e]{16,200}$/, 'must start with sk_ and have at least 16 more characters'),
      v.check(
        (key) => !key.startsWith('sk_test_'),
        'must not start with sk_test_: such keys are test keys, which are made by POST /projects/{id}/keys',
      ),
    ),
  ),
  /** `pk_` and at least 16 more characters: it allows only tracking, and may stand in web pages. */
  publicKey: v.optional(
    v.pipe(v.string(), v.regex(/^pk_[\x21-\x7e]{16,200}$/, 'must start with pk_ and have at least 16 more characters')),
  ),
  /** Signs requests to its endpoints: `whsec_` and 24 to 64 bytes in base64. A different one replaces it; the old one counts for 24 hours more. */
  webhookSecret: v.optional(
    v.pipe(v.string(), v.check(isWebhookSecret, 'must be whsec_ and 24 to 64 random bytes in base64')),
  ),
  /** Whether opens and clicks of its mail are counted. */
  tracking: v.optional(v.picklist(TRACKING)),
  /** Which opens and clicks of new contacts may be recorded until they choose for themselves. */
  trackingConsent: v.optional(v.picklist(TRACKING_CONSENTS)),
  /** The changes that public keys may make to the data of known contacts. */
  publicData: v.optional(v.picklist(PUBLIC_DATA)),
  /** Where its mail goes: `live`, `test` (nowhere) or `members` (to them and `allowedRecipients`). The rest is caught. */
  mode: v.optional(v.picklist(PROJECT_MODES)),
  /** In the mode `members`: addresses and domains that its mail reaches, too. `null` removes them. */
  allowedRecipients: v.nullish(AllowedRecipients),
  /** The language of pages and footers for contacts that have none, such as `de` or `pt-BR`. */
  locale: v.optional(
    v.pipe(v.string(), v.regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, 'must be a language tag such as en or pt-BR')),
  ),
  /** For plans and contacts that have none, such as `Europe/Berlin`. */
  timeZone: v.optional(TimeZone),
  /** `null` removes it. */
  frequencyCap: v.nullish(FrequencyCap),
  /** `null` removes them. */
  quotas: v.nullish(v.object({ daily: v.optional(Quota), monthly: v.optional(Quota) })),
  /** `null` removes it. */
  look: v.nullish(Look),
  /** `null` removes it. */
  utm: v.nullish(Utm),
  /** `null` ends it. */
  doubleOptIn: v.nullish(v.object({ from: EmailAddress, fromName: v.optional(v.pipe(v.string(), v.maxLength(255))) })),
  /** `null` removes it. */
  from: v.nullish(Mailbox),
  /** A disabled project refuses writes; reads still work. */
  disabled: v.optional(v.boolean()),
  /** Domains that it may send from without proof, such as `example.com`: the operator vouches for them. Default none. */
  trustedDomains: v.optional(
    v.array(
      v.pipe(
        v.string(),
        v.toLowerCase(),
        v.transform(canonicalDomain),
        v.check(isDomain, 'must be a domain name such as example.com'),
      ),
    ),
  ),
})

export type ProjectSettings = v.InferInput<typeof ProjectSettings>
