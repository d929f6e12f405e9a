import { type Api, answerOf, type operations } from '../api/client.ts'
import type { Project } from '../api/project.tsx'
import { compose } from '../parts/mail-editor/compose.ts'
import { letterOf } from '../parts/starters.ts'
import type { Texts } from '../texts/types.ts'
import type { Workflow } from './graph.ts'
import { CHOSEN_FIELD, type MailWords, mailsOf, RECIPES, type RecipeKey, type RecipeWords } from './recipes.ts'
import { type Start, topicOf, triggerOf } from './start.ts'

type NewWorkflow = operations['createWorkflow']['requestBody']['content']['application/json']

/**
 * Makes the workflow, which is off, and a template for each of its mails, in the language of the dashboard. When
 * something is refused, nothing is left behind.
 */
export async function makeOf(
  key: RecipeKey,
  { name, start }: { readonly name: string; readonly start: Start },
  api: Api,
  project: Project,
  t: Texts,
  recipes: RecipeWords,
): Promise<Workflow> {
  const recipe = RECIPES[key]
  const names: Readonly<Record<string, string>> = recipes[key].steps
  const templates = new Map<string, string>()
  try {
    for (const [at, [step, mail]] of mailsOf(key, recipes).entries()) {
      const words = templateOf(`${name} ${at + 1}: ${mail.subject}`, mail, recipe.links?.[step], project, t)
      const topicId = words.type === 'MARKETING' ? topicOf(start) : undefined
      const body = topicId === undefined ? words : { ...words, topicId }
      templates.set(step, (await answerOf(api.POST('/templates', { body }))).id)
    }
    const steps = Object.entries(recipe.steps).map(([step, planned]) => {
      const templateId = templates.get(step)
      const config = withField(planned.config, start.field)
      return { key: step, name: names[step], ...planned, config, ...(templateId === undefined ? {} : { templateId }) }
    })
    const transitions = recipe.ways.map(([from, to, branch]) => ({ from, to, ...(branch ? { branch } : {}) }))
    const body = { name, ...triggerOf(start), steps, transitions } as NewWorkflow
    return await answerOf(api.POST('/workflows', { body }))
  } catch (refused) {
    for (const id of templates.values()) await api.DELETE('/templates/{id}', { params: { path: { id } } })
    throw refused
  }
}

/** A config with the field that was chosen for the start. */
function withField(config: object | null | undefined, chosen: string) {
  return config && 'field' in config && config.field === CHOSEN_FIELD ? { ...config, field: chosen } : config
}

function templateOf(name: string, mail: MailWords, link: string | undefined, project: Project, t: Texts) {
  const isForAll = link !== undefined
  const design = letterOf({ words: mail.words, button: mail.button, link, isForAll }, t)
  const body = compose(design, project)
  const type = isForAll ? ('TRANSACTIONAL' as const) : ('MARKETING' as const)
  return { name, subject: mail.subject, body, design, type }
}
