import { CLAIM } from '../delivery/claim-mails.ts'
import type { Worker } from '../ports/queue.ts'
import { TASKS } from '../work/jobs.ts'
import type { Rooms } from './compose.ts'

/**
 * The handlers of queued work. When `stopping` is aborted running work may end, no more is begun, and the rest of long
 * work continues after the next start.
 */
export function workersOf(rooms: Rooms, stopping: AbortSignal): readonly Worker[] {
  const { claimMails, contactJobs, computeSegments, readInbound, dispatchEvents, runWorkflows, deliverWebhooks } = rooms
  const { fanOutCampaigns, deliverCampaigns, controlCampaigns } = rooms
  // the rest of an import, of an audience or of a backlog is not waited for
  const untilStop = (signal: AbortSignal) => AbortSignal.any([signal, stopping])
  return [
    {
      task: TASKS.deliver,
      batch: CLAIM,
      handle: (ids, { lane, signal }) => claimMails.handle(ids, lane, { signal, stopping }),
    },
    {
      task: TASKS.contactJob,
      batch: 1,
      handle: (ids, { signal }) => contactJobs.handle(ids, { signal: untilStop(signal) }),
    },
    { task: TASKS.readInbound, batch: 1, handle: (_ids, { signal }) => readInbound.handle(untilStop(signal)) },
    { task: TASKS.computeSegment, batch: 1, handle: (ids, given) => computeSegments.handle(ids, given) },
    {
      task: TASKS.fanOut,
      batch: 1,
      handle: (ids, { signal }) => fanOutCampaigns.handle(ids, { signal: untilStop(signal) }),
    },
    {
      task: TASKS.campaignMail,
      batch: 1,
      handle: (ids, { signal }) => deliverCampaigns.handle(ids, { signal, stopping }),
    },
    {
      task: TASKS.skipCampaign,
      batch: 1,
      handle: (ids, { signal }) => controlCampaigns.skip(ids, { signal: untilStop(signal) }),
    },
    { task: TASKS.dispatchEvents, batch: 1, handle: (_ids, { signal }) => dispatchEvents.tick(untilStop(signal)) },
    { task: TASKS.runWorkflows, batch: 1, handle: (_ids, { signal }) => runWorkflows.tick(untilStop(signal)) },
    {
      task: TASKS.deliverWebhooks,
      batch: 1,
      handle: (_ids, { signal }) => deliverWebhooks.handle({ signal, stopping }),
    },
  ]
}
