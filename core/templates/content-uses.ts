import { namesRendered } from '../mail/render/render-tag.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { BodyHolder } from '../ports/store/snippets.ts'
import type { CampaignUse, Holder, Use, WorkflowUse } from '../references/uses.ts'

/** Where a snippet or a layout is used. */
export interface ContentUses {
  /** The templates that render it. */
  readonly templates: readonly Use[]
  /** The templates whose draft renders it. */
  readonly drafts: readonly Use[]
  /** The campaigns that render it. */
  readonly campaigns: readonly CampaignUse[]
  /** The snippets that render it. */
  readonly snippets: readonly Use[]
  /** The layouts that render it. */
  readonly layouts: readonly Use[]
  /** The workflows that render it. */
  readonly workflows: readonly WorkflowUse[]
}

/** Those of the holders whose body renders the snippet, each once: a campaign may do so in several of its variants. */
export function usersOf(name: string, holders: readonly BodyHolder[]): readonly BodyHolder[] {
  const rendering = holders.filter(({ body }) => namesRendered(writtenBody(body)).includes(name))
  return [...new Map(rendering.map((holder) => [`${holder.kind} ${holder.id}`, holder])).values()]
}

/** Where the snippet is used; campaigns that ended without being sent are left out. */
export function usesOfSnippet(
  name: string,
  holders: readonly BodyHolder[],
  { workflows, drafts }: Pick<ContentUses, 'workflows' | 'drafts'>,
): ContentUses {
  const users = usersOf(name, holders).filter(({ status }) => status !== 'CANCELLED' && status !== 'FAILED')
  const of = (wanted: BodyHolder['kind']) => users.filter(({ kind }) => kind === wanted)
  const named = (wanted: BodyHolder['kind']) => of(wanted).map((use) => ({ id: use.id, name: use.name }))
  return {
    templates: named('template'),
    campaigns: of('campaign').map((use) => ({ id: use.id, name: use.name, status: use.status ?? '' })),
    snippets: named('snippet'),
    layouts: named('layout'),
    workflows,
    drafts,
  }
}

/** Everything that still needs it, so that it must not be deleted; a sent campaign does not. */
export function contentHolders({
  templates,
  drafts,
  campaigns,
  snippets,
  layouts,
  workflows,
}: ContentUses): readonly Holder[] {
  return [
    ...templates.map(({ name }) => ({ kind: 'template', name }) as const),
    ...drafts.map(({ name }) => ({ kind: 'draft', name }) as const),
    ...campaigns.filter(({ status }) => status !== 'SENT').map(({ name }) => ({ kind: 'campaign', name }) as const),
    ...snippets.map(({ name }) => ({ kind: 'snippet', name }) as const),
    ...layouts.map(({ name }) => ({ kind: 'layout', name }) as const),
    ...new Map(workflows.map(({ id, name }) => [id, { kind: 'workflow', name } as const])).values(),
  ]
}
