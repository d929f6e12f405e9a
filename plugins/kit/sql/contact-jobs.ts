import type { ContactJob, ContactJobRepository } from '../../../core/contacts/contact-job.ts'
import type { Access } from './session.ts'
import type { Tables } from './tables.ts'

/** Imports and bulk changes, with their leases. */
export class SqlContactJobs implements ContactJobRepository {
  readonly #access: Access
  readonly #tables: Tables

  constructor(access: Access, tables: Tables) {
    this.#access = access
    this.#tables = tables
  }

  find(): Promise<ContactJob | undefined> {
    throw this.#todo()
  }
  file(): Promise<Uint8Array | undefined> {
    throw this.#todo()
  }
  claim(): Promise<ContactJob | undefined> {
    throw this.#todo()
  }
  advance(): Promise<boolean> {
    throw this.#todo()
  }
  release(): Promise<void> {
    throw this.#todo()
  }
  due(): Promise<readonly string[]> {
    throw this.#todo()
  }
  forget(): Promise<number> {
    throw this.#todo()
  }
  #todo() {
    return new Error(`not written yet ${this.#access} ${this.#tables}`)
  }
}
