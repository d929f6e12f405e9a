import { readData } from '../contacts/contact.ts'
import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { mailSources, variablesFor } from '../mail/compile-mail.ts'
import { CompiledMails } from '../mail/compiled-mails.ts'
import { designAfter, designProblems } from '../mail/design.ts'
import { Links } from '../mail/links/links.ts'
import { withPreheader } from '../mail/render/mail-body.ts'
import type { MailVariables } from '../mail/render/scope.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { Project } from '../ports/store/projects.ts'
import { Store } from '../ports/store/store.ts'
import type { Template } from '../ports/store/templates.ts'
import { requireEnabled, requireVerifiedDomain } from '../projects/project.ts'
import { References, refuseWhileUsed } from '../references/references.ts'
import type { CampaignUse, WorkflowUse } from '../references/uses.ts'
import { copyName } from '../values/copy-name.ts'
import { isId } from '../values/id.ts'
import type { UntrustedInput } from '../values/input.ts'
import { senderFields } from '../values/mailbox.ts'
import { type NumberedPage, numberedPage } from '../values/page.ts'
import { noteWarning, parse } from '../values/parse.ts'
import { checkContent, checkedBody, holdContent } from './check-content.ts'
import { Layouts } from './layouts.ts'
import { missingTemplate, namedTemplate } from './named-template.ts'
import { freeSlug, slugFor, slugTaken } from './slug.ts'
import { Snippets } from './snippets.ts'
import type { ChangeTemplateInput, CreateTemplateInput, ListTemplatesInput, RenderTemplateInput } from './template.ts'
import { ChangeTemplate, CreateTemplate, ListTemplates, NAME_LENGTH, RenderTemplate } from './template.ts'

/** Where a template is used, and how many mails were made from it. */
export interface TemplateUsage {
  readonly campaigns: readonly CampaignUse[]
  readonly workflows: readonly WorkflowUse[]
  readonly emailsSent: number
}

/** How often a new template looks for a free slug while others are made under the same name. */
const SLUG_TRIES = 5

/** The templates of a project. */
@injectable()
export class Templates {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(References) private readonly references: References,
    @inject(CompiledMails) private readonly mails: CompiledMails,
    @inject(Links) private readonly links: Links,
    @inject(Kit) private readonly kit: Kit,
    @inject(Snippets) readonly snippets: Snippets,
    @inject(Layouts) readonly layouts: Layouts,
  ) {}

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
  async create(project: Project, input: CreateTemplateInput | UntrustedInput): Promise<Template> {
    requireEnabled(project)
    const now = this.kit.now()
    const { from, fromName, ...given } = parse(CreateTemplate, input)
    const fields = withoutNull({ ...given, ...senderFields({ from, fromName }) })
    const template = { ...fields, id: this.kit.newId(), projectId: project.id, createdAt: now, updatedAt: now }
    await checkContent(this.mails, this.store, mailSources(template), { ...template, input })
    if (template.from) requireVerifiedDomain(project, template.from)
    return this.#insert(template)
  }

  /** Changes the given fields; null removes an optional one. Throws as `create` and `get` do. */
  async change(project: Project, id: string, input: ChangeTemplateInput | UntrustedInput): Promise<Template> {
    requireEnabled(project)
    const { from, fromName, ...given } = parse(ChangeTemplate, input, designProblems)
    const wanted = { ...given, ...senderFields({ from, fromName }) }
    if (!isId(id)) return missingTemplate(id)
    const { layoutId } = wanted
    await checkContent(this.mails, this.store, mailSources(wanted), { projectId: project.id, layoutId, input })
    return this.store.transaction(async (tx) => {
      const before = (await tx.templates.lock(project.id, id)) ?? missingTemplate(id)
      const { design: _, ...others } = withoutNull({ ...before, ...definedOnly(wanted), updatedAt: this.kit.now() })
      const template = { ...others, ...designAfter(before, wanted, others.body) }
      if (template.from) requireVerifiedDomain(project, template.from)
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
      const { name } = (await tx.templates.lock(project.id, id)) ?? missingTemplate(id)
      refuseWhileUsed(`The template "${name}"`, await this.references.template(project, id, tx))
      await tx.templates.remove(project.id, id)
    })
  }

  /** Stores a copy named "… (Copy)", with a slug made from that name, and answers it. Throws as `get` does. */
  async duplicate(project: Project, id: string): Promise<Template> {
    requireEnabled(project)
    const now = this.kit.now()
    const { slug: _, ...source } = await this.get(project, id)
    const name = copyName(source.name, NAME_LENGTH)
    return this.#insert({ ...source, name, id: this.kit.newId(), createdAt: now, updatedAt: now })
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
    const { subject, body, preheader, layoutId, data, contactId } = parse(RenderTemplate, input)
    const contact = contactId == null ? undefined : await this.#contact(project, contactId)
    const own = readData(data ?? undefined).variables
    const variables = contact ? variablesFor(contact, own) : own
    const urls = contact && this.links.ofContact({ projectId: project.id, contactId: contact.id })
    const mailVariables: MailVariables = contact
      ? { id: contact.id, email: contact.email, subscribed: contact.subscribed, ...urls }
      : {}
    const whole = await checkedBody(this.mails, this.store, project.id, { body, layoutId })
    const rendered = await this.mails.render(subject, withPreheader(whole, preheader ?? undefined), {
      variables,
      mailVariables,
    })
    if (rendered.subject.trim() === '')
      noteWarning(input, { field: 'subject', message: 'is empty once it is filled in' })
    return rendered
  }

  /** Stores a new template. One without a slug gets a free one; another template may take that meanwhile. */
  async #insert(template: Template): Promise<Template> {
    let slug = template.slug ?? slugFor(template.name)
    for (let tries = 0; tries < SLUG_TRIES; tries++) {
      const made = { ...template, slug }
      const outcome = await this.store.transaction(async (tx) => {
        await holdContent(tx, made.projectId, made)
        return tx.templates.insert(made)
      })
      if (outcome === 'inserted') return made
      if (template.slug !== undefined) break
      slug = await freeSlug(this.store.templates, template)
    }
    return slugTaken(slug)
  }

  async #contact(project: Project, id: string): Promise<Contact> {
    const contact = isId(id) ? await this.store.contacts.find(project.id, id) : undefined
    if (!contact) throw new EngineError('CONTACT_NOT_FOUND', `There is no contact ${id}.`)
    return contact
  }
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
