import { EngineError } from '../../errors.ts'
import type { Kit } from '../../kit.ts'
import type { Translations } from '../../mail/languages/translations.ts'
import { translationsIn } from '../../mail/languages/translations-in.ts'
import type { Links } from '../../mail/links/links.ts'
import type { Contact } from '../../ports/store/contacts.ts'
import { Form, type FormSubmission } from '../../ports/store/forms.ts'
import type { Project } from '../../ports/store/projects.ts'
import type { Store } from '../../ports/store/store.ts'
import type { Topic } from '../../ports/store/topics.ts'
import { requireEnabled } from '../../projects/project.ts'
import type { References } from '../../references/references.ts'
import { isId } from '../../values/id.ts'
import type { UntrustedInput } from '../../values/input.ts'
import type { Untrusted } from '../../values/json.ts'
import {
  type NumberedPage,
  numberedPage,
  type Page,
  type PageInput,
  PageQuery,
  pageOf,
  pageRequest,
} from '../../values/page.ts'
import { parse, refused } from '../../values/parse.ts'
import { changed, made } from '../../values/record.ts'
import { nextVersion } from '../../values/record-version.ts'
import { shownId } from '../../values/shown-id.ts'
import { NOTICE_PAUSE_MS } from '../../work/notice.ts'
import { type Confirmations, senderOf } from '../confirmations.ts'
import { namedTopic } from '../named-topic.ts'
import {
  ChangeForm,
  type ChangeFormInput,
  CreateForm,
  type CreateFormInput,
  FORM_LIMITS,
  ListSubmissions,
  type ListSubmissionsInput,
  problemsOf,
} from './form.ts'
import { type FormChallenge, ProofOfWork } from './proof-of-work.ts'
import { isTrapped, readAnswers, type Sent } from './read-answers.ts'
import { SubmissionLimits, tooManySubmissions } from './submission-limits.ts'
import { type FormVisitor, submit } from './submit.ts'
import { FormViews } from './views.ts'

/** How often an attack that lasts is noted. */
const NOTED_EVERY_MS = 10 * 60_000

/** A form as its visitors may see it. */
export interface ShownForm {
  /** The form itself. */
  readonly form: Form
  /** The project that it belongs to. */
  readonly project: Project
  /** Those to choose from that are there, in the order of the form. */
  readonly topics: readonly Topic[]
  /** In the project's language, else the first supported one of the visitor's. */
  readonly translations: Translations
  /** False: it takes no submissions. */
  readonly isOpen: boolean
}

/** The answer to a visitor. It is the same for every address, so that it says nothing about who is on the list. */
export interface SubmittedForm {
  /** Where to lead the visitor; absent: to the page of this service. */
  readonly redirectUrl?: string
}

/** A submission with the contact that it is about; without one that was removed just now. */
export interface SubmissionWithContact extends FormSubmission {
  /** The contact as it is now; undefined once it is removed. */
  readonly contact: Pick<Contact, 'id' | 'email' | 'subscribed'> | undefined
}

/** The forms of a project, by which people sign up. */
export class Forms {
  readonly #views: FormViews
  readonly #work: ProofOfWork
  readonly #limits = new SubmissionLimits()
  /** When attacks were last noted, by form. */
  readonly #attacks = new Map<string, number>()

  constructor(
    private readonly store: Store,
    private readonly confirmations: Confirmations,
    private readonly links: Links,
    private readonly references: References,
    private readonly kit: Kit,
  ) {
    this.#views = new FormViews(store)
    this.#work = new ProofOfWork(links.keyFor('mailwright forms', ''))
  }

  /** One page, newest first. */
  async list(project: Project, query: PageInput | UntrustedInput = {}): Promise<NumberedPage<Form>> {
    const { forms } = this.store
    return numberedPage(
      { projectId: project.id, name: 'forms' },
      parse(PageQuery, query),
      (page) => forms.page(project.id, page),
      () => forms.count(project.id),
    )
  }

  /** The form. Throws EngineError `FORM_NOT_FOUND`. */
  async get(project: Project, id: string): Promise<Form> {
    const form = isId(id) ? await this.store.forms.find(project.id, id) : undefined
    return form ?? missing(id)
  }

  /**
   * Stores a new form. Throws EngineError `VALIDATION_ERROR` (also when people are to confirm by mail and the project has
   * no sender for that), `TOPIC_NOT_FOUND`, `CONFLICT` for one form too many, `PROJECT_DISABLED`.
   */
  async create(project: Project, input: CreateFormInput | UntrustedInput): Promise<Form> {
    requireEnabled(project)
    const wanted = await this.#withTopics(project, parse(CreateForm, input))
    const now = this.kit.now()
    const own = { id: this.kit.newId(), projectId: project.id, version: 1, createdAt: now, updatedAt: now }
    const form = { ...own, ...made(Form, wanted), shown: 0, submitted: 0, confirmed: 0 }
    requireSound(project, form)
    await this.store.transaction(async (tx) => {
      await tx.projects.lock(project.id)
      if ((await tx.forms.count(project.id)) >= FORM_LIMITS.forms) throw tooMany()
      await tx.forms.insert(form)
    })
    return form
  }

