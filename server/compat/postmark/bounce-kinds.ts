/** A kind of bounce as Postmark writes it (https://postmarkapp.com/developer/api/bounce-api#bounce-types). */
export interface BounceKind {
  readonly Type: string
  readonly TypeCode: number
  readonly Name: string
  readonly Description: string
}

/** The kinds that are known apart here. */
export const BOUNCES = {
  hard: {
    Type: 'HardBounce',
    TypeCode: 1,
    Name: 'Hard bounce',
    Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
  },
  transient: {
    Type: 'Transient',
    TypeCode: 2,
    Name: 'Message delayed',
    Description: 'The server could not temporarily deliver your message. It is tried again.',
  },
  complaint: {
    Type: 'SpamComplaint',
    TypeCode: 100_001,
    Name: 'Spam complaint',
    Description: 'The subscriber explicitly marked this message as spam.',
  },
} as const satisfies Readonly<Record<string, BounceKind>>
