import * as v from 'valibot'
import { answer } from './answer.ts'
import { Id } from './parts.ts'

/** Where the browser goes after a decision about a client, and the grant if there is one. */
export const DecidedGrant = answer('DecidedGrant', { id: v.nullable(Id), redirectTo: v.string() })
