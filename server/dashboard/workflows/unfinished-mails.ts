import { type Api, answerOf } from '../api/client.ts'
import { samplesIn } from '../parts/starters.ts'
import type { Workflow } from './graph.ts'

/** The templates of a workflow whose mails still have words or links of a mail to begin with, by their names. */
export async function unfinishedMails({ steps }: Workflow, api: Api): Promise<readonly string[]> {
  const ids = new Set(
    steps.flatMap(({ type, templateId, config }) => {
      const id = templateId ?? (config as { readonly templateId?: unknown }).templateId
      return type === 'SEND_EMAIL' && typeof id === 'string' ? [id] : []
    }),
  )
  const templates = await Promise.all(
    [...ids].map((id) => answerOf(api.GET('/templates/{id}', { params: { path: { id } } }))),
  )
  return templates.filter(({ body }) => samplesIn(body, linksIn(body)).length > 0).map(({ name }) => name)
}

const linksIn = (body: string) => [...body.matchAll(/\shref="([^"]*)"/g)].map(([, url = '']) => url)
