import { namesRendered } from '../mail/render/render-tag.ts'
import { writtenBody } from '../mail/render/written-body.ts'
import type { Repositories } from '../ports/store/store.ts'
import type { TemplateDraft } from '../ports/store/template-versions.ts'
import type { ProjectId } from '../values/project-id.ts'
import type { Thing, Use } from './uses.ts'

/** The templates whose draft has the layout or the topic, or renders the snippet. */
export async function draftsThatUse(reads: Repositories, projectId: ProjectId, thing: Thing): Promise<readonly Use[]> {
  const users: Use[] = []
  for (const word of wordsOf(thing)) {
    for (const draft of await reads.templateDrafts.mentioning(projectId, word)) {
      if (!uses(draft, thing) || users.some(({ id }) => id === draft.templateId)) continue
      const template = await reads.templates.find(projectId, draft.templateId)
      if (template) users.push({ id: template.id, name: template.name })
    }
  }
  return users
}

/** The words that a draft which uses the thing has somewhere in it. */
function wordsOf(thing: Thing): readonly string[] {
  switch (thing.kind) {
    case 'layout':
      return [thing.id]
    case 'topic':
      return [thing.id, thing.slug]
    case 'snippet':
      return ['render']
    default:
      return []
  }
}

/** Drafts are kept as they were typed. */
function uses({ fields: { layoutId, topicId, body } }: TemplateDraft, thing: Thing): boolean {
  switch (thing.kind) {
    case 'layout':
      return layoutId === thing.id
    case 'topic':
      return topicId === thing.id || topicId === thing.slug
    case 'snippet':
      return typeof body === 'string' && namesRendered(writtenBody(body)).includes(thing.name)
    default:
      return false
  }
}
