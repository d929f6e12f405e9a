/**
 * The message tag that holds our e-mail record's id. Amazon's events carry it (`mail.tags`), so a mail is found even
 * when the answer with Amazon's own id was lost.
 */
export const EMAIL_TAG = 'mailwright-email'
