import { refusalMeaning } from '../../core/bounces/refusal-meaning.ts'
import type { CampaignStats, CountedCampaign } from '../../core/campaigns/campaign-numbers.ts'
import type { LeftOutEntry } from '../../core/campaigns/list-left-out.ts'
import { reasonToWait } from '../../core/campaigns/variants/test-progress.ts'
import { apartAs } from '../../core/mail/email.ts'
import type { ContactJob } from '../../core/ports/store/contact-jobs.ts'
import type { Contact } from '../../core/ports/store/contacts.ts'
import type { Email } from '../../core/ports/store/emails.ts'
import type { EventRecord, EventWithContact } from '../../core/ports/store/events.ts'
import type { ApiKey } from '../../core/ports/store/projects.ts'
import type { Template } from '../../core/ports/store/templates.ts'
import type { WebhookDelivery } from '../../core/ports/store/webhook-deliveries.ts'
import type { Uses } from '../../core/references/uses.ts'
import type { ContactSegments } from '../../core/segments/segments-of-contact.ts'
import type { AwaitedConfirmation } from '../../core/subscriptions/unconfirmed.ts'
import type { ContentUses } from '../../core/templates/content-uses.ts'
import { codesOf, textOf } from '../../core/values/advice.ts'
import type { NumberedPage, Page } from '../../core/values/page.ts'
import type { DeliveryDetail } from '../../core/webhooks/delivery-log.ts'
import { hiddenHeaders, hiddenUrl } from '../../core/webhooks/hidden-secrets.ts'
import type { SegmentsOfContact } from '../answers/segments.ts'
import type { ApiKeyRecord } from '../schemas/api-keys.ts'
import type { CampaignFigures, CampaignRecord, LeftOutRecord, ListedCampaign, Recipient } from '../schemas/campaigns.ts'
import type { ConfirmationRecord, ContactRecord } from '../schemas/contacts.ts'
import type { EmailRecord } from '../schemas/emails.ts'
import type { EventOnWire, ListedEvent } from '../schemas/events.ts'
import type { Wire } from '../schemas/parts.ts'
import type { ContentUses as ContentUsesRecord, TemplateRecord } from '../schemas/templates.ts'
import type { DeliveryDetailRecord, DeliveryRecord } from '../schemas/webhooks.ts'
import { testingOnWire, variantsOnWire } from './variants.ts'

// Records in the form of answers. JSON turns dates into ISO 8601 and leaves out undefined values; null is used only
// where the specification says so.

/** A cursor list. */
export function listOnWire<T>({ items, cursor, total }: Page<T>, present: (item: T) => object) {
  return { data: items.map(present), cursor: cursor ?? null, hasMore: cursor !== undefined, total }
}

/** A numbered list. Its items are under their own name and, for clients that read all lists alike, under `data`. */
export function numberedOnWire<T>(
  name: string,
  { items, cursor, ...page }: NumberedPage<T>,
  present: (item: T) => object,
) {
  const data = items.map(present)
  return { [name]: data, data, ...page, cursor: cursor ?? null, hasMore: cursor !== undefined }
}

/** All of a contact but its project, whose key asked for it. */
export function contactOnWire({ projectId, ...contact }: Contact): Wire<typeof ContactRecord> {
  return contact
}

/** An import or a bulk change; `result` is null until it has begun. */
export function contactJobOnWire(job: ContactJob) {
  const { id, type, state, progress, result, failedReason, createdAt, updatedAt } = job
  const made = Object.keys(result).length === 0 ? null : result
  return { id, type, state, progress, result: made, failedReason: failedReason ?? null, createdAt, updatedAt }
}

export function templateOnWire(template: Template): Wire<typeof TemplateRecord> {
  return { ...templateInList(template), design: template.design, source: template.source }
}

/** A template without its design and its source, which may be as large as its body. */
export function templateInList(template: Template): Wire<typeof TemplateRecord> {
  const { id, name, slug, description, subject, preheader, body, layoutId, topicId, type, from, fromName, replyTo } =
    template
  const { version, createdAt, updatedAt } = template
  return {
    id,
    name,
    slug,
    description,
    subject,
    preheader,
    body,
    layoutId,
    topicId,
    type,
    from,
    fromName,
    replyTo,
    version,
    createdAt,
    updatedAt,
  }
}

/** Where a snippet or a layout is used. */
export function contentUsesOnWire(uses: ContentUses): Wire<typeof ContentUsesRecord> {
  const named = ({ id, name }: { readonly id: string; readonly name: string }) => ({ id, name })
  const { templates, drafts, campaigns, snippets, layouts, workflows } = uses
  return {
    templates: [...templates, ...drafts.filter(({ id }) => !templates.some((each) => each.id === id))].map(named),
    campaigns: campaigns.map(named),
    snippets: snippets.map(named),
    layouts: layouts.map(named),
    workflows: workflows.map(({ id, name, stepId }) => ({ id, name, stepId })),
  }
}

