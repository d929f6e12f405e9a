import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Projects have mail servers of their own, with one version for all of a project's. */
export class ProjectMailServers extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(
      'create table "project_mail_servers" ("project_id" uuid not null, "value" jsonb not null, "version" int not null, "updated_at" timestamptz(3) not null, primary key ("project_id"))',
    )
  }
}
