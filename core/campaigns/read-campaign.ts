import type { FieldProblem } from '../errors.ts'
import { EngineError } from '../errors.ts'
import { asPlunkWroteIt } from '../filters/as-written.ts'
import type { Filters } from '../filters/filters.ts'
import { filterProblems } from '../filters/read-filter.ts'
import { mailSources } from '../mail/compile-mail.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { designAfter, designProblems } from '../mail/design.ts'
import type { Formats } from '../mail/formats/formats.ts'
import { sourceAfter, sourceProblems } from '../mail/formats/source.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { Filter } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import type { NameableTransports } from '../projects/nameable-transports.ts'
import { isOwnDomain, requireOwnDomain, requireVerifiedDomain } from '../projects/project.ts'
import { sameFilter } from '../segments/same-filter.ts'
import { missingSegment } from '../segments/segment.ts'
import { withTopic } from '../subscriptions/named-topic.ts'
import { checkContent } from '../templates/check-content.ts'
import { namedTemplate } from '../templates/named-template.ts'
import { definedOnly } from '../values/defined-only.ts'
import { isId } from '../values/id.ts'
import { isJsonObject, type JsonObject, type Untrusted } from '../values/json.ts'
import { noteWarning, parse, refused } from '../values/parse.ts'
import { nextVersion } from '../values/record-version.ts'
import { misnamedTimes } from '../values/unknown-keys.ts'
import { utmOf } from '../values/utm.ts'
import { ChangeCampaign, WriteCampaign } from './campaign-request.ts'
import { type CampaignFields, type ChangedFields, rescheduled } from './changed-campaign.ts'
import { planOf, planProblems } from './send-plan.ts'
import { readVariants, testAfter, variantProblems } from './variants/read-variants.ts'

/** Reads requests that create or change campaigns. */
export class ReadCampaign {
  constructor(
    private readonly store: Store,
    private readonly filters: Filters,
    private readonly mails: CompiledMails,
    private readonly formats: Formats,
    private readonly nameable: NameableTransports,
  ) {}

  /**
   * All fields of a new campaign. What the request leaves out comes from its template, the sender also from the
   * project. Throws EngineError `VALIDATION_ERROR` (also for placeholders that do not parse, with line and column),
   * `TEMPLATE_NOT_FOUND`, `SEGMENT_NOT_FOUND`, `DOMAIN_NOT_VERIFIED`.
   */
  async fields(project: Project, input: Untrusted): Promise<CampaignFields> {
    const given = parse(WriteCampaign, input, (fields) => newCampaignProblems(fields, project))
    warnOfTime(input)
    this.nameable.require(project.id, given.transport)
    return this.#whole(project, given, input)
  }

  async #whole(project: Project, given: WriteCampaign, input: Untrusted): Promise<CampaignFields> {
    const request = await withTopic(this.store, project.id, await this.formats.written(project, given, input))
    const found = await this.#lookUp(project, request)
    const { template } = found
    const subject = request.subject ?? template?.subject
    const body = request.body ?? template?.body
    const from = request.from?.email ?? template?.from ?? project.from?.email
    if (subject === undefined || body === undefined || from === undefined) throw absent({ subject, body, from })
    const { name, audienceType } = request
    const fields = {
      ...written(request, template),
      name,
      subject,
      body,
      from,
      ...designAfter(template, request, body),
      ...sourceAfter(template, request, body),
      ...audience(audienceType, found),
      ...(request.variants || request.test ? await this.#tested(project, request, input) : {}),
    }
    await checkContent(this.mails, this.store, mailSources(fields), { ...fields, projectId: project.id, input })
    await requireOwnDomain(this.store, project, from)
    return fields
  }

