import * as v from 'valibot'
import type { Project } from '../ports/store/projects.ts'
import { AllowedRecipients, FrequencyCap, ProjectSettings } from '../settings/project-settings.ts'
import { domainOf } from '../values/email-address.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { Look, lookOf } from '../values/look.ts'
import { Mailbox } from '../values/mailbox.ts'
import { hasNoUser } from '../values/no-user.ts'
import { parse } from '../values/parse.ts'
import { nextVersion, SEEN_VERSION } from '../values/record-version.ts'
import { TimeZone } from '../values/time-zone.ts'
import { setUtm, Utm } from '../values/utm.ts'
import { requireVerifiedDomain } from './project.ts'

const { name, tracking, trackingConsent, publicData, mode, locale } = ProjectSettings.entries

const ArchiveSlug = v.pipe(
  v.string(),
  v.minLength(2),
  v.maxLength(63),
  v.regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, 'must be lower-case words of a-z and 0-9 joined by hyphens, such as acme-news'),
)
const SignUpUrl = v.pipe(
  v.string(),
  v.maxLength(2000),
  v.check((text) => URL.canParse(text) && new URL(text).protocol === 'https:', 'must be an https URL'),
  v.check(hasNoUser, 'must not contain a user name or a password: everybody can read it'),
  v.metadata({ format: 'uri' }),
)

export const ChangeProject = v.object({
  /** The name for the team; also the sender's name of mail that has none. */
  name: v.optional(name),
  /** Which mail gets an open pixel and counted links. */
  tracking,
  /** The tracking that new contacts are taken to agree to. */
  trackingConsent,
  /** The changes that public keys may make to the data of known contacts. */
  publicData,
  /** Where its mail goes: `live`, `test` (nowhere) or `members` (to them and `allowedRecipients`); the rest is caught. */
  mode,
  /** In the mode `members`: up to 200 addresses and domains that its mail reaches, too; `null` removes them. */
  allowedRecipients: v.nullish(AllowedRecipients),
  /** The language of footers and pages; `null` removes it. */
  locale: v.nullish(locale.wrapped),
  /** The time zone of campaigns' plans that name none; `null` removes it. */
  timeZone: v.nullish(TimeZone),
  /** How many marketing mails a contact gets in so many days at most; `null` removes it. */
  frequencyCap: v.nullish(FrequencyCap),
  /** Postal address, logo and colour of footers and pages: each that is given changes, `null` removes it. */
  look: v.nullish(Look),
  /** Added to the links of campaigns and of workflows' marketing mail, all anew; `null` removes it. */
  utm: v.nullish(Utm),
  /** The name of the public archive in addresses, lower-case words joined by hyphens; `null` closes the archive. */
  archiveSlug: v.nullish(ArchiveSlug),
  /** Where readers of the archive sign up: an https address; `null` removes it. */
  signUpUrl: v.nullish(SignUpUrl),
  /** The sender of mail that names none; `null` removes it. */
  from: v.nullish(Mailbox),
  ...SEEN_VERSION,
})

/** Changes a project. What is left out stays. */
export interface ChangeProjectInput extends InputOf<typeof ChangeProject> {}

/**
 * The project after the change. Its sender may also be of one of the project's `added` domains, which are still being checked:
 * mail goes out once the domain is verified. Throws EngineError `VALIDATION_ERROR`, `VERSION_CONFLICT`, `DOMAIN_NOT_VERIFIED`.
 */
export function changedProject(
  project: Project,
  input: ChangeProjectInput | UntrustedInput,
  now: Date,
  added: readonly string[] = [],
): Project {
  const given = parse(ChangeProject, input)
  const version = nextVersion('project', project, given.version)
  if (given.from && !added.includes(domainOf(given.from.email))) requireVerifiedDomain(project, given.from.email)
  const {
    locale: localeBefore,
    timeZone: zoneBefore,
    frequencyCap: capBefore,
    from: fromBefore,
    look: lookBefore,
    utm: utmBefore,
    archiveSlug: slugBefore,
    signUpUrl: signUpBefore,
    allowedRecipients: allowedBefore,
    ...rest
  } = project
  const locale = given.locale === undefined ? localeBefore : given.locale
  const cap = given.frequencyCap === undefined ? capBefore : given.frequencyCap
  const timeZone = given.timeZone === undefined ? zoneBefore : given.timeZone
  const from = given.from === undefined ? fromBefore : given.from
  const look = given.look === null ? undefined : lookOf({ ...lookBefore, ...given.look })
  const archiveSlug = given.archiveSlug === undefined ? slugBefore : given.archiveSlug
  const signUpUrl = given.signUpUrl === undefined ? signUpBefore : given.signUpUrl
  const allowed = given.allowedRecipients === undefined ? allowedBefore : given.allowedRecipients
  const utm = given.utm === undefined ? utmBefore : setUtm(given.utm)
  return {
    ...rest,
    version,
    name: given.name ?? project.name,
    tracking: given.tracking ?? project.tracking,
    trackingConsent: given.trackingConsent ?? project.trackingConsent,
    publicData: given.publicData ?? project.publicData,
    mode: given.mode ?? project.mode,
    ...(allowed?.length ? { allowedRecipients: [...new Set(allowed)] } : {}),
    ...(locale ? { locale } : {}),
    ...(timeZone ? { timeZone } : {}),
    ...(cap ? { frequencyCap: cap } : {}),
    ...(look ? { look } : {}),
    ...(utm ? { utm } : {}),
    ...(from ? { from } : {}),
    ...(archiveSlug ? { archiveSlug } : {}),
    ...(signUpUrl ? { signUpUrl } : {}),
    updatedAt: now,
  }
}
