import * as v from 'valibot'
import { named } from '../../core/values/described.ts'
import { Id, many } from './parts.ts'

/** A segment or a campaign that uses something. */
export const NamedUse = named('UsedBy', v.object({ id: Id, name: v.string() }))

/** A workflow that uses something; without a step, in its trigger. */
export const StepUse = named('UsedByWorkflow', v.object({ id: Id, name: v.string(), stepId: v.optional(Id) }))

/** Everything that uses something. */
export const Uses = { usedInSegments: many(NamedUse), usedInCampaigns: many(NamedUse), usedInWorkflows: many(StepUse) }