  /**
   * Reads a change: a function that answers all fields of the given campaign after the change. A request with all
   * required fields replaces it. Of another one, which is warned of that, what it leaves out stays; null removes an
   * optional field; a new template fills in what the request does not give. With `onlyNamed` what is left out stays in
   * any case. Both throw as `fields` does.
   */
  async change(
    project: Project,
    input: Untrusted,
    onlyNamed: boolean,
  ): Promise<(before: Campaign, now: Date) => ChangedFields> {
    const given = parse(ChangeCampaign, input, (fields, sent) => [...changeProblems(fields), ...misnamedTimes(sent)])
    const [missing, ...others] = REQUIRED.filter((field) =>
      field === 'body' && given.source ? false : given[field] == null,
    )
    const { name, audienceType } = given
    if (missing === undefined && !onlyNamed && name && audienceType) {
      const fields = await this.#whole(project, { ...given, name, audienceType }, input)
      return (before, now) => {
        const version = nextVersion('campaign', before, given.version)
        this.#requireNew(project, before, given)
        return {
          version,
          ...rescheduled(before, given, now),
          ...fields,
          ...designAfter(before, { ...given, ...fields }, fields.body),
          ...sourceAfter(before, { ...given, ...fields }, fields.body),
        }
      }
    }
    const request = await withTopic(this.store, project.id, await this.formats.written(project, given, input))
    if (missing !== undefined && !onlyNamed) noteWarning(input, { field: missing, message: isPartial(others) })
    const found = await this.#lookUp(project, request)
    const variants = request.variants && (await this.#variants(project, request, input))
    // a template's content was checked when it was stored
    const sources = mailSources({ ...request, fromName: request.fromName ?? request.from?.name })
    await checkContent(this.mails, this.store, sources, { ...request, projectId: project.id, input })
    const wanted = request.from?.email ?? found.template?.from
    const isOwn = wanted === undefined || (await isOwnDomain(this.store, project, wanted))
    return (before, now) => {
      const version = nextVersion('campaign', before, given.version)
      this.#requireNew(project, before, given)
      const misfits = [...audienceMisfits(request.audienceType ?? before.audienceType, request)]
      if (misfits.length > 0) throw refused(misfits)
      const template = found.template?.id === before.templateId ? undefined : found.template
      const { description, preheader, layoutId, topicId, fromName, replyTo, headers } = before
      const { transport, utm, templateId, plan } = before
      const kept = {
        description,
        preheader,
        layoutId,
        topicId,
        fromName,
        replyTo,
        headers,
        transport,
        utm,
        templateId,
        plan,
      }
      const body = request.body ?? template?.body ?? before.body
      const fields = {
        version,
        ...definedOnly({ ...kept, ...written(request, template), ...takenAway(request) }),
        name: request.name ?? before.name,
        subject: request.subject ?? template?.subject ?? before.subject,
        body,
        ...designAfter(before.body === body ? before : template, request, body),
        ...sourceAfter(before.body === body ? before : template, request, body),
        from: request.from?.email ?? template?.from ?? before.from,
        ...audience(request.audienceType ?? before.audienceType, {
          segmentId: found.segmentId ?? before.segmentId,
          filter: found.filter ?? filterIn(before),
        }),
        ...testAfter(before, variants, request.test),
        ...rescheduled(before, given, now),
      }
      // an unchanged sender is checked again when the campaign is sent
      if (fields.from !== before.from && !isOwn) requireVerifiedDomain(project, fields.from)
      return fields
    }
  }

  /** A transport that the campaign names already stays, whatever became of it: a record may be sent back as it was read. */
  #requireNew(project: Project, before: Campaign, { transport }: ChangeCampaign): void {
    if (transport !== before.transport) this.nameable.require(project.id, transport)
  }

