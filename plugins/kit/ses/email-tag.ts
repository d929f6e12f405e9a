/**
 * The message tag that has the id of our e-mail record. Amazon's events carry it (`mail.tags`), so that the mail is found also
 * when the answer with Amazon's own id was lost.
 */
export const EMAIL_TAG = 'mailwright-email'
