import type { MikroORM } from '@mikro-orm/sql'
import type { Execution } from '../../../../core/ports/store/executions.ts'
import { WorkflowExecutionRow } from '../entities/workflow-executions.ts'
import { ActivityDeltas } from './activity-deltas.ts'
import type { Claimed } from './claim.ts'
import type { Dialect } from './dialect.ts'
import type { Session } from './session.ts'
import { Table } from './table.ts'

/** An execution and its lease, if any. */
export type StoredExecution = Execution & Claimed

/** The executions, which add those that are inserted to the figures. */
export class ExecutionTable extends Table<StoredExecution> {
  override readonly isCounted = true
  constructor(dialect: Dialect, orm: MikroORM) {
    super(dialect, orm, WorkflowExecutionRow)
  }

  override async insert(session: Session, records: readonly StoredExecution[], onConflict = ''): Promise<number> {
    return (await this.insertNew(session, records, onConflict)).size
  }

  /** The same; answers the ids of the rows that were written. */
  async insertNew(
    session: Session,
    records: readonly StoredExecution[],
    onConflict: string,
  ): Promise<ReadonlySet<string>> {
    const written = new Set(records.length === 0 ? [] : await this.insertedIds(session, records, onConflict))
    const figures = new ActivityDeltas()
    for (const record of records) {
      if (!written.has(record.id)) continue
      figures.add(record.projectId, 'started', record.startedAt, 1)
      figures.ended(record.projectId, record, 1)
    }
    await figures.write(this.dialect, session)
    return written
  }
}
