import { defineEntity, p } from '@mikro-orm/core'

/** The attachments of a mail's content, in order. `contentId` is the MIME field, not the content it belongs to. */
export const MailAttachmentRow = defineEntity({
  name: 'MailAttachmentRow',
  tableName: 'mail_attachments',
  properties: {
    mailContentId: p.uuid().primary(),
    position: p.integer().primary(),
    filename: p.text(),
    contentType: p.text(),
    disposition: p.text(),
    contentId: p.text().nullable(),
    bytes: p.blob(),
  },
})
