/** A message, read: what the thread answers. All texts are whole Unicode without NUL. */
export interface ParsedMessage {
  readonly messageId: string
  /** The author (`From`), not the reverse path; empty when there is none. */
  readonly from: string
  readonly fromName: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** In their order, unfolded and decoded; of very many the first. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly ParsedAttachment[]
  /** Sent by a machine in answer to something, or about something: RFC 3834, RFC 3464 and what came before them. */
  readonly isAutomatic: boolean
  /** Why it could not be read; then all of it is attached. */
  readonly problem?: string
}

export interface ParsedAttachment {
  readonly filename: string
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  readonly contentId?: string
  readonly bytes: Uint8Array
}

/** What the thread is asked. */
export interface ParseQuestion {
  readonly raw: Uint8Array
  /** The reverse path. */
  readonly sender: string
}
