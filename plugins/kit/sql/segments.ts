import type { Among, Segment, SegmentRepository } from '../../../core/segments/segment.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** The segments and who is in them. */
export class SqlSegments implements SegmentRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  find(): Promise<Segment | undefined> {
    throw this.#todo()
  }
  lock(): Promise<Segment | undefined> {
    throw this.#todo()
  }
  all(): Promise<readonly Segment[]> {
    throw this.#todo()
  }
  dueForCompute(): Promise<readonly Segment[]> {
    throw this.#todo()
  }
  insert(): Promise<'inserted' | 'slug-taken'> {
    throw this.#todo()
  }
  update(): Promise<'updated' | 'slug-taken' | 'missing'> {
    throw this.#todo()
  }
  remove(): Promise<boolean> {
    throw this.#todo()
  }
  enter(): Promise<readonly string[]> {
    throw this.#todo()
  }
  leave(): Promise<readonly string[]> {
    throw this.#todo()
  }
  entering(_p: string, _s: string, _a: unknown, _among: Among): Promise<readonly string[]> {
    throw this.#todo()
  }
  leaving(): Promise<readonly string[]> {
    throw this.#todo()
  }
  countMembers(): Promise<number> {
    throw this.#todo()
  }
  #todo() {
    return new Error(`not written yet ${this.#access} ${this.#tables}`)
  }
}
