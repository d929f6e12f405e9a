import { defineEntity, p } from '@mikro-orm/core'
import { InboxDraft } from '../../../../core/ports/store/drafts.ts'
import { Inbox } from '../../../../core/ports/store/inboxes.ts'
import { Thread } from '../../../../core/ports/store/threads.ts'
import type { JsonObject } from '../../../../core/values/json.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Inboxes, one per row. */
export const InboxRow = entityOf(Inbox, {
  name: 'InboxRow',
  tableName: 'inboxes',
  indexes: [
    { name: 'inboxes_page', properties: ['projectId', 'id'] },
    { name: 'inboxes_retention', properties: ['id'], where: 'retention_days is not null' },
  ],
  uniques: [{ name: 'inboxes_address', properties: ['projectId', 'address'] }],
})

/** Threads of inboxes, one per row. */
export const ThreadRow = entityOf(Thread, {
  name: 'ThreadRow',
  tableName: 'threads',
  indexes: [
    { name: 'threads_page', properties: ['inboxId', 'folder', 'lastMessageAt', 'id'] },
    { name: 'threads_subject', properties: ['inboxId', 'subjectKey', 'lastMessageAt'] },
  ],
})

/** The mails of threads. */
export const ThreadMailRow = defineEntity({
  name: 'ThreadMailRow',
  tableName: 'thread_mails',
  properties: {
    inboxId: p.uuid().primary(),
    emailId: p.uuid().primary(),
    threadId: p.uuid(),
    projectId: p.uuid().$type<ProjectId>(),
    messageId: p.text(),
    incoming: p.boolean(),
    at: p.datetime(3),
    indexedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'thread_mails_unindexed', properties: ['at', 'emailId'], where: 'indexed_at is null' },
    { name: 'thread_mails_page', properties: ['threadId', 'at', 'emailId'] },
    { name: 'thread_mails_by_name', properties: ['messageId', 'inboxId'] },
    { name: 'thread_mails_of', properties: ['emailId'] },
  ],
})

/** Notes of the team at threads. */
export const ThreadNoteRow = defineEntity({
  name: 'ThreadNoteRow',
  tableName: 'thread_notes',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    threadId: p.uuid(),
    text: p.text(),
    authorType: p.text(),
    authorId: p.text().nullable(),
    authorName: p.text(),
    createdAt: p.datetime(3),
  },
  indexes: [{ name: 'thread_notes_page', properties: ['threadId', 'id'] }],
})

/** Until when users and programs have read threads. */
export const ThreadReadRow = defineEntity({
  name: 'ThreadReadRow',
  tableName: 'thread_reads',
  properties: {
    threadId: p.uuid().primary(),
    readerId: p.text().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    readAt: p.datetime(3),
  },
})

/** Mails that are being written in inboxes. */
export const InboxDraftRow = entityOf(InboxDraft, {
  name: 'InboxDraftRow',
  tableName: 'inbox_drafts',
  indexes: [
    { name: 'inbox_drafts_page', properties: ['inboxId', 'id'], where: "status <> 'sent'" },
    { name: 'inbox_drafts_waiting', properties: ['projectId', 'id'], where: "status = 'waiting'" },
    { name: 'inbox_drafts_later', properties: ['projectId', 'sendAt'], where: "status = 'sent'" },
    { name: 'inbox_drafts_thread', properties: ['threadId', 'id'], where: 'thread_id is not null' },
  ],
})

/** The bytes of drafts' files; the draft says what they are. */
export const DraftAttachmentRow = defineEntity({
  name: 'DraftAttachmentRow',
  tableName: 'draft_attachments',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    draftId: p.uuid(),
    bytes: p.blob(),
  },
  indexes: [{ name: 'draft_attachments_of', properties: ['draftId', 'id'] }],
})

/** Events of inboxes. */
export const InboxEventRow = defineEntity({
  name: 'InboxEventRow',
  tableName: 'inbox_events',
  properties: {
    inboxId: p.uuid().primary(),
    number: p.integer().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    name: p.text(),
    data: p.json().$type<JsonObject>(),
    at: p.datetime(3),
  },
  indexes: [{ name: 'inbox_events_at', properties: ['at'] }],
})

/** The words of mails in inboxes, of which triggers make the index of the database. */
export const MailWordsRow = defineEntity({
  name: 'MailWordsRow',
  tableName: 'mail_words',
  properties: {
    emailId: p.uuid().primary(),
    projectId: p.uuid().$type<ProjectId>(),
    scope: p.text(),
    subject: p.text(),
    people: p.text(),
    body: p.text(),
    files: p.text(),
  },
})
