import { Migration } from '@mikro-orm/migrations'

/** The rows of imports that were refused, to be mended and imported again. */
export class RefusedRows extends Migration {
  override up(): void {
    this.addSql(
      `create table "contact_job_refusals" ("contact_job_id" text not null, "row" integer not null, "bytes" blob not null, primary key ("contact_job_id", "row"))`,
    )
  }
}