  /** Loads what the request refers to. */
  async #lookUp(project: Project, request: ChangeCampaign): Promise<Found> {
    const name = request.template ?? request.templateId
    const { segmentId } = request
    return {
      template: name == null ? undefined : await namedTemplate(this.store, project, name),
      segmentId: segmentId == null ? undefined : await this.#segment(project, segmentId),
      filter: await this.#filter(project, request),
    }
  }

  async #tested(project: Project, request: ChangeCampaign, input: Untrusted) {
    return testAfter({}, await this.#variants(project, request, input), request.test)
  }

  /** The variants of the request as they are stored. */
  #variants(project: Project, { variants, layoutId }: ChangeCampaign, input: Untrusted) {
    const { mails, formats, store } = this
    return readVariants({ mails, formats, store }, project, variants ?? [], layoutId, input)
  }

  async #segment(project: Project, id: string): Promise<string> {
    const segment = isId(id) ? await this.store.segments.find(project.id, id) : undefined
    return (segment ?? missingSegment(id)).id
  }

  /** The filter under either name, or under both when they agree, as in a record that was read before. */
  async #filter(project: Project, request: ChangeCampaign): Promise<AudienceFilter | undefined> {
    const read: AudienceFilter[] = []
    for (const field of FILTERS) {
      const given = request[field]
      if (given == null) continue
      const audienceFilter = await this.filters.read(project, given, field)
      const audienceCondition = asPlunkWroteIt(given)
      read.push({ audienceFilter, ...(audienceCondition ? { audienceCondition } : {}) })
    }
    const [filter, other] = read
    if (filter && other && !sameFilter(filter.audienceFilter, other.audienceFilter)) {
      const message = 'contradicts audienceFilter'
      throw refused([{ field: 'audienceCondition', code: 'custom', message }])
    }
    return filter && { ...filter, ...other }
  }
}

/** A change that has all of these replaces the campaign. */
const REQUIRED = ['name', 'subject', 'body', 'from', 'audienceType'] as const

function isPartial(others: readonly string[]): string {
  const also = others.length === 0 ? '' : ` (and ${others.join(' and ')})`
  return `is left out${also}: only what the body names was changed. A body with ${REQUIRED.join(' and ')} replaces all`
}

const FILTERS = ['audienceFilter', 'audienceCondition'] as const

interface AudienceFilter {
  readonly audienceFilter: Filter
  readonly audienceCondition?: JsonObject
}

interface Found {
  readonly template?: Template | undefined
  readonly segmentId: string | undefined
  readonly filter: AudienceFilter | undefined
}

/** The optional fields from the request or its template. */
function written(request: ChangeCampaign, template: Template | undefined) {
  const { description, replyTo = template?.replyTo, fromName, headers, transport, utm } = request
  const plan = request.plan == null ? undefined : planOf(request.plan)
  // another body has other first words to say
  const { preheader = request.body == null ? template?.preheader : undefined } = request
  const { layoutId = template?.layoutId, topicId = template?.topicId } = request
  const name = fromName ?? request.from?.name ?? template?.fromName
  return {
    ...(description == null ? {} : { description }),
    ...(preheader == null ? {} : { preheader }),
    ...(layoutId == null ? {} : { layoutId }),
    ...(topicId == null ? {} : { topicId }),
    ...(name ? { fromName: name } : {}),
    ...(replyTo == null ? {} : { replyTo }),
    ...(headers == null || headers.length === 0 ? {} : { headers }),
    ...(transport == null ? {} : { transport }),
    ...(utm == null ? {} : { utm: utmOf(utm) }),
    ...(plan === undefined ? {} : { plan }),
    ...(template ? { templateId: template.id } : {}),
  }
}

/** The fields a change removes: null, or an empty name. */
function takenAway(change: ChangeCampaign) {
  const { description, preheader, layoutId, topicId, fromName, replyTo, headers, transport, utm, plan } = change
  const { template, templateId } = change
  return {
    ...(description === null ? { description: undefined } : {}),
    ...(preheader === null ? { preheader: undefined } : {}),
    ...(layoutId === null ? { layoutId: undefined } : {}),
    ...(topicId === null ? { topicId: undefined } : {}),
    ...(fromName === null || fromName === '' ? { fromName: undefined } : {}),
    ...(replyTo === null ? { replyTo: undefined } : {}),
    ...(headers === null || headers?.length === 0 ? { headers: undefined } : {}),
    ...(transport === null ? { transport: undefined } : {}),
    ...(utm === null ? { utm: undefined } : {}),
    ...(plan === null || (plan && planOf(plan) === undefined) ? { plan: undefined } : {}),
    // under either name, unless the other one names a template
    ...((template ?? templateId) == null && (template === null || templateId === null)
      ? { templateId: undefined }
      : {}),
  }
}

