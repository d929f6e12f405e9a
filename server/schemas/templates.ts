import * as v from 'valibot'
import { TEMPLATE_TYPES } from '../../core/ports/store/templates.ts'
import { named } from '../../core/values/described.ts'
import { Count, Fields, Id, many, Time } from './parts.ts'
import { NamedUse, StepUse } from './uses.ts'

export const TemplateRecord = named(
  'Template',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.optional(v.string()),
    description: v.optional(v.string()),
    subject: v.string(),
    preheader: v.optional(v.string()),
    body: v.string(),
    layoutId: v.optional(Id),
    // not in lists
    design: v.optional(Fields),
    type: v.picklist(TEMPLATE_TYPES),
    from: v.optional(v.string()),
    fromName: v.optional(v.string()),
    replyTo: v.optional(v.string()),
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const RenderedTemplate = named(
  'RenderedTemplate',
  v.object({ subject: v.string(), html: v.string(), text: v.string() }),
)

export const SnippetRecord = named(
  'Snippet',
  v.object({
    id: Id,
    name: v.string(),
    description: v.optional(v.string()),
    body: v.string(),
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const LayoutRecord = named('Layout', v.object({ ...SnippetRecord.entries }))

/** Where a snippet or a layout is used. */
export const ContentUses = named(
  'ContentUses',
  v.object({
    templates: many(NamedUse),
    campaigns: many(NamedUse),
    snippets: many(NamedUse),
    layouts: many(NamedUse),
    workflows: many(StepUse),
  }),
)

export const TemplateUses = named(
  'TemplateUses',
  v.object({ campaigns: many(NamedUse), workflows: many(StepUse), emailsSent: Count }),
)
