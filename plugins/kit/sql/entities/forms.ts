import { Form, FormSubmission } from '../../../../core/ports/store/forms.ts'
import { entityOf } from '../engine/entity-of.ts'

/** Sign-up forms with their figures, one per row. */
export const FormRow = entityOf(Form, {
  name: 'FormRow',
  tableName: 'forms',
  indexes: [{ name: 'forms_page', properties: ['projectId', 'id'] }],
})

/** The submissions of forms, with the consent as it was then. They outlive the form, and end with their contact. */
export const FormSubmissionRow = entityOf(FormSubmission, {
  name: 'FormSubmissionRow',
  tableName: 'form_submissions',
  indexes: [
    { name: 'form_submissions_page', properties: ['projectId', 'formId', 'id'] },
    { name: 'form_submissions_contact', properties: ['contactId'] },
  ],
})
