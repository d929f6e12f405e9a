import { Migration } from '@mikro-orm/migrations'

/** Requests to webhooks are signed in the way of another service, where their endpoint asks for its form. */
export class WebhookDeliveryDialects extends Migration {
  override up(): void {
    this.addSql(`alter table "webhook_deliveries" add column "dialect" text null`)
  }
}