  /** Changes the given fields; null removes `redirectUrl`. Throws as `create` and `get` do. */
  async change(project: Project, id: string, input: ChangeFormInput | UntrustedInput): Promise<Form> {
    requireEnabled(project)
    const { version: seen, ...given } = parse(ChangeForm, input)
    if (!isId(id)) return missing(id)
    const wanted = await this.#withTopics(project, given)
    return this.store.transaction(async (tx) => {
      const before = (await tx.forms.lock(project.id, id)) ?? missing(id)
      const version = nextVersion('form', before, seen)
      const form = { ...changed(Form, before, wanted), version, updatedAt: this.kit.now() }
      requireSound(project, form)
      await tx.forms.update(form)
      return form
    })
  }

  /**
   * Removes it. What was sent by it stays as proof until its contacts are removed. Throws EngineError `FORM_NOT_FOUND`,
   * `CONFLICT` while a workflow starts by it, `PROJECT_DISABLED`.
   */
  async remove(project: Project, id: string): Promise<void> {
    requireEnabled(project)
    if (!isId(id)) return missing(id)
    await this.store.transaction(async (tx) => {
      const { name } = (await tx.forms.lock(project.id, id)) ?? missing(id)
      await this.references.refuseWhileNeeded(project, { kind: 'form', id, name }, tx)
      await tx.forms.remove(project.id, id)
    })
  }

  /**
   * One page of what was sent by the form, with its contacts, newest first. The total is the form's figure, which still
   * has those whose contacts were removed. Throws EngineError `FORM_NOT_FOUND`.
   */
  async submissions(
    project: Project,
    id: string,
    query: ListSubmissionsInput | UntrustedInput = {},
  ): Promise<Page<SubmissionWithContact>> {
    const { confirmed, ...asked } = parse(ListSubmissions, query)
    const form = await this.get(project, id)
    const filter = confirmed === undefined ? {} : { confirmed }
    const list = { projectId: project.id, name: `submissions:${id}:${confirmed ?? ''}` }
    const page = pageRequest(list, asked)
    const rows = await this.store.forms.submissions(project.id, id, filter, page)
    const contacts = await this.store.contacts.findAll(project.id, [...new Set(rows.map((row) => row.contactId))])
    const byId = new Map(contacts.map((contact) => [contact.id, contact]))
    const total =
      confirmed === undefined ? form.submitted : confirmed ? form.confirmed : form.submitted - form.confirmed
    const items = rows.map((row) => ({ ...row, contact: byId.get(row.contactId) }))
    return pageOf(list, items, asked.limit, page.after ? 0 : total, ({ id: last }) => ({ value: '', id: last }))
  }

  /** The form as a visitor sees it; changes nothing. Undefined when there is no such form. */
  async look(id: string, languages: readonly string[] = []): Promise<ShownForm | undefined> {
    const form = isId(id) ? await this.store.forms.findAnywhere(id) : undefined
    const project = form && (await this.store.projects.find(form.projectId))
    if (!project) return undefined
    const translations = translationsIn(project.locale, ...languages)
    return { form, project, topics: await this.#topicsOf(form), translations, isOpen: form.active && !project.disabled }
  }

  /** Counts one view of the form; a view that cannot be counted is only logged. */
  async showed({ form }: ShownForm): Promise<void> {
    try {
      await this.#views.add(form.id)
    } catch (error) {
      this.kit.log.warn('could not count a view of a form', { project: form.projectId, form: form.id, error })
    }
  }

  /** A challenge for the visitor's browser (ALTCHA): with its solution, a submission counts for the limit of those. */
  challenge({ form }: ShownForm): FormChallenge {
    return this.#work.challenge(form.id, this.kit.now())
  }

  /**
   * Takes what a visitor sent, by the keys of the fields, with `email`. The answer is the same for new, known and
   * suppressed addresses. Throws EngineError `VALIDATION_ERROR` by the names of the fields, `CONFLICT` when the form is
   * closed, `RATE_LIMIT_EXCEEDED` for too many of a client, a network or the form, `SERVICE_UNAVAILABLE` when no one could
   * be asked to confirm.
   */
  async submit(shown: ShownForm, input: Sent | UntrustedInput, visitor: FormVisitor = {}): Promise<SubmittedForm> {
    const { form, project } = shown
    if (!shown.isOpen) throw new EngineError('CONFLICT', 'This form takes no submissions at the moment.')
    const sent = sentIn(input)
    const now = this.kit.now()
    if (isTrapped(sent)) {
      if (this.#limits.trap(form.id, now)) await this.#attacked(form, 'traps')
      // a program is answered as a person is, so that it does not learn to do better
      return form.redirectUrl === undefined ? {} : { redirectUrl: form.redirectUrl }
    }
    const solution = this.#work.solution(sent.altcha, form.id, now)
    await this.#requireRoom(form, visitor, solution?.challenge, now)
    const read = readAnswers(form, shown.topics, sent)
    if (form.doubleOptIn) this.#requireMail(project)
    await submit(
      { store: this.store, confirmations: this.confirmations, kit: this.kit },
      shown,
      read,
      visitor,
      solution,
    )
    return read.redirectUrl === undefined ? {} : { redirectUrl: read.redirectUrl }
  }

  /** The same with the ids of the topics. Throws EngineError `TOPIC_NOT_FOUND`. */
  async #withTopics<Given extends { readonly topicIds?: readonly string[] | undefined }>(
    project: Project,
    given: Given,
  ) {
    if (given.topicIds === undefined) return given
    const topics = await Promise.all(given.topicIds.map((name) => namedTopic(this.store, project.id, name)))
    return { ...given, topicIds: [...new Set(topics.map(({ id }) => id))] }
  }

  async #topicsOf({ projectId, topicIds }: Form): Promise<readonly Topic[]> {
    if (topicIds.length === 0) return []
    const all = new Map((await this.store.topics.all(projectId)).map((topic) => [topic.id, topic]))
    return topicIds.flatMap((id) => all.get(id) ?? []).filter(({ archived = false }) => !archived)
  }

