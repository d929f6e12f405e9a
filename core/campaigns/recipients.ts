import type * as v from 'valibot'
import type { Mails } from '../mails/mails.ts'
import type { Campaign, TestPart } from '../ports/store/campaigns.ts'
import type { Email } from '../ports/store/emails.ts'
import { HAPPENINGS, type MetMetric } from '../ports/store/mails.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { type Page, pageOf, pageRequest } from '../values/page.ts'
import { refused } from '../values/parse.ts'
import type { ListRecipients } from './campaign-request.ts'

/** One page of the campaign's mails, newest first, that all filters fit: those behind a figure. */
export async function recipientsPage(
  store: Store,
  mails: Mails,
  project: Project,
  campaign: Campaign,
  { limit, cursor, status, variant, metric, ...more }: v.InferOutput<typeof ListRecipients>,
): Promise<Page<Email>> {
  const { id: campaignId } = campaign
  const filter = { campaignId, ...(status ? { status } : {}) }
  const counters = () => store.campaignMails.counters(project.id, campaignId)
  const filters = Object.entries(more).filter(([, value]) => value !== undefined)
  const ofTest = { ...(variant ? { variant } : {}), ...(metric ? { met: metOf(campaign) } : {}) }
  if (filters.length > 0 || variant || metric) {
    const asked = { ...filter, limit, ...(cursor === undefined ? {} : { cursor }) }
    const [[what, value] = [], ...others] = filters
    const figure = HAPPENINGS.find((each) => each === what && value === true)
    // a figure is kept, and says at once how long its list is
    const isFigure = others.length === 0 && !status && !metric && (figure !== undefined || what === undefined)
    const kept = figure ?? 'recipients'
    const ofPart = async (part: TestPart, name: Exclude<typeof kept, 'replied'>) =>
      (await store.campaignMails.testCounters(project.id, campaignId)).get(part)?.[name] ?? 0
    const count = !isFigure
      ? undefined
      : !variant
        ? async () => (await counters())[kept]
        : kept === 'replied'
          ? undefined
          : () => ofPart(variant, kept)
    return mails.find(project, { ...asked, ...Object.fromEntries(filters) }, count, ofTest)
  }
  const list = { projectId: project.id, name: `recipients:${campaignId}` }
  const page = pageRequest(list, { limit, cursor })
  const rows = await store.emails.page(project.id, filter, page)
  const countAll = async () => (status ? store.emails.count(project.id, filter) : (await counters()).recipients)
  return pageOf(list, rows, limit, page.after ? 0 : await countAll(), ({ id }) => ({ value: '', id }))
}

/**
 * The metric that the campaign's variants are compared by. Throws EngineError `VALIDATION_ERROR` when it has no test.
 */
function metOf({ test, startedAt }: Campaign): MetMetric {
  if (test?.metric === 'event' && test.event !== undefined) return { event: test.event, from: startedAt ?? new Date(0) }
  if (test !== undefined) return { human: test.metric === 'opens' ? 'opened' : 'clicked' }
  const message = 'needs a campaign with a test: this one has none'
  throw refused([{ field: 'metric', code: 'custom', message }])
}
