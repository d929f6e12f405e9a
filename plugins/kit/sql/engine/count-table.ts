import type { EntityMetadata } from '@mikro-orm/core'
import type { Figures } from '../../../../core/ports/store/reputation.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import type { Dialect } from './dialect.ts'
import { Table } from './table.ts'

/** One process's counts of a day between two domains. */
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

/** The delivery counts. Each process writes in one slot, chosen at random. */
export class CountTable extends Table<StoredCount> {
  readonly slot: number

  constructor(dialect: Dialect, meta: EntityMetadata, slots: number) {
    super(dialect, meta)
    this.slot = Math.floor(Math.random() * slots)
  }
}
