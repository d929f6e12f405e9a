import { defineEntity, p } from '@mikro-orm/core'

/** One report about a mail a row, for as long as it may come again. */
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
