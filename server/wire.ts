import type { Contact } from '../core/contacts/contact.ts'
import type { ContactJob } from '../core/contacts/contact-job.ts'
import type { EventRecord, EventWithContact } from '../core/events/event.ts'
import type { Uses } from '../core/references/uses.ts'
import type { Segment } from '../core/segments/segment.ts'
import type { Email } from '../core/sending/email.ts'
import type { EmailDetail } from '../core/sending/sending.ts'
import type { Suppression } from '../core/suppressions/suppression.ts'
import type { Template } from '../core/templates/template.ts'
import type { Page } from '../core/values/page.ts'

// Records as they stand in answers. JSON turns the dates into ISO 8601 and leaves out what is undefined; null stands
// only where the specification says so.

/** A cursor list. */
export function listOnWire<T>({ items, cursor, total }: Page<T>, present: (item: T) => object) {
  return { data: items.map(present), cursor: cursor ?? null, hasMore: cursor !== undefined, total }
}

export function contactOnWire({ id, email, subscribed, data, createdAt, updatedAt }: Contact) {
  return { id, email, subscribed, data, createdAt, updatedAt }
}

/** An import or a bulk change; `result` is null until it was begun. */
export function contactJobOnWire(job: ContactJob) {
  const { id, type, state, progress, result, failedReason, createdAt, updatedAt } = job
  const made = Object.keys(result).length === 0 ? null : result
  return { id, type, state, progress, result: made, failedReason: failedReason ?? null, createdAt, updatedAt }
}

export function templateOnWire(template: Template) {
  const { id, name, description, subject, body, type, from, fromName, replyTo, createdAt, updatedAt } = template
  return { id, name, description, subject, body, type, from, fromName, replyTo, createdAt, updatedAt }
}

/** The filter stands under both of its names; a static segment has none. */
export function segmentOnWire(segment: Segment) {
  const { id, name, slug, description, type, filter, trackMembership } = segment
  const { memberCount, countedAt, computedAt, createdAt, updatedAt } = segment
  return {
    ...{ id, name, slug, description, type, filters: filter, condition: filter, trackMembership },
    ...{ memberCount, countedAt, computedAt, createdAt, updatedAt },
  }
}

export function eventOnWire({ id, name, contactId, emailId, data, createdAt }: EventRecord) {
  return { id, name, contactId, emailId, data, createdAt }
}

export function eventWithContactOnWire(event: EventWithContact) {
  const { id, email } = event.contact
  return { ...eventOnWire(event), contact: { id, email } }
}

/** Where a field or an event is used. */
export function usesOnWire({ segments, campaigns, workflows }: Uses) {
  const named = ({ id, name }: Uses['segments'][number]) => ({ id, name })
  return {
    usedInSegments: segments.map(named),
    usedInCampaigns: campaigns.map(named),
    usedInWorkflows: workflows.map(({ id, name, stepId }) => ({ id, name, stepId })),
  }
}

/** The ledger's row; `dueAt` while it waits for its next try. */
export function emailOnWire(email: Email) {
  const { id, contactId, to, toName, status, sourceType, templateId, campaignId, tags } = email
  const { attempts, transport, providerId, error, skipReason, opens, clicks, createdAt, updatedAt } = email
  const { dueAt, sentAt, deliveredAt, openedAt, clickedAt, bouncedAt, complainedAt } = email
  return {
    ...{ id, contactId: contactId ?? null, to, toName, status, sourceType },
    ...{ templateId: templateId ?? null, campaignId: campaignId ?? null, tags },
    ...{ attempts, transport, providerId, error, skipReason, opens, clicks },
    ...{ createdAt, updatedAt, dueAt: status === 'QUEUED' ? dueAt : undefined },
    ...{ sentAt, deliveredAt, openedAt, clickedAt, bouncedAt, complainedAt },
  }
}

/** The row with the words of its mail (the HTML as `body`) and its events. */
export function emailDetailOnWire({ email, from, messageId, subject, html, text, events }: EmailDetail) {
  const written = { subject: subject ?? null, body: html ?? null, text: text ?? null }
  const words = { from: from.email, fromName: from.name, ...written, messageId }
  return { ...emailOnWire(email), ...words, events: events.map(eventOnWire) }
}

export function suppressionOnWire({ id, email, reason, detail, createdAt, expiresAt }: Suppression) {
  return { id, email, reason, detail: detail ?? null, createdAt, expiresAt: expiresAt ?? null }
}
