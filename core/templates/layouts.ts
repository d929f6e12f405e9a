import type { Kit } from '../kit.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { designAfter, designProblems } from '../mail/design.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import { Layout } from '../ports/store/layouts.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { type References, refuseWhileHeld } from '../references/references.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { Untrusted } from '../values/json.ts'
import { type NumberedPage, numberedPage } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { nextVersion } from '../values/record-version.ts'
import { checkContent, holdContent } from './check-content.ts'
import { type ContentUses, contentHolders } from './content-uses.ts'
import type { ChangeLayoutInput, CreateLayoutInput } from './layout.ts'
import { ChangeLayout, CreateLayout } from './layout.ts'
import { frameProblem } from './layout-frame.ts'
import { ListContent, type ListContentInput } from './snippet.ts'
import { missingLayout } from './whole-body.ts'

/** The layouts of a project: frames around the bodies of many mails. */
export class Layouts {
  constructor(
    private readonly store: Store,
    private readonly references: References,
    private readonly mails: CompiledMails,
    private readonly kit: Kit,
  ) {}

  /** One page, newest first; `search` (name or description) narrows it. */
  async list(project: Project, query: ListContentInput | UntrustedInput = {}): Promise<NumberedPage<Layout>> {
    const { search, ...asked } = parse(ListContent, query)
    const filter = search ? { search } : {}
    const { layouts } = this.store
    return numberedPage(
      { projectId: project.id, name: 'layouts' },
      asked,
      (page) => layouts.page(project.id, filter, page),
      () => layouts.count(project.id, filter),
    )
  }

  /** The layout. Throws EngineError `LAYOUT_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Layout> {
    const layout = isId(id) ? await this.store.layouts.find(project.id, id) : undefined
    return layout ?? missingLayout(id)
  }

  /**
   * Stores a new layout. Throws EngineError `VALIDATION_ERROR` (also without exactly one `{{ content }}`, for
   * placeholders that do not parse, with line and column, and for snippets that are not there), `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateLayoutInput | UntrustedInput): Promise<Layout> {
    requireEnabled(project)
    const wanted = parse(CreateLayout, input, designProblems)
    await this.#check(project, wanted.body, input)
    const now = this.kit.now()
    const own = { id: this.kit.newId(), projectId: project.id, version: 1, createdAt: now, updatedAt: now }
    const layout = { ...own, ...made(Layout, wanted) }
    await this.store.transaction(async (tx) => {
      await holdContent(tx, project.id, layout)
      await tx.layouts.insert(layout)
    })
    return layout
  }

  /**
   * Changes the given fields; null removes the description. Mail that was accepted and campaigns that began keep the
   * earlier frame. Throws as `create` and `get` do.
   */
  async change(project: Project, id: string, input: ChangeLayoutInput | UntrustedInput): Promise<Layout> {
    requireEnabled(project)
    const { version: seen, ...wanted } = parse(ChangeLayout, input, designProblems)
    if (!isId(id)) return missingLayout(id)
    if (wanted.body !== undefined) await this.#check(project, wanted.body, input)
    return this.store.transaction(async (tx) => {
      const before = (await tx.layouts.lock(project.id, id)) ?? missingLayout(id)
      const version = nextVersion('layout', before, seen)
      const { design: _, ...others } = changed(Layout, before, wanted)
      const layout = { ...others, ...designAfter(before, wanted, others.body), version, updatedAt: this.kit.now() }
      await holdContent(tx, project.id, layout)
      await tx.layouts.update(layout)
      return layout
    })
  }

  /**
   * Removes it. Throws EngineError `CONFLICT` while a template, a draft or an unsent campaign has it, `LAYOUT_NOT_FOUND`,
   * `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) return missingLayout(id)
    await this.store.transaction(async (tx) => {
      const { name } = (await tx.layouts.lock(project.id, id)) ?? missingLayout(id)
      refuseWhileHeld(`The layout "${name}"`, contentHolders(await this.#uses(tx, project, id)))
      await tx.layouts.remove(project.id, id)
    })
  }

  /** Which templates and campaigns have the layout. Throws EngineError `LAYOUT_NOT_FOUND`. */
  async usage(project: Project, id: string): Promise<ContentUses> {
    await this.get(project, id)
    return this.#uses(this.store, project, id)
  }

  async #uses(reads: Repositories, project: Project, id: string): Promise<ContentUses> {
    const drafts = await this.references.draftsWithLayout(project, id, reads)
    return { ...(await reads.layouts.users(project.id, id)), drafts, snippets: [], layouts: [], workflows: [] }
  }

  async #check(project: Project, body: string, input: Untrusted): Promise<void> {
    const sources = [{ kind: 'mail', source: body, field: 'body' }] as const
    await checkContent(this.mails, this.store, sources, { projectId: project.id, input })
    const problem = frameProblem(writtenBody(body), 'body')
    if (problem) throw problem
  }
}
