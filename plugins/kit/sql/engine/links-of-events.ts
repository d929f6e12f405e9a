import { linkId } from '../repositories/emails/link-clicks.ts'

/** How many links one statement inserts. */
const AT_ONCE = 500

/**
 * The statements that insert links which were clicked before there was a table of them. Whether an address was made of
 * a recipient's values is not known any more, so it counts as if it was; `yes` is how the database writes that.
 */
export function* insertsOfLinks(found: readonly Readonly<Record<string, unknown>>[], yes: string): Generator<string> {
  for (let at = 0; at < found.length; at += AT_ONCE) {
    const rows = found.slice(at, at + AT_ONCE).map(({ project_id, url }) => {
      const text = String(url)
      return `('${project_id}', '${linkId(text)}', '${text.replaceAll("'", "''")}', ${yes})`
    })
    yield `insert into "links" ("project_id", "id", "url", "personal") values ${rows.join(', ')}`
  }
}
