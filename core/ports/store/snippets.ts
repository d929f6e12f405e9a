import * as v from 'valibot'
import { json, label, optional, plainName, text } from '../../values/kind.ts'
import type { NumberedRequest } from '../../values/page.ts'
import type { ProjectId } from '../../values/project-id.ts'
import {
  DESCRIBED,
  DRAWN,
  given,
  INTERNAL,
  owned,
  type RecordOf,
  record,
  TIMES,
  VERSIONED,
} from '../../values/record.ts'
import type { CampaignStatus } from './campaigns.ts'

/** A named piece of HTML that bodies render: `{% render 'footer' %}`. */
export const Snippet = record('Snippet', 'A piece of HTML that bodies render by its name.', {
  ...owned('snippet'),
  name: [
    plainName(64, 'legal-footer'),
    "What bodies render it by, as in `{% render 'footer' %}`: lower-case letters, digits and single hyphens, at most 64 characters. No other snippet has it.",
    given('create', 'change'),
  ],
  title: [
    optional(label(255)),
    'What people call it, at most 255 characters; without it they see its name. In a request, null removes it.',
    given('create', 'change'),
  ],
  ...DESCRIBED,
  body: [
    text(1, 100_000),
    'The HTML, with placeholders, at most 100,000 characters. It may render other snippets.',
    given('create', 'change'),
  ],
  ...DRAWN,
  renders: [
    json<readonly string[]>(v.array(v.string())),
    'The names of the snippets that its own body renders, as often as it does.',
    INTERNAL,
  ],
  ...VERSIONED,
  ...TIMES,
})
export interface Snippet extends RecordOf<typeof Snippet> {}

/** A snippet without its body: which others it renders, and how long it is. */
export interface SnippetLinks extends Pick<Snippet, 'id' | 'name' | 'renders'> {
  /** How many bytes of UTF-8 its body has. */
  readonly bytes: number
}

export interface SnippetFilter {
  /** Case-insensitive part of the title, the name or the description. */
  readonly search?: string
}

/** Something whose body contains certain words. */
export interface BodyHolder {
  readonly kind: 'template' | 'campaign' | 'snippet' | 'layout'
  readonly id: string
  readonly name: string
  /** Of a campaign. */
  readonly status?: CampaignStatus
  readonly body: string
}

export interface SnippetRepository {
  find(projectId: ProjectId, id: string): Promise<Snippet | undefined>
  /** As `find`, inside a transaction, which locks the snippet until it ends; others can neither change nor hold it. */
  lock(projectId: ProjectId, id: string): Promise<Snippet | undefined>
  /** The snippets with these names; unknown names are left out. */
  named(projectId: ProjectId, names: readonly string[]): Promise<readonly Snippet[]>
  /** Those of these names that exist, inside a transaction; until it ends they cannot be removed or renamed. */
  hold(projectId: ProjectId, names: readonly string[]): Promise<ReadonlySet<string>>
  /** Every snippet of the project, inside a transaction, which locks them until it ends. */
  lockAll(projectId: ProjectId): Promise<readonly SnippetLinks[]>
  /** Up to `limit + 1` snippets, newest first (by id); `offset` skips rows of a numbered page. */
  page(projectId: ProjectId, filter: SnippetFilter, page: NumberedRequest): Promise<readonly Snippet[]>
  count(projectId: ProjectId, filter: SnippetFilter): Promise<number>
  insert(snippet: Snippet): Promise<'inserted' | 'name-taken'>
  /** Writes every field. */
  update(snippet: Snippet): Promise<'updated' | 'name-taken' | 'missing'>
  remove(projectId: ProjectId, id: string): Promise<boolean>
  /**
   * Everything that may render a snippet of this name, because its body has `render` and later the name: templates,
   * campaigns with any status, snippets and layouts. Newest first within each kind.
   */
  mayRender(projectId: ProjectId, name: string): Promise<readonly BodyHolder[]>
}
