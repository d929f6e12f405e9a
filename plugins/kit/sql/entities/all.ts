import { ApiKeyRow } from './api-keys.ts'
import { CampaignRow } from './campaigns.ts'
import { ContactJobFileRow } from './contact-job-files.ts'
import { ContactJobRow } from './contact-jobs.ts'
import { ContactRow } from './contacts.ts'
import { EmailRow } from './emails.ts'
import { EngineSecretRow } from './engine-secrets.ts'
import { EventRow } from './events.ts'
import { IdempotencyAnswerRow } from './idempotency-answers.ts'
import { MailAttachmentRow } from './mail-attachments.ts'
import { MailContentRow } from './mail-contents.ts'
import { ProjectRow } from './projects.ts'
import { SegmentStayRow } from './segment-stays.ts'
import { SegmentRow } from './segments.ts'
import { SuppressionRow } from './suppressions.ts'
import { TallyRow } from './tallies.ts'
import { TemplateRow } from './templates.ts'

/** Every table of the store, for the ORM of either database. */
export const entities = [
  ProjectRow,
  ApiKeyRow,
  ContactRow,
  EventRow,
  TemplateRow,
  MailContentRow,
  MailAttachmentRow,
  EmailRow,
  SuppressionRow,
  IdempotencyAnswerRow,
  SegmentRow,
  SegmentStayRow,
  ContactJobRow,
  ContactJobFileRow,
  TallyRow,
  CampaignRow,
  EngineSecretRow,
]
