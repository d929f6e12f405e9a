import { nameOf } from '../delivery/accept.ts'
import { contentId, contentMarks } from '../mail/content.ts'
import { withPreheader } from '../mail/render/mail-body.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'
import { type ContentReads, wholeBody } from '../templates/whole-body.ts'

/** Prefix of a test mail's subject. */
const TEST_PREFIX = '[TEST] '

/**
 * The content of a campaign's mail, which the rows of all recipients share; a test is marked in the subject. Snippets
 * and the layout are those of now.
 */
export async function campaignContent(
  reads: ContentReads,
  project: Project,
  campaign: Campaign,
  now: Date,
  isTest = false,
): Promise<MailContent> {
  const { subject, preheader, from, fromName, replyTo } = campaign
  const written = {
    projectId: project.id,
    subject: isTest ? TEST_PREFIX + subject : subject,
    html: withPreheader(await wholeBody(reads, project.id, campaign), preheader),
    from: { email: from, name: fromName || nameOf(project, from) },
    ...(replyTo === undefined ? {} : { replyTo }),
    cc: [],
    bcc: [],
    headers: [],
    attachments: [],
    ...contentMarks(project, true),
    ...(isTest ? {} : { ofCampaign: true }),
  }
  return { id: contentId(written), ...written, createdAt: now }
}
