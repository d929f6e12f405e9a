import { inject, injectable } from '../di.ts'
import type { FieldProblem } from '../errors.ts'
import { EngineError } from '../errors.ts'
import type { Filter } from '../filters/filter.ts'
import { Filters } from '../filters/filters.ts'
import { filterProblems } from '../filters/read-filter.ts'
import { Store } from '../ports/store.ts'
import { type Project, requireVerifiedDomain } from '../projects/project.ts'
import { Rendering } from '../rendering/rendering.ts'
import { sameFilter } from '../segments/same-filter.ts'
import { missingSegment } from '../segments/segment.ts'
import { compileWords } from '../sending/mail-words.ts'
import type { Template } from '../templates/template.ts'
import { isId } from '../values/id.ts'
import type { Untrusted } from '../values/json.ts'
import { parse, refused } from '../values/parse.ts'
import type { Campaign } from './campaign.ts'
import { WriteCampaign } from './campaign-request.ts'

/** What a request says of a campaign; the rest is the engine's. */
export type CampaignFields = Pick<
  Campaign,
  | 'name'
  | 'description'
  | 'subject'
  | 'body'
  | 'from'
  | 'fromName'
  | 'replyTo'
  | 'templateId'
  | 'audienceType'
  | 'segmentId'
  | 'audienceFilter'
>

/** Reads what campaigns are made of and replaced with. */
@injectable()
export class ReadCampaign {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Filters) private readonly filters: Filters,
    @inject(Rendering) private readonly rendering: Rendering,
  ) {}

  /**
   * All of a campaign's fields; what a template has is taken from it where the request gives none. Throws EngineError
   * `VALIDATION_ERROR` (also for placeholders that do not parse, with line and column), `TEMPLATE_NOT_FOUND`,
   * `SEGMENT_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`.
   */
  async fields(project: Project, input: Untrusted): Promise<CampaignFields> {
    const request = parse(WriteCampaign, input, campaignProblems)
    const template = await this.#template(project, request.template ?? request.templateId)
    const subject = request.subject ?? template?.subject
    const body = request.body ?? template?.body
    const from = request.from?.email ?? template?.from
    if (subject === undefined || body === undefined || from === undefined) throw absent({ subject, body, from })
    const fromName = request.fromName ?? (request.from ? request.from.name : undefined) ?? template?.fromName
    const replyTo = request.replyTo ?? template?.replyTo
    const fields = {
      ...{ name: request.name, subject, body, from },
      ...(request.description == null ? {} : { description: request.description }),
      ...(fromName ? { fromName } : {}),
      ...(replyTo === undefined ? {} : { replyTo }),
      ...(template ? { templateId: template.id } : {}),
      ...(await this.#audience(project, request)),
    }
    compileWords(this.rendering, { subject, html: body })
    requireVerifiedDomain(project, from)
    return fields
  }

  async #template(project: Project, id: string | null | undefined): Promise<Template | undefined> {
    if (id == null) return undefined
    const template = isId(id) ? await this.store.templates.find(project.id, id) : undefined
    if (!template) throw new EngineError('TEMPLATE_NOT_FOUND', `There is no template ${id}.`)
    return template
  }

  /** Of the three ways only what belongs to the chosen one is kept. */
  async #audience(
    project: Project,
    request: WriteCampaign,
  ): Promise<Pick<Campaign, 'audienceType' | 'segmentId' | 'audienceFilter'>> {
    const { audienceType, segmentId: id } = request
    if (audienceType === 'ALL') return { audienceType }
    if (audienceType === 'FILTERED') return { audienceType, audienceFilter: await this.#filter(project, request) }
    if (id == null) throw refused([NO_SEGMENT])
    const segment = isId(id) ? await this.store.segments.find(project.id, id) : undefined
    return { audienceType, segmentId: (segment ?? missingSegment(id)).id }
  }

  /** Under either name, or under both when they say the same, as in a record that was read before. */
  async #filter(project: Project, request: WriteCampaign): Promise<Filter> {
    const read: Filter[] = []
    for (const field of ['audienceFilter', 'audienceCondition'] as const) {
      if (request[field] != null) read.push(await this.filters.read(project, request[field], field))
    }
    const [filter, other = filter] = read
    if (filter === undefined) throw refused([NO_FILTER])
    if (sameFilter(filter, other)) return filter
    throw refused([{ field: 'audienceCondition', code: 'custom', message: 'says something else than audienceFilter' }])
  }
}

function absent(fields: Readonly<Record<string, string | undefined>>): EngineError {
  const missing = Object.entries(fields).filter(([, value]) => value === undefined)
  return refused(missing.map(([field]) => required(field, 'is required: the template has none')))
}

const NO_SEGMENT = required('segmentId', 'is required when audienceType is SEGMENT')
const NO_FILTER = required('audienceFilter', 'is required when audienceType is FILTERED')

/** What is wrong between the fields of a campaign, as far as the request shows it. */
function* campaignProblems(given: Partial<WriteCampaign>): Generator<FieldProblem> {
  if (given.template == null && given.templateId == null) {
    for (const field of ['subject', 'body', 'from'] as const) {
      if (given[field] == null) yield required(field, 'is required when there is no template')
    }
  }
  if (given.audienceType === 'SEGMENT' && !given.segmentId) yield NO_SEGMENT
  if (given.audienceType !== 'FILTERED') return
  const { audienceFilter, audienceCondition } = given
  if (audienceFilter == null && audienceCondition == null) yield NO_FILTER
  yield* filterProblems(audienceFilter, 'audienceFilter')
  yield* filterProblems(audienceCondition, 'audienceCondition')
}

function required(field: string, message: string): FieldProblem {
  return { field, code: 'required', message }
}
