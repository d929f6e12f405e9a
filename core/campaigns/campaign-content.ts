import { contentId, contentMarks } from '../mail/content.ts'
import { withLinkQuery } from '../mail/html/link-query.ts'
import { withPreheader } from '../mail/render/written-body.ts'
import { senderOf } from '../mails/accept.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { type ContentReads, wholeBody } from '../templates/whole-body.ts'
import { utmQuery } from '../values/utm.ts'
import { attachmentsOf } from './campaign-attachments.ts'

/** Prefix of a test mail's subject. */
const TEST_PREFIX = '[TEST] '

/**
 * The content of a campaign's mail, which the rows of all recipients share; a test is marked in the subject. Snippets
 * and the layout are those of now.
 */
export async function campaignContent(
  reads: ContentReads & Pick<Repositories, 'campaignAttachments'>,
  project: Project,
  campaign: Campaign,
  now: Date,
  test?: 'marked' | 'unmarked',
): Promise<MailContent> {
  const { subject, preheader, from, fromName, replyTo, transport } = campaign
  const whole = await wholeBody(reads, project, campaign)
  const utm = utmQuery(campaign.utm ?? project.utm, campaign.name)
  const written = {
    projectId: project.id,
    subject: test === 'marked' ? TEST_PREFIX + subject : subject,
    html: withPreheader(await withLinkQuery(whole, utm), preheader),
    from: senderOf(project, from, fromName),
    ...(replyTo === undefined ? {} : { replyTo }),
    cc: [],
    bcc: [],
    headers: campaign.headers ?? [],
    attachments: await attachmentsOf(reads.campaignAttachments, campaign),
    ...contentMarks(project, true, undefined, campaign.topicId),
    ...(transport === undefined ? {} : { transport }),
    ...(test ? {} : { ofCampaign: true }),
  }
  return { id: contentId(written), ...written, createdAt: now }
}