/** Keeps only the fields of the chosen audience type. */
function audience(
  audienceType: Campaign['audienceType'],
  { segmentId, filter }: Omit<Found, 'template'>,
): Pick<Campaign, 'audienceType' | 'segmentId' | 'audienceFilter' | 'audienceCondition'> {
  if (audienceType === 'ALL') return { audienceType }
  if (audienceType === 'SEGMENT') {
    if (segmentId === undefined) throw refused([NO_SEGMENT])
    return { audienceType, segmentId }
  }
  if (filter === undefined) throw refused([NO_FILTER])
  return { audienceType, ...filter }
}

function filterIn({ audienceFilter, audienceCondition }: CampaignFields): AudienceFilter | undefined {
  return audienceFilter && { audienceFilter, ...(audienceCondition ? { audienceCondition } : {}) }
}

function absent(fields: Readonly<Record<string, string | undefined>>): EngineError {
  const missing = Object.entries(fields).filter(([, value]) => value === undefined)
  return refused(missing.map(([field]) => required(field, 'is required: the template has none')))
}

const NO_SEGMENT = required('segmentId', 'is required when audienceType is SEGMENT')
const NO_FILTER = required('audienceFilter', 'is required when audienceType is FILTERED')

/** Problems between the fields of a new campaign, as far as the request shows them. */
function* newCampaignProblems(given: Partial<WriteCampaign>, project: Project): Generator<FieldProblem> {
  if (given.template == null && given.templateId == null) {
    for (const field of ['subject', 'body', 'from'] as const) {
      if (given[field] != null || (field === 'from' && project.from) || (field === 'body' && given.source)) continue
      yield required(field, 'is required when there is no template')
    }
  }
  if (given.audienceType === 'SEGMENT' && given.segmentId == null) yield NO_SEGMENT
  if (given.audienceType === 'FILTERED' && FILTERS.every((field) => given[field] == null)) yield NO_FILTER
  yield* changeProblems(given)
}

/** A new campaign waits as a draft, whatever time it is given. */
function warnOfTime(input: Untrusted): void {
  if (!isJsonObject(input)) return
  const named = ['scheduledFor', 'scheduledAt', 'sendAt', 'send_at'].filter((key) => input[key] != null)
  for (const field of [...named, ...[...misnamedTimes(input)].map((each) => each.field)])
    noteWarning(input, { field, message: 'schedules nothing here: POST /campaigns/{id}/send with scheduledFor does' })
}

function* changeProblems(given: Partial<ChangeCampaign>): Generator<FieldProblem> {
  yield* sourceProblems(given)
  yield* designProblems(given)
  yield* planProblems(given.plan)
  if (given.variants || given.test) yield* variantProblems(given)
  yield* FILTERS.flatMap((field) => filterProblems(given[field], field))
  if (given.audienceType !== undefined) yield* audienceMisfits(given.audienceType, given)
}

/** A segment or filter that this type of audience would drop, so that the mail would go to more people than was said. */
function* audienceMisfits(
  audienceType: Campaign['audienceType'],
  given: Partial<ChangeCampaign>,
): Generator<FieldProblem> {
  const wanted = { segmentId: 'SEGMENT', audienceFilter: 'FILTERED', audienceCondition: 'FILTERED' } as const
  for (const field of ['segmentId', ...FILTERS] as const) {
    const type = wanted[field]
    if (given[field] == null || audienceType === type) continue
    const code = 'custom'
    yield { field: 'audienceType', code, message: `must be ${type} when ${field} is given; it is ${audienceType}` }
    yield { field, code, message: `goes with audienceType ${type} alone; it is ${audienceType}` }
  }
}

function required(field: string, message: string): FieldProblem {
  return { field, code: 'required', message }
}
