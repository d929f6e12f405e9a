import type { ForeignEvent, ForeignEvents } from '../../../core/ports/foreign-api.ts'
import type { JsonObject } from '../../../core/values/json.ts'
import { happened } from '../kit/happened.ts'
import { labelsAmong, withoutLabels } from '../kit/labels.ts'
import { BOUNCES, type BounceKind } from './bounce-kinds.ts'

type Happened = ReturnType<typeof happened>

/** How Postmark names who changed a subscription. */
const ORIGINS: Readonly<Record<string, string>> = { link: 'Recipient', form: 'Recipient', complaint: 'Recipient' }
const SUPPRESSIONS: Readonly<Record<string, string>> = { bounce: 'HardBounce', complaint: 'SpamComplaint' }

/** The fields of an event that only it has. Undefined: there is no such event. */
const EVENTS = new Map<string, (it: Happened, event: ForeignEvent) => JsonObject | undefined>(
  Object.entries({
    'email.delivery': ({ recipient, said }, { at }) => ({
      RecordType: 'Delivery',
      Recipient: recipient,
      DeliveredAt: at.toISOString(),
      Details: said,
    }),
    'email.bounce': (it, event) => bounceOf(it, event, it.isPermanent ? BOUNCES.hard : BOUNCES.transient),
    'email.complaint': (it, event) => bounceOf(it, event, BOUNCES.complaint),
    'email.open': ({ recipient }, { at, data }) => ({
      RecordType: 'Open',
      Recipient: recipient,
      ReceivedAt: at.toISOString(),
      FirstOpen: data.isFirstOpen === true,
      ...UNKNOWN_CLIENT,
    }),
    'email.click': ({ recipient, link }, { at }) => ({
      RecordType: 'Click',
      Recipient: recipient,
      ReceivedAt: at.toISOString(),
      OriginalLink: link,
      ClickLocation: 'HTML',
      ...UNKNOWN_CLIENT,
    }),
    'contact.subscribed': (it, event) => changeOf(it, event),
    'contact.unsubscribed': (it, event) => changeOf(it, event),
  }),
)

const UNKNOWN_CLIENT = { UserAgent: '', Platform: 'Unknown', OS: {}, Client: {}, Geo: {} }

/** Events as Postmark's webhooks write them. */
export const webhookEvents: ForeignEvents = {
  names: [...EVENTS.keys()],
  write(event) {
    const it = happened(event)
    const own = EVENTS.get(event.name)?.(it, event)
    if (own === undefined) return undefined
    return {
      ...own,
      MessageID: it.emailId || '00000000-0000-0000-0000-000000000000',
      MessageStream: 'outbound',
      Metadata: { ...withoutLabels('tag', it.tags) },
      Tag: labelsAmong('tag', it.tags)[0] ?? '',
    }
  },
}

function bounceOf(it: Happened, { at }: ForeignEvent, kind: BounceKind): JsonObject {
  const isFinal = kind !== BOUNCES.transient
  return {
    RecordType: kind === BOUNCES.complaint ? 'SpamComplaint' : 'Bounce',
    ID: it.emailId,
    ...kind,
    Details: it.said,
    Email: it.recipient,
    From: it.from,
    BouncedAt: at.toISOString(),
    DumpAvailable: false,
    Inactive: isFinal,
    CanActivate: kind === BOUNCES.hard,
    Subject: it.subject,
  }
}

/** Whether a person gets mail. What concerns one topic only is no change for the others. */
function changeOf({ recipient, reason, isOfTopic }: Happened, { name, at }: ForeignEvent): JsonObject | undefined {
  if (isOfTopic) return undefined
  const isSuppressed = name === 'contact.unsubscribed'
  return {
    RecordType: 'SubscriptionChange',
    Recipient: recipient,
    ChangedAt: at.toISOString(),
    Origin: ORIGINS[reason] ?? 'Customer',
    SuppressSending: isSuppressed,
    SuppressionReason: isSuppressed ? (SUPPRESSIONS[reason] ?? 'ManualSuppression') : null,
  }
}
