import { EngineError, type FieldProblem } from '../../errors.ts'
import { mailSources } from '../../mail/compile-mail.ts'
import type { CompiledMails } from '../../mail/compiled-mails.ts'
import { designProblems } from '../../mail/design.ts'
import type { Formats } from '../../mail/formats/formats.ts'
import { sourceAfter, sourceProblems } from '../../mail/formats/source.ts'
import { type Campaign, type CampaignVariant, VARIANTS, type VariantTest } from '../../ports/store/campaigns.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Repositories } from '../../ports/store/store.ts'
import { requireOwnDomain } from '../../projects/project.ts'
import { checkContent } from '../../templates/check-content.ts'
import type { ContentReads } from '../../templates/whole-body.ts'
import type { Untrusted } from '../../values/json.ts'
import { parse, refused } from '../../values/parse.ts'
import { type WriteVariant, WriteVariantTest } from './variant-request.ts'

/** The rooms and tables that reading a variant takes. */
export interface VariantReads {
  readonly mails: CompiledMails
  readonly formats: Formats
  readonly store: ContentReads & Pick<Repositories, 'domains'>
}

/** The fields in which a variant may differ, as they are given. */
const FIELDS = ['subject', 'preheader', 'body', 'source', 'design', 'layoutId', 'from', 'fromName'] as const
/** Those of which null says that the variant has none; of the others it says as much as nothing. */
const CLEARED: ReadonlySet<string> = new Set(['preheader', 'layoutId', 'fromName'])

/** The problems of variants and their test, as far as the request shows them. */
export function* variantProblems({
  variants,
  test,
}: {
  readonly variants?: readonly WriteVariant[] | null | undefined
  readonly test?: WriteVariantTest | null | undefined
}): Generator<FieldProblem> {
  for (const [i, variant] of (variants ?? []).entries()) {
    const place = `variants.${i}`
    const name = VARIANTS[i + 1]
    if (variant.variant !== undefined && variant.variant !== name) {
      const message = `must be ${name} here or be left out: variants are named by their place, and A is the campaign itself`
      yield { field: `${place}.variant`, code: 'custom', message }
    }
    if (FIELDS.every((field) => (CLEARED.has(field) ? variant[field] === undefined : variant[field] == null))) {
      const message = `must differ from the campaign in one of ${FIELDS.join(', ')}`
      yield { field: place, code: 'required', message }
    }
    for (const problem of [...sourceProblems(variant), ...designProblems(variant)])
      yield { ...problem, field: `${place}.${problem.field}` }
  }
  if (test?.metric === 'event' && test.event == null)
    yield { field: 'test.event', code: 'required', message: 'is required when test.metric is event' }
  if (test?.event != null && test.metric !== 'event')
    yield { field: 'test.event', code: 'custom', message: 'goes with test.metric event alone' }
}

/**
 * The variants as they are stored. `layoutId` is that of the campaign, as far as the request names it. Throws EngineError
 * `VALIDATION_ERROR` with the place of each mistake, `DOMAIN_NOT_VERIFIED`, `LAYOUT_NOT_FOUND`.
 */
export async function readVariants(
  reads: VariantReads,
  project: Project,
  given: readonly WriteVariant[],
  layoutId: string | null | undefined,
  input: Untrusted,
): Promise<readonly CampaignVariant[]> {
  const variants: CampaignVariant[] = []
  for (const [i, each] of given.entries()) {
    variants.push(
      await placed(`variants.${i}`, async () => {
        const request = await reads.formats.written(project, each, input)
        const { subject, preheader, body, design, from, fromName = from?.name } = request
        const layout = request.layoutId === undefined ? layoutId : request.layoutId
        const sources = mailSources({ subject, preheader, body, fromName })
        await checkContent(reads.mails, reads.store, sources, {
          projectId: project.id,
          layoutId: layout,
          source: request.source,
          input,
        })
        if (from) await requireOwnDomain(reads.store, project, from.email)
        return {
          ...(subject == null ? {} : { subject }),
          ...(preheader === undefined ? {} : { preheader }),
          ...(body == null ? {} : { body, ...sourceAfter(undefined, request, body) }),
          ...(design == null ? {} : { design }),
          ...(request.layoutId === undefined ? {} : { layoutId: request.layoutId }),
          ...(from == null ? {} : { from: from.email }),
          ...(fromName === undefined ? {} : { fromName: fromName === '' ? null : fromName }),
        }
      }),
    )
  }
  return variants
}

/**
 * The variants and the test after a change, as fields to spread: what is not given stays. Variants have a test, that of
 * all defaults if no other is given; without variants there is one only where some get nothing. Throws EngineError
 * `VALIDATION_ERROR`.
 */
export function testAfter(
  before: Pick<Campaign, 'variants' | 'test'>,
  variants: readonly CampaignVariant[] | null | undefined,
  given: WriteVariantTest | null | undefined,
): Pick<Campaign, 'variants' | 'test'> {
  const left = variants === undefined ? (before.variants ?? []) : (variants ?? [])
  const asked = given === undefined ? before.test : given === null ? undefined : testOf(given)
  if (left.length > 0) return { variants: left, test: asked ?? DEFAULTS }
  if (asked === undefined) return {}
  if (asked.holdOut > 0) return { test: asked }
  if (given == null) return {}
  const message = 'is required with a test, unless test.holdOut is above 0: there is nothing to compare'
  throw refused([{ field: 'variants', code: 'required', message }])
}

function testOf({ event, ...test }: WriteVariantTest): VariantTest {
  return event == null ? test : { ...test, event }
}

const DEFAULTS: VariantTest = testOf(parse(WriteVariantTest, {}))

/** The place in front of the fields of an error. */
async function placed<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
    throw refused(error.fields.map((problem) => ({ ...problem, field: `${place}.${problem.field}` })))
  }
}
