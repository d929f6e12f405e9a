import { reworded } from '../reworded.ts'
import { liquid } from './liquid.ts'

/** Refusals of the API in words for people, where its own speak to programs. By its code. */
export const refusals = {
  byCode: {
    DOMAIN_NOT_VERIFIED: {
      message: 'This project may not send from this address yet.',
      suggestion:
        'Receivers only trust mail from a domain that says you may send for it. Add the domain of the address if it is missing, and enter the records shown there where the domain is managed.',
    },
    VERSION_CONFLICT: { message: 'Someone else changed this meanwhile.' },
    PROJECT_NOT_FOUND: {
      message: 'This project is not there, or is no longer open to you.',
      suggestion: 'If you were removed from it, ask one of its owners.',
    },
    INVALID_SESSION: { message: 'Your session has ended.', suggestion: 'Sign in again.' },
    PAYLOAD_TOO_LARGE: {
      message: 'That is too large.',
      suggestion: 'A picture or a CSV file may have 5 MB, the attachments of a mail 10 MB in all. Make it smaller.',
    },
    INTERNAL_SERVER_ERROR: {
      message: 'Something went wrong on the server.',
      suggestion: 'Try again. If it keeps happening, contact the person who runs the server.',
    },
  } as Readonly<Record<string, { readonly message: string; readonly suggestion?: string }>>,
  /** The refusal in the reader's language, which the API words in English. */
  sentence: (message: string, _code: string): string => message,
  /** The problem with a field, which the API says in English; its reason is for programs, which see no form. */
  problem: (message: string, _code?: string): string =>
    /^is required (when|for|with) /.test(message) ? 'is required' : reworded(message, liquid),
  /** The label that opens the server's own words, where others are shown. */
  details: 'Details',
  sender: 'The domain of this address is not among the domains of the project. Add it under Domains first.',
  toDomains: 'Go to Domains',
}
