import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** Endpoints of webhooks that get events in the form of another service. */
export class WebhookDialects extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql(`alter table "webhook_endpoints" add "dialect" text collate "C" null`)
  }
}
