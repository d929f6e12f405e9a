import type { components } from '../../api/client.ts'
import type { Design } from './design.ts'

export type MailSource = components['schemas']['MailSource']
export type MailFormat = MailSource['format']

/** A mail in one of the three ways it is made: drawn, as HTML, or in another format. */
export interface WrittenMail {
  readonly body: string
  readonly design: Design | null
  readonly source: MailSource | null
}

/** The part of it that is sent: the API makes the body of a source, and takes only one of the two. */
export function writtenFields({ body, design, source }: { body: string; design: unknown; source: MailSource | null }) {
  return source === null ? { body, design: design as Record<string, unknown> | null, source } : { source, design: null }
}
