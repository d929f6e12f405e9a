import { Migration } from '@mikro-orm/migrations'

/** Figures of receivers on domains, out of uploaded files. */
export class ReceiverFigures extends Migration {
  override up(): void {
    this.addSql(
      `create table "receiver_figures" ("id" text not null primary key, "project_id" text not null, "domain_id" text not null, "receiver" text not null, "figure" text not null, "day" text not null, "subject" text not null, "value" json null, "word" text null, "created_at" datetime not null)`,
    )
    this.addSql(`create index "receiver_figures_day" on "receiver_figures" ("domain_id", "day")`)
    this.addSql(`create index "receiver_figures_age" on "receiver_figures" ("day")`)
    this.addSql(
      `create unique index "receiver_figures_once" on "receiver_figures" ("domain_id", "receiver", "figure", "day", "subject")`,
    )
  }
}
