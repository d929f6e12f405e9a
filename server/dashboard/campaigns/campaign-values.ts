import type { components } from '../api/client.ts'
import { writtenFields } from '../parts/mail-editor/written.ts'
import { pairsOf } from '../parts/pairs.ts'
import type { Campaign } from './queries.ts'

/** The fields of a campaign as the form has them. */
export type CampaignValues = ReturnType<typeof valuesOf>

/** A variant as the form has it. */
export type VariantValues = Omit<components['schemas']['CampaignVariant'], 'variant'>

/** The fields of a campaign that can be edited. */
export function valuesOf(campaign: Campaign) {
  const {
    name,
    description,
    subject,
    preheader,
    body,
    design,
    layoutId,
    topicId,
    source,
    from,
    fromName,
    replyTo,
    headers,
    transport,
    utm,
    audienceType,
    segmentId,
    audienceFilter,
    variants,
  } = campaign
  return {
    name,
    description: description ?? '',
    subject,
    preheader: preheader ?? '',
    body,
    design: design ?? null,
    layoutId: layoutId ?? '',
    topicId: topicId ?? '',
    source: source ?? null,
    from,
    fromName: fromName ?? '',
    replyTo: replyTo ?? '',
    headers: pairsOf(headers),
    transport: transport ?? '',
    utm: utm ?? null,
    audienceType,
    segmentId: segmentId ?? '',
    audienceFilter: audienceFilter ?? { operator: 'AND' as const, conditions: [] },
    variants: variantValues(variants),
  }
}

/** The variants as they are sent to the API. */
export function variantsRequest(variants: readonly VariantValues[]) {
  if (variants.length === 0) return null
  return variants.map(({ body, design, source, ...rest }) =>
    body === undefined
      ? rest
      : Object.assign(rest, writtenFields({ body, design: design ?? null, source: source ?? null })),
  )
}

/** The variants as the form has them: their names follow from their places. */
function variantValues(
  variants: readonly components['schemas']['CampaignVariant'][] | undefined,
): readonly VariantValues[] {
  return (variants ?? []).map(({ variant, ...values }) => values)
}
