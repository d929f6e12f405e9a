/** A parsed message, as the thread answers it. All texts are well-formed Unicode without NUL. */
export interface ParsedMessage {
  readonly messageId: string
  /** The author (`From`), not the reverse path; empty when there is none. */
  readonly from: string
  readonly fromName: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The text that its author newly wrote, as far as lists show it; absent without one. */
  readonly beginning?: string
  /** In order, unfolded and decoded; of very many only the first. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly attachments: readonly ParsedAttachment[]
  /** Sent by a machine, in answer to something or as a report: RFC 3834, RFC 3464 and older headers. */
  readonly isAutomatic: boolean
  /** Something was too long for a record, and was cut; then the whole message is attached. */
  readonly isCut?: boolean
  /** Why it could not be parsed; then the whole message is attached. */
  readonly problem?: string
}

export interface ParsedAttachment {
  readonly filename: string
  readonly contentType: string
  readonly disposition: 'attachment' | 'inline'
  readonly contentId?: string
  readonly bytes: Uint8Array
}

/** The request to the thread. */
export interface ParseQuestion {
  readonly raw: Uint8Array
  /** The reverse path. */
  readonly sender: string
}
