/* SQL by hand for the figures, which are added to where they stand. */
import type {
  Form,
  FormFigures,
  FormRepository,
  FormSubmission,
  SubmissionFilter,
} from '../../../../../core/ports/store/forms.ts'
import type { NumberedRequest, PageRequest } from '../../../../../core/values/page.ts'
import type { ProjectId } from '../../../../../core/values/project-id.ts'
import { PlainNoun } from '../../engine/project-noun.ts'
import { Rows } from '../../engine/rows.ts'

/** How many of a contact's waiting submissions are read. */
const MAX_WAITING = 100

/** The sign-up forms, and what was sent by them. */
export class SqlForms extends PlainNoun<Form> implements FormRepository {
  protected readonly rows = new Rows(this.access, this.tables.forms)
  protected override readonly kept = ['shown', 'submitted', 'confirmed', 'attackedAt'] as const
  readonly #submissions = new Rows(this.access, this.tables.formSubmissions)

  findAnywhere(id: string): Promise<Form | undefined> {
    return this.rows.one({ id })
  }

  page(projectId: ProjectId, page: NumberedRequest): Promise<readonly Form[]> {
    return this.rows.page({ projectId }, page)
  }

  count(projectId: ProjectId): Promise<number> {
    return this.rows.count({ projectId })
  }

  attackedSince(since: Date): Promise<readonly Form[]> {
    return this.rows.list({ attackedAt: { $gte: since } })
  }

  async note(id: string, what: { readonly shown: number } | { readonly attackedAt: Date }): Promise<void> {
    if ('shown' in what) await this.#add(id, what)
    else await this.rows.change({ id }, what)
  }

  async addSubmission(submission: FormSubmission): Promise<void> {
    await this.#submissions.insert(submission)
    await this.#add(submission.formId, { submitted: 1, confirmed: submission.confirmedAt ? 1 : 0 })
  }

  submissions(
    projectId: ProjectId,
    formId: string,
    { confirmed }: SubmissionFilter,
    page: PageRequest,
  ): Promise<readonly FormSubmission[]> {
    const ofForm = { projectId, formId }
    if (confirmed === undefined) return this.#submissions.page(ofForm, page)
    return this.#submissions.page({ $and: [ofForm, { confirmedAt: confirmed ? { $ne: null } : null }] }, page)
  }

  ofContact(
    projectId: ProjectId,
    contactId: string,
    which: { readonly emailId: string | undefined } | { readonly askedBy: string } | 'waiting',
  ): Promise<readonly FormSubmission[]> {
    const newest = { orderBy: { id: 'desc' } } as const
    const open = { projectId, contactId, confirmedAt: null }
    if (which === 'waiting') {
      const waiting = { ...open, outcome: 'waiting', emailId: null } as const
      return this.#submissions.list(waiting, { ...newest, limit: MAX_WAITING })
    }
    if ('askedBy' in which) return this.#submissions.list({ projectId, contactId, emailId: which.askedBy }, newest)
    const { emailId } = which
    const earlier = { outcome: 'asked', emailId: null } as const
    const asked = emailId === undefined ? earlier : { $or: [{ emailId }, earlier] }
    return this.#submissions.list({ $and: [open, asked] }, newest)
  }

  async confirm(projectId: ProjectId, submissions: readonly FormSubmission[], at: Date): Promise<void> {
    const ids = submissions.map(({ id }) => id)
    const open = { projectId, id: { $in: ids }, confirmedAt: null }
    const found = ids.length === 0 ? [] : await this.#submissions.list(open)
    if (found.length === 0) return
    await this.#submissions.change(open, { confirmedAt: at })
    const byForm = Map.groupBy(found, ({ formId }) => formId)
    // in one order, so that transactions do not wait for each other in a circle
    for (const formId of [...byForm.keys()].sort())
      await this.#add(formId, { confirmed: byForm.get(formId)?.length ?? 0 })
  }

  async noteAsked(projectId: ProjectId, ids: readonly string[], emailId: string | undefined): Promise<void> {
    const asked = { emailId: emailId ?? null, outcome: 'asked' } as const
    await this.#submissions.change({ projectId, id: { $in: [...ids] } }, asked)
  }

  async #add(id: string, { shown = 0, submitted = 0, confirmed = 0 }: Partial<FormFigures>): Promise<void> {
    const sql = `update "forms" set "shown" = "shown" + ?, "submitted" = "submitted" + ?, "confirmed" = "confirmed" + ?
      where "id" = ?`
    await this.access.writeOnce((session) => session.run(sql, [shown, submitted, confirmed, id]))
  }
}
