import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Work } from '../work/work.ts'
import type { Rooms } from './make-rooms.ts'

/** All background work of a process that works. */
export function worksOf(rooms: Rooms): readonly Work[] {
  return [
    ...rooms.mailWork.works(),
    ...rooms.sending.works(),
    rooms.fanOutCampaigns,
    rooms.skipMails,
    rooms.contacts.jobs,
    rooms.computeSegments,
    rooms.dispatchEvents,
    rooms.runWorkflows,
    rooms.startByDates,
    rooms.deliverWebhooks,
    rooms.readInbound,
  ]
}

/** Everything a process that works does on a schedule. */
export function tasksOf(rooms: Rooms): readonly ScheduledTask[] {
  const recover = async () => {
    await rooms.recovery.tick()
    await rooms.readInbound.tick()
    // after what was left behind is free
    rooms.loops.look()
  }
  return [
    ...rooms.loops.tasks(),
    { name: 'recovery', cron: '*/5 * * * * *', run: recover },
    ...rooms.sending.tasks(),
    ...rooms.campaigns.tasks(),
    ...rooms.seeds.tasks(),
    ...rooms.checkDomains.tasks(),
    ...rooms.erasing.tasks(),
    ...rooms.reputation.tasks(),
    ...rooms.retention.tasks(),
    ...rooms.projects.tasks(),
    ...rooms.deliverWebhooks.tasks(),
    ...rooms.feedback.tasks(),
    ...rooms.inboxes.search.tasks(),
    ...rooms.domains.tests.tasks(),
    ...rooms.domains.reports.tasks(),
    ...rooms.accounts.tasks(),
    ...rooms.analytics.tasks(),
    ...rooms.contacts.jobs.tasks(),
  ]
}
