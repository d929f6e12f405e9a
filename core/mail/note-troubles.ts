import { LimitedLog } from '../ports/limited-log.ts'
import type { Log } from '../ports/log.ts'
import type { NoteTrouble } from './render/filter-troubles.ts'

/** How many lines a project's mails may make a minute. */
const MOST_PER_MINUTE = 5

/** Logs the filters that could not do their work in mails that leave; the values are the recipients' and stay out. */
export function noteTroubles(log: Log): NoteTrouble {
  const lines = new LimitedLog(log, MOST_PER_MINUTE)
  return ({ id, projectId, campaignId }, { field, filter, reason, kind }) =>
    lines.warn(projectId, 'a filter could not do its work in a mail', {
      email: id,
      project: projectId,
      ...(campaignId === undefined ? {} : { campaign: campaignId }),
      field,
      filter,
      reason: kind === 'zone' ? 'unknown time zone' : reason,
    })
}
