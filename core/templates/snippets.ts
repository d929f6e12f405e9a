import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { CompiledMails } from '../mail/compiled-mails.ts'
import { designAfter, designProblems } from '../mail/design.ts'
import { namesRendered } from '../mail/render/render-tag.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { Project } from '../ports/store/projects.ts'
import { Snippet } from '../ports/store/snippets.ts'
import type { Repositories, Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { type References, refuseUnlessFollowed, refuseWhileHeld } from '../references/references.ts'
import type { Rename } from '../references/renamed.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import type { Untrusted } from '../values/json.ts'
import { type NumberedPage, numberedPage } from '../values/page.ts'
import { parse, refused } from '../values/parse.ts'
import { changed, made } from '../values/record.ts'
import { nextVersion } from '../values/record-version.ts'
import { shownId } from '../values/shown-id.ts'
import { checkContent, holdContent } from './check-content.ts'
import { type ContentUses, contentHolders, usesOfSnippet } from './content-uses.ts'
import { renamingBodies } from './rename-snippet.ts'
import type { ChangeSnippetInput, CreateSnippetInput, ListContentInput } from './snippet.ts'
import { ChangeSnippet, CreateSnippet, ListContent, MAX_SNIPPETS } from './snippet.ts'
import { graphProblem } from './snippet-graph.ts'

/** The snippets of a project: pieces of HTML that bodies render by their names. */
export class Snippets {
  constructor(
    private readonly store: Store,
    private readonly references: References,
    private readonly mails: CompiledMails,
    private readonly kit: Kit,
  ) {}

  /** One page, newest first; `search` (name or description) narrows it. */
  async list(project: Project, query: ListContentInput | UntrustedInput = {}): Promise<NumberedPage<Snippet>> {
    const { search, ...asked } = parse(ListContent, query)
    const filter = search ? { search } : {}
    const { snippets } = this.store
    return numberedPage(
      { projectId: project.id, name: 'snippets' },
      asked,
      (page) => snippets.page(project.id, filter, page),
      () => snippets.count(project.id, filter),
    )
  }

  /** The snippet. Throws EngineError `SNIPPET_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Snippet> {
    const snippet = isId(id) ? await this.store.snippets.find(project.id, id) : undefined
    return snippet ?? missing(id)
  }

  /**
   * Stores a new snippet. Throws EngineError `VALIDATION_ERROR` (also for placeholders that do not parse, with line and
   * column, for snippets that are not there, and when snippets would nest too deep or come to too much), `CONFLICT` when
   * its name is taken, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateSnippetInput | UntrustedInput): Promise<Snippet> {
    requireEnabled(project)
    const wanted = parse(CreateSnippet, input, designProblems)
    const { name, body } = wanted
    await this.#check(project, body, name, input)
    const now = this.kit.now()
    const own = { id: this.kit.newId(), projectId: project.id, version: 1, createdAt: now, updatedAt: now }
    const snippet = { ...own, ...made(Snippet, wanted), renders: rendersOf(body) }
    await this.store.transaction(async (tx) => {
      await this.#fit(tx, snippet)
      if ((await tx.snippets.insert(snippet)) === 'name-taken') throw taken(name)
    })
    return snippet
  }

  /**
   * Changes the given fields; null removes the description. Mail that was accepted and campaigns that began keep the
   * earlier text. Another name is refused with `CONFLICT` while something renders the snippet, unless `rename` says to
   * change it there, too. Throws as `create` and `get` do.
   */
  async change(project: Project, id: string, input: ChangeSnippetInput | UntrustedInput): Promise<Snippet> {
    requireEnabled(project)
    const { version: seen, rename, ...wanted } = parse(ChangeSnippet, input, designProblems)
    const known = await this.get(project, id)
    if (wanted.body !== undefined) await this.#check(project, wanted.body, wanted.name ?? known.name, input)
    return this.store.transaction(async (tx) => {
      const before = (await tx.snippets.lock(project.id, id)) ?? missing(id)
      const version = nextVersion('snippet', before, seen)
      const { body, name, design: _, ...others } = changed(Snippet, before, wanted)
      const drawn = designAfter(before, wanted, body)
      const snippet = { ...others, name, body, ...drawn, renders: rendersOf(body), version, updatedAt: this.kit.now() }
      if (name !== before.name) await this.#follow(tx, project, { from: before.name, to: name }, rename)
      if (body !== before.body || name !== before.name) await this.#fit(tx, snippet)
      const outcome = await tx.snippets.update(snippet)
      if (outcome === 'name-taken') throw taken(name)
      return outcome === 'missing' ? missing(id) : snippet
    })
  }

  /**
   * Removes it. Throws EngineError `CONFLICT` while a template, an unsent campaign, another snippet, a layout or a
   * workflow step renders it, `SNIPPET_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) return missing(id)
    await this.store.transaction(async (tx) => {
      const snippet = (await tx.snippets.lock(project.id, id)) ?? missing(id)
      await this.#refuseWhileUsed(tx, project, snippet)
      await tx.snippets.remove(project.id, id)
    })
  }

  /** Where the snippet is rendered. Throws EngineError `SNIPPET_NOT_FOUND`. */
  async usage(project: Project, id: string): Promise<ContentUses> {
    return this.#uses(this.store, project, await this.get(project, id))
  }

  async #uses(reads: Repositories, project: Project, { name }: Snippet): Promise<ContentUses> {
    const holders = await reads.snippets.mayRender(project.id, name)
    const workflows = await this.references.stepsThatRender(project, name, reads)
    const drafts = await this.references.draftsThatRender(project, name, reads)
    return usesOfSnippet(name, holders, { workflows, drafts })
  }

  async #refuseWhileUsed(tx: Repositories, project: Project, snippet: Snippet): Promise<void> {
    refuseWhileHeld(`The snippet "${snippet.name}"`, contentHolders(await this.#uses(tx, project, snippet)))
  }

  /** Changes the name in all that renders the snippet, if that is wanted. */
  async #follow(
    tx: Repositories,
    project: Project,
    names: Pick<Rename, 'from' | 'to'>,
    wanted: boolean | undefined,
  ): Promise<void> {
    const rename = { kind: 'snippet', ...names } as const
    const bodies = await renamingBodies(tx, project, rename, this.kit)
    const others = await this.references.renaming(project, rename, tx, this.kit.now())
    const holders = [...bodies.holders, ...others.holders]
    refuseUnlessFollowed(`The snippet "${names.from}"`, { holders, bound: [] }, wanted)
    await others.write()
    await bodies.write()
  }

  /** A snippet that renders itself is named before it is found to be missing. */
  async #check(project: Project, body: string, name: string, input: Untrusted): Promise<void> {
    if (rendersOf(body).includes(name)) {
      const message = `would make a circle of snippets: ${name} → ${name}`
      throw refused([{ field: 'body', code: 'custom', message }])
    }
    const sources = [{ kind: 'mail', source: body, field: 'body' }] as const
    await checkContent(this.mails, this.store, sources, { projectId: project.id, input })
  }

  /** Refuses a snippet that would not fit with the others, which are locked until the transaction ends. */
  async #fit(tx: Repositories, snippet: Snippet): Promise<void> {
    const { id, projectId, name, body, renders } = snippet
    const all = await tx.snippets.lockAll(projectId)
    if (all.length >= MAX_SNIPPETS && !all.some((each) => each.id === id)) {
      throw new EngineError('CONFLICT', `A project can have ${MAX_SNIPPETS} snippets; this one has them.`, {
        suggestion: 'Delete one that is no longer used.',
      })
    }
    await holdContent(tx, projectId, { body })
    const problem = graphProblem(all, { id, name, renders, bytes: Buffer.byteLength(body) }, 'body')
    if (problem) throw problem
  }
}

function rendersOf(body: string): readonly string[] {
  return namesRendered(writtenBody(body))
}

function taken(name: string): EngineError {
  return new EngineError('CONFLICT', `There is a snippet "${name}" already.`, { suggestion: 'Choose another name.' })
}

function missing(id: string): never {
  throw new EngineError('SNIPPET_NOT_FOUND', `There is no snippet ${shownId(id)}.`)
}
