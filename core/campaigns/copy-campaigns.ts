import { EngineError } from '../errors.ts'
import type { Filters } from '../filters/filters.ts'
import type { Kit } from '../kit.ts'
import type { CampaignAttachment } from '../ports/store/campaign-attachments.ts'
import type { Campaign } from '../ports/store/campaigns.ts'
import type { ConditionOnCampaign, Filter, FilterCondition } from '../ports/store/filters.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { requireOwnDomain } from '../projects/project.ts'
import { missingSegment } from '../segments/segment.ts'
import { holdTopic } from '../subscriptions/named-topic.ts'
import { holdContent } from '../templates/check-content.ts'
import { withoutGoneLayout } from '../templates/whole-body.ts'
import { type CopyInput, CopyRequest, copyName } from '../values/copy-name.ts'
import type { UntrustedInput } from '../values/input.ts'
import { parse } from '../values/parse.ts'
import { attachmentsOf } from './campaign-attachments.ts'
import { SendAgain, type SendAgainInput } from './campaign-request.ts'
import { requireStatus } from './campaign-status.ts'
import type { CampaignFields } from './changed-campaign.ts'
import { copiedPlan } from './send-plan.ts'
import { asVariant } from './variants/as-variant.ts'

/** A file with its bytes. */
type FileOfCampaign = CampaignAttachment & { readonly bytes: Uint8Array }

/** A draft that is not stored yet, with its files. */
export interface NewDraft {
  readonly campaign: Campaign
  readonly files: readonly FileOfCampaign[]
}

/** Makes campaigns of other ones. */
export class CopyCampaigns {
  constructor(
    private readonly store: Store,
    private readonly filters: Filters,
    private readonly kit: Pick<Kit, 'now' | 'newId'>,
  ) {}

  /** A draft with these fields and files. */
  draft(
    project: Project,
    fields: CampaignFields & Pick<Campaign, 'originId' | 'seriesId' | 'folder'>,
    files: readonly FileOfCampaign[] = [],
  ): NewDraft {
    const now = this.kit.now()
    const made = {
      id: this.kit.newId(),
      projectId: project.id,
      status: 'DRAFT',
      version: 1,
      createdAt: now,
      updatedAt: now,
    } as const
    const attachments = files.map(({ bytes, ...named }) => named)
    return { campaign: { ...fields, ...made, ...(attachments.length === 0 ? {} : { attachments }) }, files }
  }

  /** A draft with the content, the audience and the files of another campaign, and what differs; a layout that is gone is left out. */
  async copy(project: Project, source: Campaign, differs: Partial<Campaign>): Promise<NewDraft> {
    const files = await attachmentsOf(this.store.campaignAttachments, source)
    const copied = files.map(({ bytes, ...named }) => ({ ...named, bytes, size: bytes.length, id: this.kit.newId() }))
    const { status, statusReason, scheduledAt, startedAt, sentAt, contentId, fanOut, hold, brake, ...fields } = source
    const { originId, seriesId, note, shelvedAt, publishedAt, attachments, variants, ...kept } = fields
    const written = await withoutGoneLayout(this.store, project.id, kept)
    const others = await Promise.all((variants ?? []).map((each) => withoutGoneLayout(this.store, project.id, each)))
    const tested = variants === undefined ? {} : { variants: others }
    return this.draft(project, { ...written, ...tested, ...copiedPlan(source), ...differs }, copied)
  }

  /** A draft with the same content and audience. Throws EngineError `VALIDATION_ERROR`. */
  duplicate(project: Project, source: Campaign, input: CopyInput | UntrustedInput): Promise<NewDraft> {
    const { name } = parse(CopyRequest, input)
    return this.copy(project, source, { name: name ?? copyName(source.name) })
  }

