import type { FieldOfContact } from '../values/fields-of-contact.ts'

/** Something that others may refer to: without it their meaning changes. */
export type Thing =
  | { readonly kind: 'field'; readonly field: ContactField }
  | { readonly kind: 'template'; readonly id: string }
  | { readonly kind: 'snippet'; readonly name: string }
  | { readonly kind: 'event'; readonly name: string }
  | { readonly kind: 'segment'; readonly id: string }
  | { readonly kind: 'layout'; readonly id: string }
  | { readonly kind: 'form'; readonly id: string }
  | { readonly kind: 'campaign'; readonly id: string }
  /** Filters name it by its slug or its id. */
  | { readonly kind: 'topic'; readonly id: string; readonly slug: string }

/** A standard field, or a key of the data. */
export type ContactField = { readonly standard: FieldOfContact } | { readonly key: string }

/** Something that uses a thing. */
export interface Use {
  readonly id: string
  readonly name: string
}

/** A campaign that uses it; one that is SENT no longer needs it. */
export interface CampaignUse extends Use {
  readonly status: string
}

/** A workflow that uses it; without a step, in its trigger. */
export interface WorkflowUse extends Use {
  readonly stepId?: string
}

/** Everything that uses a thing, by kind. */
export interface Uses {
  readonly segments: readonly Use[]
  readonly campaigns: readonly CampaignUse[]
  readonly workflows: readonly WorkflowUse[]
  readonly forms: readonly Use[]
  /** Templates whose draft uses it. */
  readonly drafts: readonly Use[]
}

/** Campaigns with these statuses are never sent again, so they need nothing. */
export const ENDED: readonly string[] = ['CANCELLED', 'FAILED', 'SENT']

/** Everything that still needs the thing, so that it must not be deleted; a sent campaign does not. */
export function holdersOf({ segments, campaigns, workflows, forms, drafts }: Uses): readonly Holder[] {
  return [
    ...segments.map(({ name }) => ({ kind: 'segment', name }) as const),
    ...campaigns
      .filter(({ status }) => !ENDED.includes(status))
      .map(({ name }) => ({ kind: 'campaign', name }) as const),
    // a workflow that needs it in several places counts once
    ...new Map(workflows.map(({ id, name }) => [id, { kind: 'workflow', name } as const])).values(),
    ...forms.map(({ name }) => ({ kind: 'form', name }) as const),
    ...drafts.map(({ name }) => ({ kind: 'draft', name }) as const),
  ]
}

/** Something that needs a thing, for messages. */
export interface Holder {
  readonly kind:
    | ('segment' | 'campaign' | 'workflow' | 'template' | 'snippet')
    | ('layout' | 'form' | 'draft' | 'webhook' | 'series')
  readonly name: string
}
