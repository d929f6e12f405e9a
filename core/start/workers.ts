import type { ScheduledTask } from '../ports/scheduler.ts'
import type { Work } from '../work/work.ts'
import type { Rooms } from './compose.ts'

/** All background work of a process that works. */
export function worksOf(rooms: Rooms): readonly Work[] {
  return [
    rooms.deliverMails.of('transactional'),
    rooms.deliverMails.of('workflow'),
    rooms.deliverCampaigns,
    rooms.fanOutCampaigns,
    rooms.skipMails,
    rooms.contactJobs,
    rooms.computeSegments,
    rooms.dispatchEvents,
    rooms.runWorkflows,
    rooms.deliverWebhooks,
    rooms.readInbound,
  ]
}

/** When a tick of every second ends, whatever is left: regular ticks show that it is not stuck. */
const TICK_MS = 5_000

/** Everything a process that works does on a schedule. */
export function tasksOf(rooms: Rooms): readonly ScheduledTask[] {
  const recover = async () => {
    await rooms.recovery.tick()
    await rooms.readInbound.tick()
    // after what was left behind is free
    rooms.loops.look()
  }
  const campaigns = async (stopping: AbortSignal) => {
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(TICK_MS)])
    await rooms.startCampaigns.tick(signal)
    await rooms.completeCampaigns.tick(signal)
  }
  return [
    ...rooms.loops.tasks(),
    { name: 'recovery', cron: '*/5 * * * * *', run: recover },
    { name: 'campaigns', cron: '* * * * * *', run: campaigns },
    ...rooms.checkDomains.tasks(),
    ...rooms.erasing.tasks(),
    ...rooms.reputation.tasks(),
    ...rooms.retention.tasks(),
    ...rooms.projects.tasks(),
    ...rooms.deliverWebhooks.tasks(),
    ...rooms.feedback.tasks(),
    ...rooms.domainTests.tasks(),
    ...rooms.accounts.tasks(),
    ...rooms.analytics.tasks(),
    ...rooms.contactJobs.tasks(),
  ]
}
