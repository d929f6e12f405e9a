import type * as v from 'valibot'
import type { Mails } from '../mails/mails.ts'
import type { Email } from '../ports/store/emails.ts'
import { HAPPENINGS } from '../ports/store/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import type { ListRecipients } from './campaign-request.ts'

/** One page of the campaign's mails, newest first, that all filters fit: those behind a figure. */
export async function recipientsPage(
  store: Store,
  mails: Mails,
  project: Project,
  campaignId: string,
  { limit, cursor, status, ...more }: v.InferOutput<typeof ListRecipients>,
): Promise<Page<Email>> {
  const filter = { campaignId, ...(status ? { status } : {}) }
  const counters = () => store.campaignMails.counters(project.id, campaignId)
  const filters = Object.entries(more).filter(([, value]) => value !== undefined)
  if (filters.length > 0) {
    const asked = { ...filter, limit, ...(cursor === undefined ? {} : { cursor }) }
    const [[what, value] = [], ...others] = filters
    const figure = HAPPENINGS.find((each) => each === what && value === true)
    // a figure is kept, and says at once how long its list is
    const count = figure && others.length === 0 && !status ? async () => (await counters())[figure] : undefined
    return mails.find(project, { ...asked, ...Object.fromEntries(filters) }, count)
  }
  const list = { projectId: project.id, name: `recipients:${campaignId}` }
  const page = pageRequest(list, { limit, cursor })
  const rows = await store.emails.page(project.id, filter, page)
  const countAll = async () => (status ? store.emails.count(project.id, filter) : (await counters()).recipients)
  return pageOf(list, rows, limit, page.after ? 0 : await countAll(), ({ id }) => ({ value: '', id }))
}
