import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The rows of imports that were refused, to be mended and imported again. */
export class RefusedRows extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      `create table "contact_job_refusals" ("contact_job_id" uuid not null, "row" int not null, "bytes" bytea not null, primary key ("contact_job_id", "row"))`,
    )
  }
}
