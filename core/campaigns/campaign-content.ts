import { nameOf } from '../delivery/accept.ts'
import { contentId, contentMarks } from '../mail/content.ts'
import { withLineBreaks } from '../mail/render/line-breaks.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { MailContent } from '../ports/store/contents.ts'
import type { Project } from '../ports/store/projects.ts'

/** Stands before the subject of a test. */
const TEST_PREFIX = '[TEST] '

/** The mail a campaign writes, as all its recipients' rows point at it; as a test it is marked in the subject. */
export function campaignContent(project: Project, campaign: Campaign, now: Date, isTest = false): MailContent {
  const { subject, body, from, fromName, replyTo } = campaign
  const written = {
    projectId: project.id,
    subject: isTest ? TEST_PREFIX + subject : subject,
    html: withLineBreaks(body),
    from: { email: from, name: fromName || nameOf(project, from) },
    ...(replyTo === undefined ? {} : { replyTo }),
    ...{ cc: [], bcc: [], headers: [], attachments: [] },
    ...contentMarks(project, true),
    ...(isTest ? {} : { ofCampaign: true }),
  }
  return { id: contentId(written), ...written, createdAt: now }
}