  /** Throws EngineError `RATE_LIMIT_EXCEEDED` for a submission too many. */
  async #requireRoom(form: Form, { address }: FormVisitor, solution: string | undefined, now: Date): Promise<void> {
    const over = this.#limits.count(form.id, { address, now, ...(solution === undefined ? {} : { solution }) })
    if (over === undefined) return
    if (over.by === 'plain' || over.by === 'proven') await this.#attacked(form, over.by)
    throw tooManySubmissions(over)
  }

  /** Notes an attack with the form while it lasts, from which its owners are told, and warns of it once a day in the log. */
  async #attacked({ id, projectId, name }: Form, by: 'plain' | 'proven' | 'traps'): Promise<void> {
    const now = this.kit.now()
    if (now.getTime() < (this.#attacks.get(id) ?? 0) + NOTED_EVERY_MS) return
    this.#attacks.set(id, now.getTime())
    await this.store.forms.note(id, { attackedAt: now })
    if (!(await this.store.notices.first(projectId, `form ${id}`, now, NOTICE_PAUSE_MS))) return
    this.kit.log.warn('a form is attacked', {
      project: projectId,
      form: id,
      name,
      reason: REASONS[by],
      advice: `What is over the limits is refused, and no one is mailed more than once a day. GET /forms/${id}/submissions lists what was taken.`,
    })
  }

  /** People must not wait for a mail that cannot be sent. */
  #requireMail(project: Project): void {
    if (this.links.isPublic && senderOf(project)) return
    const [reason, suggestion] = this.links.isPublic
      ? [
          'the project has no sender with a verified domain',
          'Set `from` of the project to an address at a verified domain.',
        ]
      : ['this service has no public address', 'Set `server.publicUrl` of this server.']
    this.kit.log.warn(`a form was refused, since no one can confirm: ${reason}`, { project: project.id })
    const message = 'This form takes no submissions at the moment.'
    throw new EngineError('SERVICE_UNAVAILABLE', message, { isTold: true, suggestion })
  }
}

const REASONS = {
  plain: 'very many submissions without proof of work',
  proven: 'very many submissions with proof of work',
  traps: 'very many submissions of programs that fill in what people do not see',
} as const

/**
 * The values of a submission, without the names of all objects: a field may be called `constructor`. Throws EngineError
 * `VALIDATION_ERROR` for anything but an object.
 */
function sentIn(input: Untrusted): Sent {
  if (typeof input === 'object' && input !== null && !Array.isArray(input))
    return Object.assign(Object.create(null), input)
  throw refused([{ field: '', code: 'invalid_type', message: 'must be an object' }])
}

function requireSound(project: Project, form: Form): void {
  const problems = [...problemsOf(form)]
  if (form.doubleOptIn && !project.doubleOptIn && !project.from)
    problems.push({
      field: 'doubleOptIn',
      code: 'custom',
      message: 'needs a sender for the mail that asks for a confirmation; set `from` of the project first',
    })
  if (problems.length > 0) throw refused(problems)
}

function tooMany(): EngineError {
  const message = `A project has at most ${FORM_LIMITS.forms} forms.`
  return new EngineError('CONFLICT', message, { suggestion: 'Delete a form that is no longer used.' })
}

function missing(id: string): never {
  throw new EngineError('FORM_NOT_FOUND', `There is no form ${shownId(id)}.`)
}
