import { defineEntity, p } from '@mikro-orm/core'
import type { MailContent } from '../../../../core/ports/store/contents.ts'
import type { Look } from '../../../../core/values/look.ts'

/** The contents of mails, each stored once however many recipients it has. */
export const MailContentRow = defineEntity({
  name: 'MailContentRow',
  tableName: 'mail_contents',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    subject: p.text(),
    html: p.text(),
    text: p.text().nullable(),
    from: p.json().$type<MailContent['from']>(),
    replyTo: p.text().nullable(),
    cc: p.json().$type<MailContent['cc']>(),
    bcc: p.json().$type<MailContent['bcc']>(),
    headers: p.json().$type<MailContent['headers']>(),
    marketing: p.boolean(),
    tracking: p.boolean().nullable(),
    trackingAsked: p.boolean().nullable(),
    locale: p.text().nullable(),
    look: p.json().$type<Look>().nullable(),
    topicId: p.uuid().nullable(),
    transport: p.text().nullable(),
    linksOnly: p.boolean().nullable(),
    ofCampaign: p.boolean().nullable(),
    received: p.boolean().nullable(),
    submitted: p.json().$type<MailContent['submitted']>().nullable(),
    createdAt: p.datetime(3),
  },
})
