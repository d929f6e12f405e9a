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
