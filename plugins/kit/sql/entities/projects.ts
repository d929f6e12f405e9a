import { defineEntity, p } from '@mikro-orm/core'
import type {
  DoubleOptIn,
  FrequencyCap,
  ProjectMode,
  PublicData,
  Quotas,
} from '../../../../core/ports/store/projects.ts'
import type { Look } from '../../../../core/values/look.ts'
import type { NamedAddress } from '../../../../core/values/mailbox.ts'
import type { Utm } from '../../../../core/values/utm.ts'

/** Projects, one per row. */
export const ProjectRow = defineEntity({
  name: 'ProjectRow',
  tableName: 'projects',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    disabled: p.boolean(),
    tracking: p.text(),
    trackingConsent: p.text().default('full'),
    publicData: p.text().$type<PublicData>().default('all'),
    mode: p.text().$type<ProjectMode>().default('live'),
    allowedRecipients: p.json().$type<readonly string[]>().nullable(),
    locale: p.text().nullable(),
    timeZone: p.text().nullable(),
    frequencyCap: p.json().$type<FrequencyCap>().nullable(),
    quotas: p.json().$type<Quotas>().nullable(),
    look: p.json().$type<Look>().nullable(),
    utm: p.json().$type<Utm>().nullable(),
    doubleOptIn: p.json().$type<DoubleOptIn>().nullable(),
    from: p.json().$type<NamedAddress>().nullable(),
    archiveSlug: p.text().nullable(),
    signUpUrl: p.text().nullable(),
    tracksCreated: p.boolean().nullable(),
    trustedDomains: p.json().$type<readonly string[]>(),
    version: p.integer().default(1),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'projects_archive', properties: ['archiveSlug'], where: 'archive_slug is not null' }],
})
