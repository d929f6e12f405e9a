import { Migration } from '@mikro-orm/migrations'

/** How projects look to their readers. */
export class LookOfProjects extends Migration {
  override up(): void {
    this.addSql(`alter table "projects" add column "look" json null`)
    this.addSql(`alter table "mail_contents" add column "look" json null`)
  }
}
