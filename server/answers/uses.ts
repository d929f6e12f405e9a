import * as v from 'valibot'
import type { FieldUsage } from '../../core/contacts/contact-fields.ts'
import type { EventUsage } from '../../core/events/events.ts'
import type { Uses } from '../../core/references/uses.ts'
import type { ContentUses } from '../../core/templates/content-uses.ts'
import type { TemplateUsage } from '../../core/templates/templates.ts'
import { answer } from './answer.ts'
import { Count, Id, many } from './parts.ts'

const Use = answer('UsedBy', { id: Id, name: v.string() })
const uses = many(Use.schema)

/** A workflow that uses something; without a step, in its trigger. */
const StepUse = answer('UsedByWorkflow', { id: Id, name: v.string(), stepId: v.optional(Id) })
const stepUses = many(StepUse.schema)

const usedIn = { usedInSegments: uses, usedInCampaigns: uses, usedInWorkflows: stepUses, usedInForms: uses }

function usersIn({ segments, campaigns, workflows, forms }: Uses) {
  return {
    usedInSegments: segments.map(Use.of),
    usedInCampaigns: campaigns.map(Use.of),
    usedInWorkflows: workflows.map(StepUse.of),
    usedInForms: forms.map(Use.of),
  }
}

export const FieldUsageAnswer = answer(
  'FieldUsage',
  { ...usedIn, contactCount: Count, canDelete: v.boolean() },
  ({ contactCount, canDelete, ...uses }: FieldUsage) => ({ ...usersIn(uses), contactCount, canDelete }),
)

export const EventUsageAnswer = answer(
  'EventUsage',
  {
    usedInSegments: uses,
    usedInWorkflows: stepUses,
    totalCount: Count,
    uniqueContacts: Count,
    canDelete: v.boolean(),
  },
  ({ totalCount, uniqueContacts, canDelete, ...uses }: EventUsage) => {
    return { ...usersIn(uses), totalCount, uniqueContacts, canDelete }
  },
)

export const TemplateUsesAnswer = answer(
  'TemplateUses',
  { campaigns: uses, workflows: stepUses, emailsSent: Count },
  ({ campaigns, workflows, emailsSent }: TemplateUsage) => {
    return { campaigns: campaigns.map(Use.of), workflows: workflows.map(StepUse.of), emailsSent }
  },
)

/** Where a snippet or a layout is used; a template counts when its draft uses it, too. */
export const ContentUsesAnswer = answer(
  'ContentUses',
  { templates: uses, campaigns: uses, snippets: uses, layouts: uses, workflows: stepUses },
  ({ templates, drafts, campaigns, snippets, layouts, workflows }: ContentUses) => {
    const drafted = drafts.filter(({ id }) => !templates.some((each) => each.id === id))
    return {
      templates: [...templates, ...drafted].map(Use.of),
      campaigns: campaigns.map(Use.of),
      snippets: snippets.map(Use.of),
      layouts: layouts.map(Use.of),
      workflows: workflows.map(StepUse.of),
    }
  },
)
