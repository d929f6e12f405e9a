import { defineEntity, p } from '@mikro-orm/core'
import type { StartReason } from '../../../../core/ports/store/left-out.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'

/** Contacts that have no mail of a campaign, one per row, in the order of their lists. */
export const CampaignLeftOutRow = defineEntity({
  name: 'CampaignLeftOutRow',
  tableName: 'campaign_left_out',
  properties: {
    campaignId: p.uuid().primary(),
    reason: p.text().$type<StartReason>().primary(),
    id: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    contactId: p.uuid().nullable(),
  },
  indexes: [{ name: 'campaign_left_out_contact', properties: ['contactId'], where: 'contact_id is not null' }],
})
