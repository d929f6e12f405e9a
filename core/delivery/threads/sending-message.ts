import type { SigningKey } from '../../mail/dkim/sign-message.ts'
import type { MailToFill } from '../../mail/email.ts'
import type { LinkSettings } from '../../mail/links/links.ts'
import type { BackAddresses, MadeMail } from '../../mail/makers.ts'
import type { ThreadModule } from '../../ports/mail-transport.ts'
import type { MailContent } from '../../ports/store/contents.ts'
import type { ThreadProblem } from '../../work/thread.ts'

/** The data that a thread that sends is started with. */
export interface SendingThreadData extends Pick<LinkSettings, 'publicUrl' | 'secret'> {
  readonly transports: readonly ThreadTransport[]
}

/** A transport that the thread opens itself, with its own connections. */
export interface ThreadTransport extends ThreadModule {
  readonly name: string
  /** The name by which mails refer to it: of two with the same name, the second may replace the first. */
  readonly key: string
}

/** One mail to make and to hand over. */
export interface SendingOrder {
  readonly number: number
  /** Its key. */
  readonly transport: string
  readonly contentId: string
  readonly email: MailToFill
  readonly date: Date
  /** Addresses that get no copy. */
  readonly unwanted?: ReadonlySet<string>
  readonly ways: BackAddresses
  readonly made?: MadeMail
}

/** A message to a thread that sends. They arrive in order, so a content is there before its first mail. */
export type ToThread =
  | { readonly do: 'keep content'; readonly content: MailContent }
  | { readonly do: 'forget content'; readonly contentId: string }
  /** The keys of a project's mail from a domain; `owner` is made by `ownerOf`. */
  | { readonly do: 'keep keys'; readonly owner: string; readonly keys: readonly SigningKey[] }
  | { readonly do: 'forget keys' }
  | { readonly do: 'open transport'; readonly transport: ThreadTransport }
  /** It has no mail in hand any more. */
  | { readonly do: 'close transport'; readonly key: string }
  | ({ readonly do: 'send' } & SendingOrder)
  | { readonly do: 'abort'; readonly number: number }
  | { readonly do: 'close' }

/** A message from a thread that sends. */
export type FromThread =
  | { readonly it: 'is ready' }
  /** It has read the message to abort a mail, so it does not hang. */
  | { readonly it: 'hears' }
  /** It cannot send; nothing was handed over. */
  | { readonly it: 'failed'; readonly reason: string }
  | {
      readonly it: 'sent'
      readonly number: number
      readonly subject: string
      readonly recipients: readonly string[]
      /** The transport's answer, unchecked. */
      readonly answer: unknown
    }
  /** The mail could not be made; `isSlow` when that took too long for this thread. */
  | {
      readonly it: 'made nothing'
      readonly number: number
      readonly problem: ThreadProblem
      readonly isSlow: boolean
    }
  /** The transport threw: it is unknown whether the mail was handed over. */
  | {
      readonly it: 'knows nothing'
      readonly number: number
      readonly subject: string
      readonly recipients: readonly string[]
      readonly reason: string
      /** The conversation before, unchecked. */
      readonly conversation?: unknown
    }
  | {
      readonly it: 'logs'
      readonly level: 'debug' | 'info' | 'warn' | 'error'
      readonly message: string
      readonly fields: Readonly<Record<string, unknown>>
    }

/** Whose keys sign: a project's mail from a domain. */
export function ownerOf(projectId: string, domain: string): string {
  return `${projectId} ${domain}`
}
