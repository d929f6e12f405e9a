import * as v from 'valibot'
import type { Installation } from '../../core/installation/installation.ts'
import { MAIL_WAYS } from '../../core/installation/project-routes.ts'
import { PROJECT_MODES, type Project, PUBLIC_DATA, TRACKING } from '../../core/ports/store/projects.ts'
import type { Invitation } from '../../core/ports/store/user-tokens.ts'
import { named } from '../../core/values/described.ts'
import { FONTS } from '../../core/values/look.ts'
import { MEMBER_ROLES, type MemberRole } from '../../core/values/member-roles.ts'
import { TRACKING_CONSENTS } from '../../core/values/tracking-consent.ts'
import { answer } from './answer.ts'
import { Address, AdviceCodes, Count, Id, many, Time, Url, UtmRecord } from './parts.ts'

const Role = v.picklist(MEMBER_ROLES)

/** A project, to a user with this role there; to a key without one, with the ways of its mail now. */
export const ProjectAnswer = answer(
  'Project',
  {
    id: Id,
    name: v.string(),
    disabled: v.boolean(),
    tracking: v.picklist(TRACKING),
    trackingConsent: v.picklist(TRACKING_CONSENTS),
    publicData: v.picklist(PUBLIC_DATA),
    mode: v.picklist(PROJECT_MODES),
    allowedRecipients: many(v.string()),
    locale: v.nullable(v.string()),
    timeZone: v.nullable(v.string()),
    frequencyCap: v.nullable(v.object({ mails: v.number(), days: v.number() })),
    quotas: v.nullable(v.object({ daily: v.optional(v.number()), monthly: v.optional(v.number()) })),
    look: v.nullable(
      v.object({
        postalAddress: v.optional(v.string()),
        logoUrl: v.optional(Url),
        color: v.optional(v.string()),
        font: v.optional(v.picklist(FONTS)),
        width: v.optional(v.number()),
        links: v.optional(many(v.object({ name: v.string(), url: Url }))),
      }),
    ),
    utm: v.nullable(UtmRecord),
    from: v.nullable(v.object({ email: Address, name: v.optional(v.string()) })),
    archiveSlug: v.nullable(v.string()),
    signUpUrl: v.nullable(Url),
    /** The role of whom asks; null for a key. */
    role: v.nullable(Role),
    mailWay: v.picklist(MAIL_WAYS),
    mayName: many(v.string()),
    version: Count,
    createdAt: Time,
    updatedAt: Time,
  },
  (project: Project, role: MemberRole | null, installation: Pick<Installation, 'wayOf' | 'mayName'>) => ({
    ...project,
    allowedRecipients: project.allowedRecipients ?? [],
    role,
    mailWay: installation.wayOf(project),
    mayName: [...installation.mayName(project)],
  }),
)

export const ProjectList = many(ProjectAnswer.schema)

/** The answer of `GET /projects/{id}/limits`. */
export const SendingLimits = named(
  'SendingLimits',
  v.object({
    quotas: many(v.object({ of: v.picklist(['day', 'month']), most: Count, used: Count, left: Count, renewsAt: Time })),
    ramps: many(
      v.object({
        transport: v.string(),
        domain: v.string(),
        step: Count,
        perDay: Count,
        sent: Count,
        left: Count,
        renewsAt: Time,
        state: v.picklist(['ok', 'warning', 'stopped']),
        reasons: many(v.string()),
        reasonCodes: AdviceCodes,
      }),
    ),
  }),
)

/** A member of a project, or an invited person. */
export const MemberAnswer = answer('Member', {
  id: Id,
  email: Address,
  name: v.nullable(v.string()),
  role: Role,
  status: v.picklist(['ACTIVE', 'INVITED']),
  link: v.nullable(Url),
  expiresAt: v.nullable(Time),
  note: v.nullable(v.string()),
  createdAt: Time,
})

export const MemberList = many(MemberAnswer.schema)

/** An invitation, to the person invited. */
export const InvitationAnswer = answer(
  'Invitation',
  {
    id: Id,
    /** Its name is what its members chose: show it as a quotation. */
    project: v.object({ id: Id, name: v.string() }),
    role: Role,
    /** The address of the member who sent it; null when that is not known any more. */
    invitedBy: v.nullable(Address),
    createdAt: Time,
    expiresAt: Time,
  },
  ({ project: { id, name }, role = 'MEMBER', inviter, ...invitation }: Invitation) => {
    return { ...invitation, project: { id, name }, role, invitedBy: inviter }
  },
)

export const InvitationList = many(InvitationAnswer.schema)
