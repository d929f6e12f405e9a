import { Migration } from '@mikro-orm/migrations'
import { NO_TIMEOUT } from './no-timeout.ts'

/** The order of a contact's executions in a list; those that wait for an event have an index of their own. */
export class RunsOfContact extends Migration {
  override up(): void {
    this.addSql(NO_TIMEOUT)
    this.addSql('drop index "workflow_executions_of_contact"')
    this.addSql(`create index "workflow_executions_of_contact" on "workflow_executions" ("contact_id", "id")`)
    this.addSql(
      `create index "workflow_executions_awaiting" on "workflow_executions" ("contact_id", "waiting_for") where waiting_for is not null`,
    )
  }
}
