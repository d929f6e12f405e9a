import { defineEntity, p } from '@mikro-orm/core'

/** The bytes of campaigns' attachments; the campaign says what they are. */
export const CampaignAttachmentRow = defineEntity({
  name: 'CampaignAttachmentRow',
  tableName: 'campaign_attachments',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    bytes: p.blob(),
  },
})
