import { type HeaderFields, type MimeMessage, readFields } from './mime.ts'
import type { ParsedReport } from './parsed-report.ts'

/** How many Message-IDs and return paths are looked at. */
const MAX_NAMES = 20

/** Finds what may identify our mail: in the header of the returned mail, and wherever the text quotes it. */
export function namesIn(message: MimeMessage, text: string): Pick<ParsedReport, 'messageIds' | 'returnPaths'> {
  const ids = new Set<string>()
  const paths = new Set<string>()
  const look = (fields: HeaderFields) => {
    for (const name of ['message-id', 'x-original-message-id', 'original-message-id']) {
      for (const value of fields.all(name)) add(ids, /<[^<>\s]{3,250}>/.exec(value.slice(0, 1000))?.[0])
    }
    const named = [
      'return-path',
      'x-return-path',
      'original-mail-from',
      'x-envelope-from',
      'x-postfix-sender',
      'x-original-mail-from',
    ]
    for (const value of named.flatMap((name) => fields.all(name))) for (const path of pathsIn(value)) add(paths, path)
  }
  for (const part of message.parts) {
    if (
      /^(?:message|text)\/(?:rfc822|rfc822-headers|global|global-headers|feedback-report|delivery-status)/.test(
        part.type,
      )
    ) {
      look(readFields(/status|report/.test(part.type) ? part.text() : headerOf(part.text())))
    }
  }
  for (const name of ['in-reply-to', 'references']) {
    for (const value of message.fields.all(name))
      for (const [id] of value.slice(0, 4000).matchAll(/<[^<>\s]{3,250}>/g)) add(ids, id)
  }
  for (const name of ['to', 'delivered-to', 'x-original-to', 'envelope-to']) {
    for (const value of message.fields.all(name)) for (const path of pathsIn(value)) add(paths, path)
  }
  for (const [, id] of text.matchAll(/^[> \t]{0,20}(?:X-)?(?:Original-)?Message-ID:\s{0,3}(<[^<>\s]{3,250}>)/gim))
    add(ids, id)
  for (const path of pathsIn(text)) add(paths, path)
  return { messageIds: [...ids], returnPaths: [...paths] }
}

/** The header of a mail inside another; some servers put an empty line before it. */
export function headerOf(text: string): string {
  return text.trimStart().split(/\r?\n\r?\n/, 1)[0] ?? ''
}

function add(names: Set<string>, name: string | undefined): void {
  if (name !== undefined && names.size < MAX_NAMES) names.add(name)
}

/** Addresses that look like our return paths; the signature is checked elsewhere. */
function pathsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bb\+[0-9a-f]{52}@[\w.-]{1,253}/gi)].slice(0, MAX_NAMES).map(([path]) => path)
}
