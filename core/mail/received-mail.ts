import type { ContentAttachment, MailContent } from '../ports/store/contents.ts'
import type { Email } from '../ports/store/emails.ts'

/** A received mail's record besides its text; empty or `null` after deletion. */
export interface ReceivedDetail {
  /** The project's addresses it was sent to. */
  readonly recipients: readonly string[]
  readonly headers: ReturnType<typeof headersByName>
  readonly attachments: ReturnType<typeof listedAttachments>
  readonly spf: string | null
  readonly dkim: string | null
  readonly dmarc: string | null
}

/** Everything stored of a received mail; `urlOf` answers an attachment's address, by its place. */
export function receivedDetail(
  { variables }: Email,
  { headers, attachments }: MailContent,
  urlOf: (place: number) => string,
): ReceivedDetail {
  const { to, spf, dkim, dmarc } = variables
  const word = (value: unknown) => (typeof value === 'string' ? value : null)
  return {
    recipients: Array.isArray(to) ? to.filter((each) => typeof each === 'string') : [],
    headers: headersByName(headers),
    attachments: listedAttachments(attachments, urlOf),
    spf: word(spf),
    dkim: word(dkim),
    dmarc: word(dmarc),
  }
}

/** Attachments without their bytes. */
export function listedAttachments(
  attachments: readonly Pick<ContentAttachment, 'filename' | 'contentType' | 'contentId' | 'bytes'>[],
  urlOf: (place: number) => string,
) {
  return attachments.map(({ filename, contentType, contentId, bytes }, place) => {
    const named = contentId === undefined ? undefined : { contentId }
    return { filename, contentType, ...named, size: bytes.length, url: urlOf(place) }
  })
}

/** Header values by lower-case name; a list for a field that occurs several times. */
export function headersByName(headers: MailContent['headers']): Readonly<Record<string, string | string[]>> {
  const fields: Record<string, string | string[]> = Object.create(null)
  for (const [given, value] of headers) {
    const name = given.toLowerCase()
    const before = fields[name]
    if (before === undefined) fields[name] = value
    else if (Array.isArray(before)) before.push(value)
    else fields[name] = [before, value]
  }
  return { ...fields }
}
