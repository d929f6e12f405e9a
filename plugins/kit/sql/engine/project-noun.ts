import type { ProjectId } from '../../../../core/values/project-id.ts'
import { Repository } from './repository.ts'
import type { Rows, Where } from './rows.ts'

/** A noun of projects, a record each with an id: each is found, locked and removed by both. */
export abstract class ProjectNoun<
  Rec extends { readonly id: string; readonly projectId: ProjectId },
> extends Repository {
  protected abstract readonly rows: Rows<Rec>

  find(projectId: ProjectId, id: string): Promise<Rec | undefined> {
    return this.rows.one({ projectId, id } as Where<Rec>)
  }

  lock(projectId: ProjectId, id: string): Promise<Rec | undefined> {
    return this.rows.lock({ projectId, id } as Where<Rec>)
  }

  remove(projectId: ProjectId, id: string): Promise<boolean> {
    return this.rows.remove({ projectId, id } as Where<Rec>)
  }

  /** Inserts the record, or answers `taken` when a unique index refuses it. */
  protected insertUnless<Taken>(record: Rec, taken: Taken): Promise<'inserted' | Taken> {
    return this.#unlessTaken((rows) => rows.insert(record).then(() => 'inserted'), taken)
  }

  /** Writes every field of the record, or answers `taken` when a unique index refuses it. */
  protected updateUnless<Taken>(record: Rec, taken: Taken): Promise<'updated' | 'missing' | Taken> {
    return this.#unlessTaken(async (rows) => ((await rows.update(record, BY_ID)) ? 'updated' : 'missing'), taken)
  }

  async #unlessTaken<Done, Taken>(write: (rows: Rows<Rec>) => Promise<Done>, taken: Taken): Promise<Done | Taken> {
    try {
      return await this.access.attempt((session) => write(this.rows.in(session)))
    } catch (error) {
      if (this.dialect.isTaken(error)) return taken
      throw error
    }
  }
}

/** A noun of projects with a slug that no other one of the project has. */
export abstract class SluggedNoun<
  Rec extends { readonly id: string; readonly projectId: ProjectId; readonly slug?: string },
> extends ProjectNoun<Rec> {
  named(projectId: ProjectId, slug: string): Promise<Rec | undefined> {
    return this.rows.one({ projectId, slug } as Where<Rec>)
  }

  async takenSlugs(projectId: ProjectId, slugs: readonly string[]): Promise<ReadonlySet<string>> {
    const taken = { $and: [{ projectId }, this.rows.among('slug', slugs)] } as Where<Rec>
    return new Set((await this.rows.read('"slug"', taken)).map((row) => String(row.slug)))
  }

  insert(record: Rec): Promise<'inserted' | 'slug-taken'> {
    return this.insertUnless(record, 'slug-taken')
  }

  update(record: Rec): Promise<'updated' | 'slug-taken' | 'missing'> {
    return this.updateUnless(record, 'slug-taken')
  }
}

/** A noun of projects where no unique index but that of the id can refuse a record. */
export abstract class PlainNoun<
  Rec extends { readonly id: string; readonly projectId: ProjectId },
> extends ProjectNoun<Rec> {
  /** Columns that no update changes. */
  protected readonly kept: readonly (keyof Rec & string)[] = []

  insert(record: Rec): Promise<void> {
    return this.rows.insert(record)
  }

  update(record: Rec): Promise<boolean> {
    return this.rows.update(record, BY_ID, this.kept)
  }
}

/** The properties a record of a project is found by. */
export const BY_ID = ['projectId', 'id'] as const
