import type { Mailbox } from '../../ports/mail-transport.ts'
import { asciiAddress, domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'

type Header = readonly [name: string, value: string]

/**
 * The header fields by which the recipient of marketing mail unsubscribes: List-Unsubscribe (RFC 2369), by page and by
 * mail, with List-Unsubscribe-Post for the page (RFC 8058). A sender's own field replaces both, because the second
 * refers to the first.
 */
export function unsubscribeFields(
  { page, address }: { readonly page: string | undefined; readonly address: string | undefined },
  own: readonly Header[],
): readonly Header[] {
  const ways = [page, address && `mailto:${address}?subject=unsubscribe`].flatMap((way) => (way ? `<${way}>` : []))
  if (ways.length === 0 || has(own, 'list-unsubscribe') || has(own, 'list-unsubscribe-post')) return []
  const field: Header = ['List-Unsubscribe', ways.join(', ')]
  return page === undefined ? [field] : [field, ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click']]
}

/** The other fields of marketing mail: List-Id (RFC 2919) and Precedence. A field of the sender's own wins. */
export function listFields(
  list: { readonly projectId: ProjectId; readonly from: Mailbox },
  own: readonly Header[],
): readonly Header[] {
  const fields: readonly Header[] = [
    ['List-Id', listId(list)],
    ['Precedence', 'bulk'],
  ]
  return fields.filter(([name]) => !has(own, name.toLowerCase()))
}

/** `name` is in lower case. */
function has(fields: readonly Header[], name: string): boolean {
  return fields.some(([given]) => given.toLowerCase() === name)
}

/**
 * One list per project and sender domain: its id must stay the same over all mails, or people's filters break with
 * every campaign. The description is the sender's name if it can be written there unencoded and is everybody's.
 */
function listId({ projectId, from }: { readonly projectId: ProjectId; readonly from: Mailbox }): string {
  const id = `<${projectId}.list.${domainOf(asciiAddress(from.email))}>`
  const name = from.name?.trim() ?? ''
  return /^[\x20-\x7e]{1,60}$/.test(name) && !/=\?|\{[{%]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}" ${id}` : id
}
