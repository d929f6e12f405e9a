import { Layout } from '../ports/store/layouts.ts'
import type { InputOf } from '../values/input.ts'
import { changing, creating } from '../values/record.ts'

export const CreateLayout = creating(Layout)

export const ChangeLayout = changing(Layout)

/** A new layout. */
export interface CreateLayoutInput extends InputOf<typeof CreateLayout> {}

/** The fields of a layout to change; null removes the description. */
export interface ChangeLayoutInput extends InputOf<typeof ChangeLayout> {}
