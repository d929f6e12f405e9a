import type { EntityMetadata } from '@mikro-orm/core'
import type { Figures } from '../../../../core/ports/store/reputation.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect } from './dialect.ts'
import { Table } from './table.ts'

/** The figures of a day between two domains, as one process has counted them. */
export interface StoredCount extends Figures {
  readonly day: number
  readonly projectId: ProjectId
  readonly sendingDomain: string
  readonly recipientDomain: string
  readonly slot: number
}

export interface StoredRefusal {
  readonly projectId: ProjectId
  readonly sendingDomain: string
  readonly recipientDomain: string
  readonly code: string
  readonly text: string
  readonly at: Date
}

/** The counts, of which this process writes those in one slot, chosen by chance. */
export class CountTable extends Table<StoredCount> {
  readonly slot: number

  constructor(dialect: Dialect, meta: EntityMetadata, slots: number) {
    super(dialect, meta)
    this.slot = Math.floor(Math.random() * slots)
  }
}
