import * as v from 'valibot'
import {
  DMARC_POLICIES,
  DomainReport,
  FIGURE_RECEIVERS,
  ReceiverFigure,
  TlsFailure,
} from '../../core/ports/store/domain-reports.ts'
import type { ReceiverFigures } from '../../core/reports/receiver-figures.ts'
import { SOURCE_KINDS } from '../../core/reports/report-sources.ts'
import { named } from '../../core/values/described.ts'
import { answer, answerOf } from './answer.ts'
import { AdviceCodes, Count, many, Time } from './parts.ts'

export const DomainReportAnswer = answerOf(DomainReport)

const ReportedSender = named(
  'ReportedSender',
  v.object({
    kind: v.picklist(SOURCE_KINDS),
    name: v.string(),
    addresses: Count,
    examples: many(v.string()),
    messages: Count,
    passed: Count,
    byDkim: Count,
    bySpf: Count,
    quarantined: Count,
    rejected: Count,
  }),
)

export const ReportSummaryAnswer = named(
  'ReportSummary',
  v.object({
    since: Time,
    policy: v.nullable(v.picklist(DMARC_POLICIES)),
    messages: Count,
    passed: Count,
    days: many(v.object({ day: v.string(), messages: Count, passed: Count })),
    failureReports: Count,
    failureDays: many(v.object({ day: v.string(), reports: Count })),
    senders: many(ReportedSender),
    atRisk: Count,
    advice: v.string(),
    adviceCodes: AdviceCodes,
    tls: v.object({
      sessions: Count,
      failed: Count,
      failures: many(TlsFailure),
      advice: v.string(),
      adviceCodes: AdviceCodes,
    }),
  }),
)

export const AddedFiguresAnswer = answer('AddedFigures', {
  receiver: v.picklist(FIGURE_RECEIVERS),
  count: Count,
  from: v.string(),
  to: v.string(),
  ignored: many(v.string()),
})

const ReceiverFigureAnswer = answerOf(ReceiverFigure)

const OwnFigures = named(
  'OwnFigures',
  v.object({
    receiver: v.picklist(FIGURE_RECEIVERS),
    day: v.string(),
    sent: Count,
    delivered: Count,
    deferred: Count,
    bounced: Count,
    complained: Count,
  }),
)

export const ReceiverFiguresAnswer = answer(
  'ReceiverFigures',
  { since: v.string(), figures: many(ReceiverFigureAnswer.schema), own: many(OwnFigures) },
  ({ figures, ...rest }: ReceiverFigures) => ({ ...rest, figures: figures.map(ReceiverFigureAnswer.of) }),
)