  /**
   * A draft with the same content for those people of a finished campaign of whom this holds, as far as they still belong
   * to its audience. Throws EngineError `VALIDATION_ERROR`, `CONFLICT` while the campaign is not finished, and when its
   * filter has no room for another condition; `DOMAIN_NOT_VERIFIED`.
   */
  async again(project: Project, source: Campaign, input: SendAgainInput | UntrustedInput): Promise<NewDraft> {
    const { to, subject, name } = parse(SendAgain, input)
    requireStatus(source, 'be sent again')
    if (source.startedAt === undefined) {
      throw new EngineError('CONFLICT', `The campaign "${source.name}" was never sent, so there is no "again".`, {
        suggestion: 'Duplicate it, or send it.',
      })
    }
    await requireOwnDomain(this.store, project, source.from)
    const audienceFilter = await this.#narrowed(project, source, AGAIN[to](`campaign.${source.id}`))
    // of a test, what won
    const { segmentId, audienceCondition, variants, test, ...others } = asVariant(source, source.fanOut?.test?.winner)
    return this.copy(project, others, {
      name: name ?? copyName(source.name, ' (Again)'),
      ...(subject == null ? {} : { subject }),
      audienceType: 'FILTERED',
      audienceFilter,
      originId: source.id,
    })
  }

  /** The campaign's audience, and this besides. */
  async #narrowed(project: Project, source: Campaign, conditions: Filter['conditions']): Promise<Filter> {
    const filter: Filter = { operator: 'AND', conditions: [...audienceOf(source), ...conditions] }
    try {
      return await this.filters.read(project, filter, 'to', { isStored: true })
    } catch (error) {
      if (!EngineError.is(error)) throw error
      const [problem] = error.fields
      throw new EngineError('CONFLICT', `The audience of "${source.name}" cannot be narrowed: ${problem?.message}.`, {
        suggestion: 'Save its filter as a segment, send to that, and filter it by what became of the campaign.',
      })
    }
  }
}

/** Stores a new draft, inside a transaction; what it refers to cannot be removed before. */
export async function insertDraft(tx: Repositories, project: Project, { campaign, files }: NewDraft): Promise<void> {
  await holdNeeds(tx, project, campaign)
  await tx.campaigns.insert(campaign)
  for (const { id, bytes } of files) await tx.campaignAttachments.insert(project.id, id, bytes)
}

/** Locks what the campaign refers to, so that it cannot be removed before the campaign is stored. */
export async function holdNeeds(tx: Repositories, project: Project, fields: CampaignFields): Promise<void> {
  const { segmentId, templateId, variants = [] } = fields
  if (segmentId !== undefined && !(await tx.segments.lock(project.id, segmentId))) missingSegment(segmentId)
  // when the template was removed meanwhile, its content has been copied into the campaign
  if (templateId !== undefined) await tx.templates.lock(project.id, templateId)
  await holdTopic(tx, project.id, fields)
  await holdContent(tx, project.id, fields)
  for (const [i, variant] of variants.entries()) await holdContent(tx, project.id, variant, `variants.${i}.body`)
}

type ConditionsOn = (field: ConditionOnCampaign['field']) => Filter['conditions']

const one =
  (operator: ConditionOnCampaign['operator']): ConditionsOn =>
  (field) => [{ field, operator }]

/** Whom each of the choices means. What programs did on their own is no opening and no click. */
const AGAIN: Readonly<Record<SendAgain['to'], ConditionsOn>> = {
  opened: one('humanOpened'),
  'not-opened': one('notHumanOpened'),
  clicked: one('humanClicked'),
  'not-clicked': one('notHumanClicked'),
  failed: (field) => [
    {
      operator: 'OR',
      conditions: [
        { field, operator: 'failed' },
        { field, operator: 'bounced' },
      ],
    },
  ],
  new: one('notMailed'),
}

/** Conditions that all hold for the campaign's audience; none for everybody. */
function audienceOf({ audienceType, segmentId, audienceFilter }: Campaign): readonly (FilterCondition | Filter)[] {
  if (audienceType === 'SEGMENT') return [{ field: `segment.${segmentId}`, operator: 'memberOfSegment' }]
  if (audienceType === 'ALL' || audienceFilter === undefined) return []
  // those of one level that all must hold stay on it: filters can only be nested so deep
  return audienceFilter.operator === 'AND' ? audienceFilter.conditions : [audienceFilter]
}
