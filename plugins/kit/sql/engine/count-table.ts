import type { MikroORM } from '@mikro-orm/sql'
import type { Figures } from '../../../../core/ports/store/reputation.ts'
import type { ProjectId } from '../../../../core/values/project-id.ts'
import { DeliveryCountRow } from '../entities/delivery-counts.ts'
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

  constructor(dialect: Dialect, orm: MikroORM, slots: number) {
    super(dialect, orm, DeliveryCountRow)
    this.slot = Math.floor(Math.random() * slots)
  }
}
