import { readData } from '../contacts/contact.ts'
import { inject, injectable } from '../di.ts'
import { EngineError, type FieldProblem } from '../errors.ts'
import { Kit } from '../kit.ts'
import { mailSources, variablesFor } from '../mail/compile-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { designAfter, designProblems } from '../mail/design.ts'
import { Formats } from '../mail/formats/formats.ts'
import { bodyProblems, sourceAfter, sourceProblems } from '../mail/formats/source.ts'
import { Links } from '../mail/links/links.ts'
import { warningOf } from '../mail/render/filter-troubles.ts'
import type { MailVariables } from '../mail/render/scope.ts'
import { withPreheader } from '../mail/render/written-body.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import { type Repositories, Store } from '../ports/store/store.ts'
import type { Author, ListedVersion, TemplateDraft, TemplateVersion } from '../ports/store/template-versions.ts'
import type { Template } from '../ports/store/templates.ts'
import { requireEnabled, requireOwnDomain } from '../projects/project.ts'
import { References, refuseWhileUsed } from '../references/references.ts'
import type { CampaignUse, WorkflowUse } from '../references/uses.ts'
import { holdTopic, withTopic } from '../subscriptions/named-topic.ts'
import { type CopyInput, CopyRequest, copyName } from '../values/copy-name.ts'
import { isId } from '../values/id.ts'
import { type UntrustedInput, untrusted } from '../values/input.ts'
import { senderFields } from '../values/mailbox.ts'
import { type CursorInput, type NumberedPage, numberedPage, type Page } from '../values/page.ts'
import { noteWarning, parse, refused } from '../values/parse.ts'
import { shownId } from '../values/shown-id.ts'
import { checkContent, checkedBody, holdContent } from './check-content.ts'
import { endDraft, missingDraft, requireRevision, saveDraft } from './drafts.ts'
import { Layouts } from './layouts.ts'
import { missingTemplate, namedTemplate } from './named-template.ts'
import { freeSlug, slugFor, slugTaken } from './slug.ts'
import { Snippets } from './snippets.ts'
import {
  ChangeTemplate,
  type ChangeTemplateInput,
  CreateTemplate,
  type CreateTemplateInput,
  ListTemplates,
  type ListTemplatesInput,
  ListVersions,
  PublishDraft,
  type PublishDraftInput,
  RenderTemplate,
  type RenderTemplateInput,
  TEMPLATE_FIELDS,
  VersionParameter,
  WriteDraft,
  type WriteDraftInput,
} from './template.ts'
import { ENGINE, findVersion, keepChange, keepFirst, listVersions, requireVersion } from './versions.ts'
import { withoutGoneLayout } from './whole-body.ts'

/** Where a template is used, and how many mails were made from it. */
export interface TemplateUsage {
  /** The campaigns that were made from it. */
  readonly campaigns: readonly CampaignUse[]
  /** The workflows with a step that sends it. */
  readonly workflows: readonly WorkflowUse[]
  /** How many mails were made from it. */
  readonly emailsSent: number
}

/** The circumstances of a change of a template. */
interface ChangeOptions {
  readonly by: Author
  readonly restoredFrom?: number
  /** A write to make with it, in the same transaction. */
  readonly alongside?: (tx: Repositories) => Promise<void>
}

/** How often a new template looks for a free slug while others are made under the same name. */
const SLUG_TRIES = 5

