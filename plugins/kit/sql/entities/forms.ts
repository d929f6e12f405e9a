import { defineEntity, p } from '@mikro-orm/core'
import type { FormField, FormTexts, SubmissionOutcome } from '../../../../core/ports/store/forms.ts'
import type { JsonObject } from '../../../../core/values/json.ts'

/** Sign-up forms with their figures, one per row. */
export const FormRow = defineEntity({
  name: 'FormRow',
  tableName: 'forms',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    name: p.text(),
    active: p.boolean(),
    texts: p.json().$type<FormTexts>(),
    fields: p.json().$type<readonly FormField[]>(),
    consent: p.text(),
    topicIds: p.json().$type<readonly string[]>(),
    doubleOptIn: p.boolean(),
    origins: p.json().$type<readonly string[]>(),
    redirectUrl: p.text().nullable(),
    attackedAt: p.datetime(3).nullable(),
    shown: p.integer(),
    submitted: p.integer(),
    confirmed: p.integer(),
    version: p.integer().default(1),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'forms_page', properties: ['projectId', 'id'] }],
})

/** What was sent by forms, with the consent as it was then. They outlive the form, and end with their contact. */
export const FormSubmissionRow = defineEntity({
  name: 'FormSubmissionRow',
  tableName: 'form_submissions',
  properties: {
    id: p.uuid().primary(),
    projectId: p.uuid(),
    formId: p.uuid(),
    contactId: p.uuid(),
    answers: p.json().$type<JsonObject>(),
    consent: p.text(),
    topics: p.json().$type<Readonly<Record<string, boolean>>>().nullable(),
    address: p.text().nullable(),
    outcome: p.text().$type<SubmissionOutcome>(),
    emailId: p.uuid().nullable(),
    createdAt: p.datetime(3),
    confirmedAt: p.datetime(3).nullable(),
  },
  indexes: [
    { name: 'form_submissions_page', properties: ['projectId', 'formId', 'id'] },
    { name: 'form_submissions_contact', properties: ['contactId'] },
  ],
})
