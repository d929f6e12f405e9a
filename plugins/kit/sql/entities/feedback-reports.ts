import { defineEntity, p } from '@mikro-orm/core'

/** Reports about mails, one per row, kept for as long as a report may come again. */
export const FeedbackReportRow = defineEntity({
  name: 'FeedbackReportRow',
  tableName: 'feedback_reports',
  properties: {
    emailId: p.uuid().primary(),
    key: p.text().primary(),
    at: p.datetime(3),
  },
  indexes: [{ name: 'feedback_reports_at', properties: ['at'] }],
})
