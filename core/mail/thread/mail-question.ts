import type { MailContent } from '../../ports/store/contents.ts'
import type { Email } from '../../ports/store/emails.ts'
import type { JsonObject } from '../../values/json.ts'
import type { MailToFill } from '../email.ts'
import type { Outgoing, WaysBack } from '../makers.ts'
import type { MailVariables } from '../render/scope.ts'

/** A source that is to be a template, and the field it stands in; `mail` is HTML from which a text part is made, too. */
export interface TemplateSource {
  readonly kind: 'subject' | 'html' | 'text' | 'mail'
  readonly source: string
  readonly field: string
}

/** A content by its id; with its words when the thread does not know it yet. */
interface OfContent {
  readonly id: string
  readonly content?: MailContent
}

/** What a thread for mails is asked. */
export type MailQuestion =
  | { readonly ask: 'check'; readonly sources: readonly TemplateSource[] }
  | { readonly ask: 'render'; readonly subject: string; readonly html: string; readonly fill: Fill }
  | { readonly ask: 'links'; readonly content: MailContent }
  | ContentQuestion

/** What it is asked about a content. */
export type ContentQuestion = OfContent &
  (
    | { readonly ask: 'validate'; readonly variables: readonly JsonObject[] }
    | ({ readonly ask: 'mail'; readonly email: MailToFill; readonly date: Date } & Required<
        Pick<Outgoing, 'unwanted' | 'ways'>
      >)
    | { readonly ask: 'keys' }
    | { readonly ask: 'rendered'; readonly email: Email; readonly ways: WaysBack }
    | { readonly ask: 'target'; readonly email: Email; readonly number: number }
  )

/** What a preview is filled in with. */
export interface Fill {
  readonly variables: JsonObject
  readonly mailVariables: MailVariables
}

/** What a mail says, filled in for its recipient. */
export interface RenderedMail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** The thread does not know the content. */
export const UNKNOWN = 'unknown content'
