import { defineEntity, p } from '@mikro-orm/core'
import { DomainReport, ReceiverFigure } from '../../../../core/ports/store/domain-reports.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Reports of receivers on domains, one per row. */
export const DomainReportRow = entityOf(DomainReport, {
  name: 'DomainReportRow',
  tableName: 'domain_reports',
  indexes: [
    { name: 'domain_reports_page', properties: ['domainId', 'id'] },
    { name: 'domain_reports_created', properties: ['createdAt'] },
  ],
  uniques: [{ name: 'domain_reports_once', properties: ['domainId', 'kind', 'reporter', 'reportId', 'domain'] }],
})

/** The sources of mail in DMARC reports. */
export const ReportSourceRow = defineEntity({
  name: 'ReportSourceRow',
  tableName: 'report_sources',
  properties: {
    domainReportId: p.uuid().primary(),
    number: p.integer().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    domainId: p.uuid(),
    day: p.integer(),
    ip: p.text(),
    headerFrom: p.text(),
    dkimDomain: p.text(),
    dkimSelector: p.text(),
    dkimResult: p.text(),
    spfDomain: p.text(),
    spfResult: p.text(),
    reason: p.text(),
    messages: p.integer(),
    byDkim: p.integer(),
    bySpf: p.integer(),
    passed: p.integer(),
    quarantined: p.integer(),
    rejected: p.integer(),
  },
  indexes: [{ name: 'report_sources_by_day', properties: ['domainId', 'day'] }],
})

/** How many failure reports came, by domain and day. */
export const FailureCountRow = defineEntity({
  name: 'FailureCountRow',
  tableName: 'failure_counts',
  properties: {
    domainId: p.uuid().primary(),
    day: p.integer().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    reports: p.integer(),
  },
  indexes: [{ name: 'failure_counts_day', properties: ['day'] }],
})

/** Figures that receivers show at their own pages, one per row. */
export const ReceiverFigureRow = entityOf(ReceiverFigure, {
  name: 'ReceiverFigureRow',
  tableName: 'receiver_figures',
  indexes: [
    { name: 'receiver_figures_day', properties: ['domainId', 'day'] },
    { name: 'receiver_figures_age', properties: ['day'] },
  ],
  uniques: [{ name: 'receiver_figures_once', properties: ['domainId', 'receiver', 'figure', 'day', 'subject'] }],
})
