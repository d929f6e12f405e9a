import * as v from 'valibot'
import { ACTIVITY_TYPES } from '../../core/values/activity-type.ts'
import { named } from '../../core/values/described.ts'
import { cursorList } from './lists.ts'
import { Count, Fields, Id, many, Percentage, Time } from './parts.ts'

/** The fields of every activity, whatever its type. */
const ABOUT = {
  id: Id,
  timestamp: Time,
  contactId: v.nullable(Id),
  contactEmail: v.nullable(v.string()),
  /** Details, without the body of any mail. No body of a mail is in it. */
  metadata: Fields,
}

const ActivityTypeName = v.picklist(ACTIVITY_TYPES)

/** The answer of `GET /activity`. */
export const ActivityList = cursorList(named('Activity', v.object({ type: ActivityTypeName, ...ABOUT })))

/** The answer of `GET /activity/stats`. */
export const ActivityTotals = named(
  'ActivityTotals',
  v.object({
    totalEvents: Count,
    totalEmailsSent: Count,
    totalEmailsDelivered: Count,
    totalEmailsToFolder: Count,
    totalEmailsOpened: Count,
    totalEmailsClicked: Count,
    totalEmailsBounced: Count,
    totalComplaints: Count,
    totalEmailsReceived: Count,
    totalWorkflowsStarted: Count,
    totalWorkflowsCompleted: Count,
    openRate: Percentage,
    clickRate: Percentage,
  }),
)

/** The answer of `GET /activity/recent-count`. */
export const RecentCount = v.object({ count: Count, minutes: Count })

/** The answer of `GET /activity/types`. */
export const ActivityTypes = v.object({ types: many(ActivityTypeName) })

/** The answer of `GET /activity/upcoming`. */
export const UpcomingActivities = v.object({
  activities: many(
    named(
      'UpcomingActivity',
      v.object({ type: v.picklist(['campaign.scheduled', 'email.scheduled', 'workflow.waiting']), ...ABOUT }),
    ),
  ),
})