/** The templates of a project. */
@injectable()
export class Templates {
  /** Parts that several templates render. */
  readonly snippets: Snippets
  /** The layouts around templates. */
  readonly layouts: Layouts
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(References) private readonly references: References,
    @inject(CompiledMails) private readonly mails: CompiledMails,
    @inject(Formats) private readonly formats: Formats,
    @inject(Links) private readonly links: Links,
    @inject(Kit) private readonly kit: Kit,
  ) {
    this.snippets = new Snippets(store, references, mails, kit)
    this.layouts = new Layouts(store, references, mails, kit)
  }

  /** One page, newest first; `type` and `search` (name or subject) narrow it. */
  async list(project: Project, query: ListTemplatesInput | UntrustedInput = {}): Promise<NumberedPage<Template>> {
    const { type, search, ...asked } = parse(ListTemplates, query)
    const filter = { ...(type ? { type } : {}), ...(search ? { search } : {}) }
    const { templates } = this.store
    return numberedPage(
      { projectId: project.id, name: 'templates' },
      asked,
      (page) => templates.page(project.id, filter, page),
      () => templates.count(project.id, filter),
    )
  }

  /** The template with this id or slug. Throws EngineError `TEMPLATE_NOT_FOUND`. */
  get(project: Project, name: string): Promise<Template> {
    return namedTemplate(this.store, project, name)
  }

  /**
   * Stores a new template. Without a slug it gets one made from its name. Throws EngineError `VALIDATION_ERROR` (also
   * for placeholders that do not parse, with line and column), `CONFLICT` when another template has the slug,
   * `DOMAIN_NOT_VERIFIED`, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateTemplateInput | UntrustedInput, by: Author = ENGINE): Promise<Template> {
    requireEnabled(project)
    const now = this.kit.now()
    const { from, fromName, ...given } = parse(CreateTemplate, input, newProblems)
    const named = await withTopic(this.store, project.id, given)
    const { body = '', ...written } = await this.formats.written(project, named, input)
    const { source, ...others } = written
    const fields = {
      ...withoutNull({ ...others, ...senderFields({ from, fromName }) }),
      ...sourceAfter(undefined, { source }, body),
      body,
    }
    const made = { id: this.kit.newId(), projectId: project.id, version: 1, createdAt: now, updatedAt: now }
    const template = { ...fields, ...made }
    requireMarketing(template)
    await checkContent(this.mails, this.store, mailSources(template), { ...template, input })
    if (template.from) await requireOwnDomain(this.store, project, template.from)
    return this.#insert(template, by)
  }

  /**
   * Changes the given fields at once; null removes an optional one. Throws as `create` and `get` do, and EngineError
   * `VERSION_CONFLICT` when `version` is not the current one.
   */
  change(
    project: Project,
    id: string,
    input: ChangeTemplateInput | UntrustedInput,
    by: Author = ENGINE,
  ): Promise<Template> {
    return this.#change(project, id, input, { by })
  }

  async #change(
    project: Project,
    id: string,
    input: ChangeTemplateInput | UntrustedInput,
    { by, restoredFrom, alongside }: ChangeOptions,
  ): Promise<Template> {
    requireEnabled(project)
    const { from, fromName, version, ...given } = parse(ChangeTemplate, input, changeProblems)
    if (!isId(id)) return missingTemplate(id)
    const named = await withTopic(this.store, project.id, given)
    const wanted = { ...(await this.formats.written(project, named, input)), ...senderFields({ from, fromName }) }
    await checkContent(this.mails, this.store, mailSources(wanted), { ...wanted, projectId: project.id, input })
    return this.store.transaction(async (tx) => {
      const before = (await tx.templates.lock(project.id, id)) ?? missingTemplate(id)
      await requireVersion(tx, before, version)
      await alongside?.(tx)
      const changed = withoutNull({ ...before, ...definedOnly(wanted), updatedAt: this.kit.now() })
      const { design: _, source: __, ...others } = changed
      const after = {
        ...others,
        ...designAfter(before, wanted, others.body),
        ...sourceAfter(before, wanted, others.body),
      }
      const template = await keepChange(tx, this.kit, { before, after, by, restoredFrom })
      if (template.from) await requireOwnDomain(tx, project, template.from)
      requireMarketing(template)
      await holdTopic(tx, project.id, template)
      await holdContent(tx, project.id, template)
      const outcome = await tx.templates.update(template)
      if (outcome === 'slug-taken') return slugTaken(template.slug ?? '')
      if (outcome === 'missing') return missingTemplate(id)
      return template
    })
  }

  /**
   * Removes it. Throws EngineError `CONFLICT` while an unsent campaign or a workflow step uses it,
   * `TEMPLATE_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) return missingTemplate(id)
    await this.store.transaction(async (tx) => {
      const { name, version } = (await tx.templates.lock(project.id, id)) ?? missingTemplate(id)
      refuseWhileUsed(`The template "${name}"`, await this.references.template(project, id, tx))
      await tx.templates.remove(project.id, id)
      await tx.templateDrafts.remove(project.id, id)
      await tx.templateVersions.removeUpTo(project.id, id, version)
    })
  }

  /**
   * Stores a copy, with a slug made from its name, and answers it. Throws as `get` does, `VALIDATION_ERROR` and
   * `PROJECT_DISABLED`.
   */
  async duplicate(
    project: Project,
    id: string,
    input: CopyInput | UntrustedInput = {},
    by: Author = ENGINE,
  ): Promise<Template> {
    requireEnabled(project)
    const { name: given } = parse(CopyRequest, input)
    const now = this.kit.now()
    const { slug: _, ...source } = await this.get(project, id)
    const name = given ?? copyName(source.name)
    const made = { id: this.kit.newId(), version: 1, createdAt: now, updatedAt: now }
    return this.#insert({ ...source, ...made, name }, by)
  }

  /** The draft of the template, if it has one. Throws EngineError `TEMPLATE_NOT_FOUND`. */
  async draft(project: Project, name: string): Promise<TemplateDraft | undefined> {
    const { id } = await this.get(project, name)
    return this.store.templateDrafts.find(project.id, id)
  }

  /**
   * Keeps what was typed, for later: nothing of it is sent until it is published. What is not finished is kept unchanged.
   * Throws EngineError `CONFLICT` when the draft is not the one with `revision`, `VALIDATION_ERROR`,
   * `TEMPLATE_NOT_FOUND`, `PROJECT_DISABLED`.
   */
  async saveDraft(
    project: Project,
    id: string,
    input: WriteDraftInput | UntrustedInput,
    by: Author = ENGINE,
  ): Promise<TemplateDraft> {
    requireEnabled(project)
    return saveDraft({ store: this.store, kit: this.kit }, { project, id, by }, parse(WriteDraft, input))
  }

  /** Throws the draft away, if there is one. Throws EngineError `TEMPLATE_NOT_FOUND`, `PROJECT_DISABLED`. */
  async discardDraft(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    await this.#mustHave(project, id)
    await this.store.templateDrafts.remove(project.id, id)
  }

  /**
   * Makes the draft the template, as a new version. Throws as `change` does for what the draft says, and EngineError
   * `VERSION_CONFLICT` when the template was changed since the draft was begun, `RESOURCE_NOT_FOUND` without a draft.
   */
  async publish(
    project: Project,
    id: string,
    input: PublishDraftInput | UntrustedInput = {},
    by: Author = ENGINE,
  ): Promise<Template> {
    requireEnabled(project)
    const { version, revision } = parse(PublishDraft, input)
    await this.#mustHave(project, id)
    const draft = (await this.store.templateDrafts.find(project.id, id)) ?? missingDraft()
    requireRevision(draft, revision ?? undefined)
    const changes = untrusted({ ...writtenOnce(draft.fields), version: version ?? draft.version })
    return this.#change(project, id, changes, { by, alongside: (tx) => endDraft(tx, draft) })
  }

  /** One page of what the template was, newest first. Throws EngineError `TEMPLATE_NOT_FOUND`, `VALIDATION_ERROR`. */
  async versions(
    project: Project,
    name: string,
    query: CursorInput | UntrustedInput = {},
  ): Promise<Page<ListedVersion>> {
    const asked = parse(ListVersions, query)
    return listVersions(this.store, project, await this.get(project, name), asked)
  }

  /** One version, with all it says. Throws EngineError `TEMPLATE_NOT_FOUND`, `RESOURCE_NOT_FOUND`, `VALIDATION_ERROR`. */
  async version(project: Project, name: string, number: number | UntrustedInput): Promise<TemplateVersion> {
    const { version } = parse(VersionParameter, { version: number })
    return findVersion(this.store, await this.get(project, name), version)
  }

  /**
   * Makes the template what it was in an earlier version, as a new version, without a layout that is gone. Its slug and its
   * draft stay. Throws as `version` and `change` do.
   */
  async restore(project: Project, id: string, number: number | UntrustedInput, by: Author = ENGINE): Promise<Template> {
    requireEnabled(project)
    const { fields, number: restoredFrom } = await this.version(project, id, number)
    const none = Object.fromEntries(TEMPLATE_FIELDS.filter((name) => name !== 'body').map((name) => [name, null]))
    const there = writtenOnce(await withoutGoneLayout(this.store, project.id, fields))
    return this.#change(project, id, untrusted({ ...none, ...there }), { by, restoredFrom })
  }

  /** Where the template is used and how many mails were made from it. Throws EngineError `TEMPLATE_NOT_FOUND`. */
  async usage(project: Project, name: string): Promise<TemplateUsage> {
    const { id } = await this.get(project, name)
    const { campaigns, workflows } = await this.references.template(project, id)
    return { campaigns, workflows, emailsSent: await this.store.templates.emailsMade(project.id, id) }
  }

  /**
   * Renders a subject and a body as sending would, for a contact or none; stores nothing. Throws EngineError
   * `VALIDATION_ERROR` (also when a limit is broken), `CONTACT_NOT_FOUND`.
   */
  async render(
    project: Project,
    input: RenderTemplateInput | UntrustedInput,
  ): Promise<{ readonly subject: string; readonly html: string; readonly text: string }> {
    const { data, contactId, ...given } = parse(RenderTemplate, input, sourceOrBody)
    const { subject, body = '', preheader, layoutId } = await this.formats.written(project, given, input)
    const contact = contactId == null ? undefined : await this.#contact(project, contactId)
    const own = readData(data ?? undefined).variables
    const variables = contact ? variablesFor(contact, own) : own
    const urls = contact && this.links.ofContact({ projectId: project.id, contactId: contact.id })
    const mailVariables: MailVariables = contact
      ? { id: contact.id, email: contact.email, subscribed: contact.subscribed, ...urls }
      : {}
    const whole = await checkedBody(this.mails, this.store, project, { body, layoutId })
    const { troubles, ...rendered } = await this.mails.render(subject, withPreheader(whole, preheader ?? undefined), {
      variables,
      mailVariables,
    })
    if (rendered.subject.trim() === '')
      noteWarning(input, { field: 'subject', message: 'is empty once it is filled in' })
    for (const trouble of troubles) noteWarning(input, warningOf(trouble))
    return rendered
  }

  /** Stores a new template. One without a slug gets a free one; another template may take that meanwhile. */
  #insert(template: Template, by: Author): Promise<Template> {
    return this.store.transaction(async (tx) => {
      await holdTopic(tx, template.projectId, template)
      await holdContent(tx, template.projectId, template)
      let slug = template.slug ?? slugFor(template.name)
      for (let tries = 0; tries < SLUG_TRIES; tries++) {
        const made = { ...template, slug }
        if ((await tx.templates.insert(made)) === 'inserted') {
          await keepFirst(tx, this.kit, made, by)
          return made
        }
        if (template.slug !== undefined) break
        slug = await freeSlug(tx.templates, template)
      }
      return slugTaken(slug)
    })
  }

  /** Throws EngineError `TEMPLATE_NOT_FOUND` unless there is a template with this id. */
  async #mustHave(project: Project, id: string): Promise<void> {
    if (!isId(id) || !(await this.store.templates.find(project.id, id))) missingTemplate(id)
  }

  async #contact(project: Project, id: string): Promise<Contact> {
    const contact = isId(id) ? await this.store.contacts.find(project.id, id) : undefined
    if (!contact) throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${shownId(id)}.`)
    return contact
  }
}

/** Throws EngineError `VALIDATION_ERROR` for a topic of mail that is not of type MARKETING. */
function requireMarketing({ type, topicId }: Pick<Template, 'type' | 'topicId'>): void {
  if (topicId === undefined || type === 'MARKETING') return
  const message = 'goes with type MARKETING alone: mail of other types goes out whatever a contact chose'
  throw refused([{ field: 'topicId', code: 'custom', message }])
}

/** The fields without a body that is made of their source. */
function writtenOnce(fields: { readonly source?: unknown; readonly body?: unknown }): object {
  const { body: _, ...others } = fields
  return fields.source == null ? fields : others
}

/** The ways in which a body may be given. */
type GivenBody = Pick<Partial<CreateTemplateInput>, 'body' | 'source' | 'design'>

function* changeProblems(given: GivenBody): Generator<FieldProblem> {
  yield* sourceProblems(given)
  yield* designProblems(given)
}

/** The problems of a body that is given as HTML or by its source. */
export function* sourceOrBody(given: GivenBody): Generator<FieldProblem> {
  yield* bodyProblems(given)
  yield* sourceProblems(given)
}

function* newProblems(given: GivenBody): Generator<FieldProblem> {
  yield* bodyProblems(given)
  yield* changeProblems(given)
}

/** The record without the fields that are null or undefined. */
function withoutNull<T extends object>(
  fields: T,
): { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>
} {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as ReturnType<
    typeof withoutNull<T>
  >
}

function definedOnly<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> }
}
