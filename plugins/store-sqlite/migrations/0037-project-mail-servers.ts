import { Migration } from '@mikro-orm/migrations'

/** Projects have mail servers of their own, with one version for all of a project's. */
export class ProjectMailServers extends Migration {
  override up(): void {
    this.addSql(
      'create table "project_mail_servers" ("project_id" text not null, "value" json not null, "version" integer not null, "updated_at" datetime not null, primary key ("project_id"))',
    )
  }
}
