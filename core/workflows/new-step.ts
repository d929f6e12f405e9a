import { mentionsOf } from '../filters/mentions.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Repositories } from '../ports/store/store.ts'
import { checkMentionedSegments } from '../segments/mentioned-segments.ts'
import { holdContent } from '../templates/check-content.ts'
import { missingTemplate, namedTemplate } from '../templates/named-template.ts'
import { isId } from '../values/id.ts'
import type { JsonObject } from '../values/json.ts'
import { refused } from '../values/parse.ts'
import type { StepConfigs } from './step-configs.ts'
import { type KnownStep, STEPS, type StepType, usesOf } from './steps/registry.ts'

// Checks and prepares a step before it is stored, whether it is added alone or with a whole graph.

/** How many characters the configs of all steps of a workflow may have, as JSON: it is read and written as a whole. */
const MAX_CONFIGS = 4 * 1024 * 1024

/**
 * The config as stored, without the template, which has its own field. Do not call it inside a transaction. Throws
 * as `StepConfigs.read` does.
 */
export async function readConfig(
  configs: StepConfigs,
  project: Project,
  type: StepType,
  given: JsonObject,
): Promise<JsonObject> {
  const { templateId, ...config } = await configs.read(project, type, given)
  return config
}

/** Throws EngineError `VALIDATION_ERROR` about this field when the steps of a workflow have too much in all. */
export function refuseTooLarge(steps: readonly KnownStep[], field = 'config'): void {
  if (steps.reduce((sum, { config }) => sum + JSON.stringify(config).length, 0) <= MAX_CONFIGS) return
  const message = `makes the steps of the workflow have more than ${MAX_CONFIGS / 1024 / 1024} MB in all: put long mails into templates`
  throw refused([{ field, code: 'too_big', message }])
}

/** The template's id or slug, beside the config or in it; null removes it, undefined leaves it. */
export function templateIn(
  type: StepType,
  beside: string | null | undefined,
  config: JsonObject | null | undefined,
): string | null | undefined {
  if (!STEPS[type].takesTemplate) {
    if (beside == null) return undefined
    throw refused([{ field: 'templateId', code: 'custom', message: `cannot be given to a ${type} step` }])
  }
  const inside = config?.templateId
  return beside === undefined && (typeof inside === 'string' || inside === null) ? inside : beside
}

/** The id of the template that is named by its id or slug; a step keeps the id, whatever becomes of the slug. */
export async function templateIdOf(tx: Repositories, project: Project, named: string | null | undefined) {
  return named == null || isId(named) ? named : (await namedTemplate(tx, project, named)).id
}

/** Checks that the templates and the segments a step names exist, and locks them until the transaction ends. */
export async function holdWhatItNames(tx: Repositories, project: Project, step: KnownStep): Promise<void> {
  for (const use of usesOf(step)) {
    if (use.kind === 'template') {
      if (!(await tx.templates.lock(project.id, use.id))) missingTemplate(use.id)
    }
    if (use.kind === 'snippet') {
      await holdContent(tx, project.id, { body: String(step.config.body) }, 'config.body')
    }
    if (use.kind === 'filter' && mentionsOf(use.filter).segments.size > 0) {
      checkMentionedSegments(await tx.segments.lockAll(project.id), use.filter, '', 'config')
    }
  }
}