/** The segments of a contact. */
export function segmentsOfContactOnWire({ members, unchecked }: ContactSegments): Wire<typeof SegmentsOfContact> {
  return {
    data: members.map(({ segment: { id, name, type, trackMembership }, since = null }) => ({
      id,
      name,
      type,
      trackMembership,
      since,
    })),
    unchecked: unchecked.map(({ id, name }) => ({ id, name })),
  }
}

/** The filter and the schedule are under both of their names. */
export function campaignOnWire({ campaign, stats, waiting }: CountedCampaign): Wire<typeof CampaignRecord> {
  return {
    ...campaignInList({ campaign, stats }),
    waiting,
    body: campaign.body,
    design: campaign.design,
    source: campaign.source,
    variants: variantsOnWire(campaign),
  }
}

/** The plan as it was given, without what the engine keeps with it. */
function planOnWire({ plan }: CountedCampaign['campaign']): Wire<typeof ListedCampaign>['plan'] {
  if (plan === undefined) return undefined
  const { paused, days, ...rest } = plan
  return { ...rest, days: days && [...days] }
}

/** A campaign without its body. */
export function campaignInList({ campaign, stats }: CountedCampaign): Wire<typeof ListedCampaign> {
  const { id, name, description, subject, preheader, layoutId, status, statusReason, from, fromName, replyTo } =
    campaign
  const { topicId, headers, attachments, utm, originId, seriesId, folder, note, shelvedAt } = campaign
  const {
    templateId,
    audienceType,
    segmentId,
    audienceFilter,
    audienceCondition = audienceFilter,
    scheduledAt = null,
    startedAt,
    sentAt,
    publishedAt,
  } = campaign
  const { openRate, clickRate, bounceRate, deliveryRate, skipped, leftOutAtStart, anonymous, problem, ...counts } =
    stats
  return {
    id,
    name,
    description,
    subject,
    preheader,
    layoutId,
    topicId,
    type: audienceType,
    status,
    statusReason: statusReason ?? reasonToWait(campaign),
    pauseReason: status === 'PAUSED' ? statusReason : undefined,
    problem: status === 'SENT' ? statusReason : undefined,
    braked: brakeOf(campaign),
    from,
    fromName,
    replyTo,
    headers: headers && Object.fromEntries(headers),
    attachments: attachments && [...attachments],
    utm,
    templateId,
    plan: planOnWire(campaign),
    planZones: campaign.fanOut?.plan?.zones,
    audienceType,
    segmentId,
    originId,
    seriesId,
    folder,
    note,
    shelvedAt,
    audienceFilter,
    audienceCondition,
    test: campaign.test,
    testing: testingOnWire(campaign),
    scheduledAt,
    scheduledFor: scheduledAt,
    startedAt,
    sentAt,
    publishedAt,
    ...counts,
    ...countsByOldNames(stats),
    version: campaign.version,
    createdAt: campaign.createdAt,
    updatedAt: campaign.updatedAt,
  }
}

function brakeOf({ brake, hold }: CountedCampaign['campaign']) {
  if (!brake) return undefined
  const { refused, answers, reply } = brake
  return { refused, answers, reply, decision: hold === 'accept' || hold === 'retry' ? hold : null }
}

/** The figures under Plunk's names, and under our own. */
export function campaignStatsOnWire(stats: CampaignStats): Wire<typeof CampaignFigures> {
  return { ...stats, ...countsByOldNames(stats) }
}

function countsByOldNames({
  sent,
  delivered,
  opened,
  clicked,
  bounced,
  complained,
  unsubscribed,
  failed,
}: CampaignStats) {
  return {
    sentCount: sent,
    deliveredCount: delivered,
    openedCount: opened,
    clickedCount: clicked,
    bouncedCount: bounced,
    complainedCount: complained,
    unsubscribedCount: unsubscribed,
    failedCount: failed,
  }
}

/** A campaign's mail, in its list of recipients; `id` is the e-mail record's. */
export function leftOutOnWire({ id, contactId, ...more }: LeftOutEntry): Wire<typeof LeftOutRecord> {
  return { id, contactId: contactId ?? null, ...more }
}

export function recipientOnWire({
  id,
  contactId,
  to,
  status,
  toFolder,
  error,
  skipReason,
  variant,
  ...times
}: Email): Wire<typeof Recipient> {
  const { sentAt, deliveredAt, openedAt, clickedAt, bouncedAt, unsubscribedAt, repliedAt } = times
  return {
    id,
    contactId: contactId ?? null,
    email: to,
    status,
    toFolder,
    sentAt,
    deliveredAt,
    openedAt,
    clickedAt,
    bouncedAt,
    unsubscribedAt,
    repliedAt,
    error,
    skipReason,
    variant,
  }
}

