import type { Words } from './words.ts'

/** Sign-up forms. */
export const formWords: Words = {
  schemas: {
    FormChallenge: 'A proof of work for the browser of a visitor, by the ALTCHA protocol.',
  },
  fields: {
    forms: 'The forms of this page. The same list is under `data`, as in every other list.',
    'listForms.answer.data': 'The forms of this page, as in every other list.',
    limit: 'Another name of `pageSize`.',
    'listFormSubmissions.limit': 'How many at most: 1 to 100, by default 20.',
    'listFormSubmissions.confirmed': 'Only those that subscribed their contact, or only the others.',
    'listFormSubmissions.answer.data': 'What was sent, newest first.',
    'listFormSubmissions.answer.total':
      'The figure of the form, on the first page. It still has those whose contacts were removed.',
    'FormSubmission.contact': 'Who sent it. null for a contact that was removed just now.',
    'FormSubmission.contact.id': 'The id of the contact.',
    'FormSubmission.contact.email': 'The address of the contact.',
    'FormSubmission.contact.subscribed': 'Whether the contact is subscribed now.',
    'sendForm.email': 'The address of the visitor. Everything else is sent by the keys of the fields.',
    _redirect: 'Where the visitor is taken afterwards, instead of `redirectUrl` of the form; on one of its `origins`.',
    _website: 'A trap for programs: people do not see it, and leave it empty.',
    altcha:
      'The solution of a challenge, as JSON in base64. It counts once. Without it, a submission counts for the lower limit of the form.',
    algorithm: 'What is hashed with.',
    challenge: 'The hash of the salt, followed by a number, in hexadecimal. The number is to be found.',
    maxnumber: 'The number is at most this.',
    salt: 'What stands before the number.',
    signature: 'The proof that this service made the challenge.',
    'askToLeave.email': 'The address that wants to leave.',
    'askToLeave.answer.data': 'The words for the visitor, in the language of the page.',
    'askToLeave.answer.data.title': 'A heading.',
    'askToLeave.answer.data.message': 'Where the mail with the link is found. It is the same for every address.',
    'sendForm.answer.data': 'What to show.',
    'sendForm.answer.data.title': 'A heading: thanks.',
    'sendForm.answer.data.message': 'What to do next, such as to confirm by mail. It may be empty.',
    'sendForm.answer.data.redirectUrl': 'Where to lead the visitor. null: nowhere.',
  },
}
