import { inject, injectable } from '../di.ts'
import { EngineError } from '../errors.ts'
import { Kit } from '../kit.ts'
import { Store } from '../ports/store.ts'
import { type Project, requireEnabled } from '../projects/project.ts'
import type { Untrusted } from '../values/json.ts'
import { CursorQuery, type Page, pageOf, pageRequest } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { AddSuppression, type Suppression } from './suppression.ts'

/** The addresses of a project that are not mailed. */
@injectable()
export class Suppressions {
  constructor(
    @inject(Store) private readonly store: Store,
    @inject(Kit) private readonly kit: Kit,
  ) {}

  /** One page of entries in force, newest first. */
  async list(project: Project, query: Untrusted): Promise<Page<Suppression>> {
    const asked = parse(CursorQuery, query)
    const now = this.kit.now()
    const page = pageRequest('suppressions', asked)
    const rows = await this.store.suppressions.page(project.id, now, page)
    const total = page.after ? 0 : await this.store.suppressions.count(project.id, now)
    return pageOf('suppressions', rows, asked.limit, total, ({ id }) => ({ value: '', id }))
  }

  /** Puts an address on the list by hand. Throws EngineError `VALIDATION_ERROR`, `PROJECT_DISABLED`. */
  async add(project: Project, input: Untrusted): Promise<Suppression> {
    requireEnabled(project)
    const { email, detail, expiresAt } = parse(AddSuppression, input)
    return this.store.suppressions.put({
      id: this.kit.newId(),
      projectId: project.id,
      email,
      reason: 'MANUAL',
      ...(detail ? { detail } : {}),
      ...(expiresAt ? { expiresAt } : {}),
      createdAt: this.kit.now(),
    })
  }

  /** Takes an entry off the list, by id or address. Throws EngineError `SUPPRESSION_NOT_FOUND`, `PROJECT_DISABLED`. */
  async remove(project: Project, idOrEmail: string): Promise<void> {
    requireEnabled(project)
    const wanted = idOrEmail.trim().toLowerCase()
    if (await this.store.suppressions.remove(project.id, wanted)) return
    throw new EngineError('SUPPRESSION_NOT_FOUND', `${idOrEmail} is not on the suppression list.`)
  }
}
