/* SQL by hand: hot path: the contents of many mails, a statement of each kind for all of them. */
import type { ContentAttachment, MailContent } from '../../../../../core/ports/store/contents.ts'
import { Pace } from '../../../../../core/values/pace.ts'
import type { Dialect } from '../../engine/dialect.ts'
import { valuesInOrder } from '../../engine/in-order.ts'
import type { Session } from '../../engine/session.ts'
import type { StoredAttachment, Tables } from '../../engine/tables.ts'

/** Stores contents that are not stored yet. It looks up their ids first, since most mails repeat a content. */
export async function storeContents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  contents: ReadonlyMap<string, MailContent>,
): Promise<void> {
  if (contents.size === 0) return
  // locked, so that none is removed meanwhile because no mail uses it
  const sql = `select "id" from "mail_contents" where "id" ${dialect.listed('uuid')} order by "id"${dialect.keepRows('"mail_contents"')}`
  const unknown = new Map(contents)
  for (const { id } of await session.all(sql, [dialect.list([...contents.keys()])])) unknown.delete(String(id))
  if (unknown.size === 0) return
  const missing = valuesInOrder(unknown)
  const packed: MailContent[] = []
  for (const content of missing) packed.push(await withPackedTexts(dialect, content))
  await tables.contents.insert(session, packed, 'on conflict ("id") do nothing')
  const attachments = missing.flatMap(({ id, attachments: given }) =>
    given.map((attachment, position) => ({ ...attachment, mailContentId: id, position })),
  )
  await tables.attachments.insert(session, attachments, 'on conflict do nothing')
}

/** Reads contents with their attachments, up to `maxBytes` in all. Unknown ids are left out. */
export async function readContents(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  ids: readonly string[],
  maxBytes: number | undefined,
): Promise<readonly MailContent[]> {
  const wanted = maxBytes === undefined ? ids : await within(maxBytes, dialect, session, [...new Set(ids)])
  const texts = await readTexts(dialect, tables, session, wanted)
  const attachments = `select ${tables.attachments.list} from "mail_attachments"
    where "mail_content_id" ${dialect.listed('uuid')} order by "mail_content_id", "position"`
  const parts = new Map<string, ContentAttachment[]>()
  for (const row of await session.all(attachments, [dialect.list([...new Set(wanted)])])) {
    const part = tables.attachments.record(row)
    const list = parts.get(part.mailContentId)
    if (list) list.push(attachmentOf(part))
    else parts.set(part.mailContentId, [attachmentOf(part)])
  }
  return texts.map((content) => ({ ...content, attachments: parts.get(content.id) ?? [] }))
}

/** The same without their attachments. */
async function readTexts(
  dialect: Dialect,
  tables: Tables,
  session: Session,
  ids: readonly string[],
): Promise<readonly MailContent[]> {
  const wanted = [dialect.list([...new Set(ids)])]
  const contents = `select ${tables.contents.list} from "mail_contents" where "id" ${dialect.listed('uuid')}`
  const pace = new Pace()
  const rows = await pace.run(() => session.all(contents, wanted))
  const read: MailContent[] = []
  for (const row of rows) {
    const html = await dialect.unpacked(row.html)
    const text = await dialect.unpacked(row.text)
    const content = await pace.run(() => tables.contents.record({ ...row, html, text }))
    read.push({ ...content, attachments: [] })
  }
  return read
}

/** The content as a row takes it, whose column for texts also encodes what `packed` answers. */
async function withPackedTexts(dialect: Dialect, content: MailContent): Promise<MailContent> {
  const html = (await dialect.packed(content.html)) as string
  if (content.text === undefined) return { ...content, html }
  return { ...content, html, text: (await dialect.packed(content.text)) as string }
}

/** The first of these contents that fit into `maxBytes` with their attachments, one at least. */
async function within(
  maxBytes: number,
  dialect: Dialect,
  session: Session,
  ids: readonly string[],
): Promise<readonly string[]> {
  const listed = dialect.listed('uuid')
  const sql = `select "id", ${dialect.octets('"html"')} + coalesce(${dialect.octets('"text"')}, 0) as "size" from "mail_contents"
    where "id" ${listed} union all
    select "mail_content_id" as "id", octet_length("bytes") as "size" from "mail_attachments" where "mail_content_id" ${listed}`
  const sizes = new Map<string, number>()
  for (const { id, size } of await session.all(sql, [dialect.list(ids), dialect.list(ids)])) {
    sizes.set(String(id), (sizes.get(String(id)) ?? 0) + Number(size))
  }
  let sum = 0
  return ids.filter((id, i) => {
    sum += sizes.get(id) ?? 0
    return i === 0 || sum <= maxBytes
  })
}

function attachmentOf({ mailContentId, position, ...attachment }: StoredAttachment): ContentAttachment {
  return attachment
}
