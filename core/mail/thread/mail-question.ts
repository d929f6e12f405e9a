import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { JsonObject } from '../../values/json.ts'
import type { MailToFill } from '../email.ts'
import type { LinkSettings } from '../links/links.ts'
import type { BackAddresses, Outgoing } from '../makers.ts'
import type { FilterTrouble } from '../render/filter-troubles.ts'
import type { MailVariables } from '../render/scope.ts'

/** The data that a thread for mails is started with. */
export interface MailThreadData extends LinkSettings {
  /** How long all validation of one request may take, in milliseconds. */
  readonly validationMs: number
}

/** A template source and its field; `mail` is HTML from which a text part is made, too. */
export interface TemplateSource {
  readonly kind: 'subject' | 'html' | 'text' | 'mail'
  readonly source: string
  readonly field: string
}

/** A content by its id; sent whole when the thread does not know it yet. */
interface OfContent {
  readonly id: string
  readonly content?: MailContent
}

/** A request to a thread for mails. */
export type MailQuestion =
  | { readonly ask: 'check'; readonly sources: readonly TemplateSource[] }
  | { readonly ask: 'render'; readonly subject: string; readonly html: string; readonly fill: Fill }
  | { readonly ask: 'links'; readonly content: MailContent }
  | ContentQuestion

/** A request about a content. */
export type ContentQuestion = OfContent &
  (
    | { readonly ask: 'validate'; readonly variables: readonly JsonObject[] }
    | ({ readonly ask: 'mail'; readonly email: MailToFill; readonly date: Date } & Required<
        Pick<Outgoing, 'unwanted' | 'ways'>
      >)
    | { readonly ask: 'keys' }
    | { readonly ask: 'rendered' | 'finished'; readonly email: Email; readonly ways: BackAddresses }
    | { readonly ask: 'target'; readonly email: Email; readonly number: number }
  )

/** The values for a preview. */
export interface Fill {
  readonly variables: JsonObject
  readonly mailVariables: MailVariables
}

/** A rendered mail: its subject, HTML and text, filled in for its recipient. */
export interface RenderedMail {
  /** The subject, filled in. */
  readonly subject: string
  /** The HTML, filled in, with its layout. */
  readonly html: string
  /** The plain text: as written, or made from the HTML. */
  readonly text: string
}

/** A rendered mail, with the filters that could not do their work on the recipient's values. */
export interface CheckedRendering extends RenderedMail {
  readonly troubles: readonly FilterTrouble[]
}

/** A mail as it leaves: with tracked links, the pixel and the footer. */
export interface FinishedMail extends CheckedRendering {
  /** Whether each part shows a way to unsubscribe. */
  readonly wayOut: { readonly html: boolean; readonly text: boolean }
}

/** The thread does not know the content. */
export const UNKNOWN = 'unknown content'