export function eventOnWire({ id, name, contactId, emailId, data, createdAt }: EventRecord): Wire<typeof EventOnWire> {
  return { id, name, contactId: contactId ?? null, emailId, data, createdAt }
}

export function eventWithContactOnWire(event: EventWithContact): Wire<typeof ListedEvent> {
  const { contact } = event
  return { ...eventOnWire(event), contact: contact ? { id: contact.id, email: contact.email } : null }
}

/** Where a field or an event is used. */
export function usesOnWire({
  segments = [],
  campaigns,
  workflows,
  forms = [],
}: Pick<Uses, 'campaigns' | 'workflows'> & Partial<Uses>) {
  const named = ({ id, name }: Uses['segments'][number]) => ({ id, name })
  return {
    usedInSegments: segments.map(named),
    usedInCampaigns: campaigns.map(named),
    usedInWorkflows: workflows.map(({ id, name, stepId }) => ({ id, name, stepId })),
    usedInForms: forms.map(named),
  }
}

/** The ledger's row. `dueAt` while it waits for its next try, `redactedAt` when its text was erased. */
export function emailOnWire(email: Email): Wire<typeof EmailRecord> {
  const { id, contactId, to, toName, status, sourceType, templateId, campaignId, tags } = email
  const { attempts, transport, toFolder, providerId, error, skipReason, opens, clicks, createdAt, updatedAt } = email
  const { dueAt, expiresAt, sentAt, deliveredAt, openedAt, clickedAt, bouncedAt, complainedAt } = email
  const { humanOpenedAt, humanClickedAt, repliedAt, inReplyTo, redactedAt } = email
  const about = apartAs(email)
  return {
    id,
    contactId: contactId ?? null,
    to,
    toName,
    status,
    // the store marks mails about accounts by the form of a test
    sourceType: about === 'account' ? 'TRANSACTIONAL' : sourceType,
    about,
    templateId: templateId ?? null,
    campaignId: campaignId ?? null,
    tags,
    attempts,
    transport,
    toFolder,
    providerId,
    error,
    skipReason,
    opens,
    clicks,
    ...(error === undefined ? {} : meaningOf(error, status === 'QUEUED' || status === 'SENDING')),
    createdAt,
    updatedAt,
    dueAt: status === 'QUEUED' ? dueAt : undefined,
    expiresAt,
    sentAt,
    deliveredAt,
    openedAt,
    clickedAt,
    bouncedAt,
    complainedAt,
    humanOpenedAt,
    humanClickedAt,
    repliedAt,
    inReplyTo,
    redactedAt,
  }
}

/** The meaning of a refusal. */
function meaningOf(error: string, isWaiting: boolean) {
  const meaning = refusalMeaning(error, isWaiting)
  return { errorMeaning: textOf(meaning) || null, errorMeaningCodes: codesOf(meaning) }
}

/** A key without its hash, which cannot be read back. */
export function apiKeyOnWire(record: ApiKey): Wire<typeof ApiKeyRecord> {
  const { id, projectId, name, kind, scopes, prefix, createdAt, expiresAt = null, lastUsedAt = null } = record
  return { id, projectId, name, kind, scopes, prefix, createdAt, expiresAt, lastUsedAt }
}

/** A webhook request; `dueAt` while it waits for its next try. */
export function deliveryOnWire(delivery: WebhookDelivery, seesSecrets: boolean): Wire<typeof DeliveryRecord> {
  const { id, endpointId, workflowId, executionId, stepId, eventId, eventName, replayOf, method } = delivery
  const { status, attempts, dueAt, responseStatus, error, createdAt, completedAt } = delivery
  return {
    id,
    endpointId,
    workflowId,
    executionId,
    stepId,
    eventId,
    eventName,
    replayOf,
    url: seesSecrets ? delivery.url : hiddenUrl(delivery.url),
    method,
    status,
    attempts,
    dueAt: status === 'PENDING' ? dueAt : undefined,
    responseStatus,
    error,
    createdAt,
    completedAt,
  }
}

/** The request with both bodies and its header fields, except those made anew for every try. */
export function deliveryDetailOnWire(
  { delivery, requestHeaders: headers }: DeliveryDetail,
  seesSecrets: boolean,
): Wire<typeof DeliveryDetailRecord> {
  const { body = null, responseBody = null } = delivery
  const requestHeaders = seesSecrets ? headers : hiddenHeaders(headers)
  return { ...deliveryOnWire(delivery, seesSecrets), requestHeaders, requestBody: body, responseBody }
}

/** The confirmation that is awaited of a contact, if one is. */
export function confirmationOnWire(awaited: AwaitedConfirmation | undefined): Wire<typeof ConfirmationRecord> {
  const { since = null, mails = [], again = null } = awaited ?? {}
  return {
    since,
    mails: mails.map(({ id, status, toFolder, createdAt }) => ({ id, status, toFolder, createdAt })),
    again,
  }
}
