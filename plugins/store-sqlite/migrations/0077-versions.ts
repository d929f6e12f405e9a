import { Migration } from '@mikro-orm/migrations'

const EDITED = ['campaigns', 'workflows', 'segments', 'forms', 'projects', 'layouts', 'snippets']

/** The versions of records that people edit, so that a change made for an earlier one is noticed. */
export class Versions extends Migration {
  override up(): void {
    for (const table of EDITED) this.addSql(`alter table "${table}" add column "version" integer not null default 1`)
  }
}
