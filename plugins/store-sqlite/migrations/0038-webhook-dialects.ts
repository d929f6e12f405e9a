import { Migration } from '@mikro-orm/migrations'

/** Endpoints of webhooks that get events in the form of another service. */
export class WebhookDialects extends Migration {
  override up(): void {
    this.addSql(`alter table "webhook_endpoints" add column "dialect" text null`)
  }
}
