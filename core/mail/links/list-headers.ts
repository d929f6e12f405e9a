import type { Mailbox } from '../../ports/mail-transport.ts'
import { asciiAddress, domainOf } from '../../values/email-address.ts'
import type { ProjectId } from '../../values/project-id.ts'

type Header = readonly [name: string, value: string]

/**
 * The header fields of marketing mail: List-Unsubscribe (RFC 2369), by page and by mail, with List-Unsubscribe-Post for
 * the page (RFC 8058), List-Id (RFC 2919) and Precedence. A field of the sender's own wins; a sender's List-Unsubscribe
 * replaces both fields of the pair, because the second refers to the first.
 */
export function listHeaders(
  list: {
    readonly projectId: ProjectId
    readonly from: Mailbox
    readonly unsubscribeUrl: string | undefined
    readonly unsubscribeAddress?: string | undefined
  },
  own: readonly Header[],
): readonly Header[] {
  const given = new Set(own.map(([name]) => name.toLowerCase()))
  const headers: Header[] = []
  const { unsubscribeUrl: page, unsubscribeAddress: address } = list
  const ways = [page, address && `mailto:${address}?subject=unsubscribe`].flatMap((way) => (way ? `<${way}>` : []))
  if (ways.length > 0 && !given.has('list-unsubscribe') && !given.has('list-unsubscribe-post')) {
    headers.push(['List-Unsubscribe', ways.join(', ')])
    if (page !== undefined) headers.push(['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'])
  }
  if (!given.has('list-id')) headers.push(['List-Id', listId(list)])
  if (!given.has('precedence')) headers.push(['Precedence', 'bulk'])
  return headers
}

/**
 * One list per project and sender domain: its id must stay the same over all mails, or people's filters break with
 * every campaign. The description is the sender's name if it can be written there unencoded.
 */
function listId({ projectId, from }: { readonly projectId: ProjectId; readonly from: Mailbox }): string {
  const id = `<${projectId}.list.${domainOf(asciiAddress(from.email))}>`
  const name = from.name?.trim() ?? ''
  return /^[\x20-\x7e]{1,60}$/.test(name) && !name.includes('=?') ? `"${name.replace(/["\\]/g, '\\$&')}" ${id}` : id
}
