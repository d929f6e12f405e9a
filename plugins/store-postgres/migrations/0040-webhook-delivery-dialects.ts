import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Requests to webhooks are signed in the way of another service, where their endpoint asks for its form. */
export class WebhookDeliveryDialects extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "webhook_deliveries" add "dialect" text collate "C" null`)
  }
}
