import { label, text } from '../../values/kind.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import { DESCRIBED, DRAWN, given, owned, type RecordOf, record, TIMES, VERSIONED } from '../../values/record.ts'
import type { CampaignStatus } from './campaigns.ts'

/** A frame around the bodies of many mails. */
export const Layout = record('Layout', 'A frame around the bodies of many mails.', {
  ...owned('layout'),
  name: [label(255), 'The name in lists, at most 255 characters. Recipients do not see it.', given('create', 'change')],
  ...DESCRIBED,
  body: [
    text(1, 100_000),
    "The HTML, with placeholders and snippets, and once with `{{ content }}`, where the mail's own body stands.",
    given('create', 'change'),
  ],
  ...DRAWN,
  ...VERSIONED,
  ...TIMES,
})
export interface Layout extends RecordOf<typeof Layout> {}

export interface LayoutFilter {
  /** Case-insensitive part of the name or the description. */
  readonly search?: string
}

/** Everything with the layout around its body. */
export interface LayoutUsers {
  readonly templates: readonly { readonly id: string; readonly name: string }[]
  readonly campaigns: readonly { readonly id: string; readonly name: string; readonly status: CampaignStatus }[]
}

export interface LayoutRepository {
  find(projectId: ProjectId, id: string): Promise<Layout | undefined>
  /** As `find`, inside a transaction, which locks the layout until it ends; others can neither change nor hold it. */
  lock(projectId: ProjectId, id: string): Promise<Layout | undefined>
  /** Whether it exists, inside a transaction; until it ends the layout cannot be removed. */
  hold(projectId: ProjectId, id: string): Promise<boolean>
  /** Up to `limit + 1` layouts, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: LayoutFilter, page: NumberedRequest): Promise<readonly Layout[]>
  count(projectId: ProjectId, filter: LayoutFilter): Promise<number>
  insert(layout: Layout): Promise<void>
  /** Writes every field; false when there is no such layout. */
  update(layout: Layout): Promise<boolean>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /** Templates and campaigns with this layout, newest first; campaigns that ended without being sent are left out. */
  users(projectId: ProjectId, id: string): Promise<LayoutUsers>
}
