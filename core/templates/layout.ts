import * as v from 'valibot'
import { Design } from '../mail/design.ts'
import { Layout } from '../ports/store/layouts.ts'
import type { InputOf } from '../values/input.ts'
import { changing, creating } from '../values/record.ts'
import { SEEN_VERSION } from '../values/record-version.ts'

export const CreateLayout = creating(Layout, { design: Design })

/** Every field is optional; null removes the description. */
export const ChangeLayout = v.object({ ...changing(Layout, { design: Design }).entries, ...SEEN_VERSION })

/** A new layout. */
export interface CreateLayoutInput extends InputOf<typeof CreateLayout> {}

/** The fields of a layout to change; null removes the description. */
export interface ChangeLayoutInput extends InputOf<typeof ChangeLayout> {}
