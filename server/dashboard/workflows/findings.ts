import { useAskNow } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject } from '../api/project.tsx'
import type { PlacedFinding } from '../parts/last-question.tsx'
import { type FindingField, type OwnFinding, useFindingsNow } from '../parts/mail-check.tsx'
import { domainFindings, sampleFindings } from '../parts/own-findings.ts'
import { useTexts } from '../texts/texts.tsx'

type Workflow = components['schemas']['Workflow']
type Template = components['schemas']['Template']

/** Asks for all that is found in the mails of a workflow's steps, when something is pressed. */
export function useWorkflowFindings() {
  const t = useTexts()
  const project = useProject()
  const askNow = useAskNow()
  const checked = useFindingsNow()
  return async (workflow: Workflow): Promise<readonly PlacedFinding[]> => {
    const templates = templatesOf(workflow).map((id) =>
      askNow<Template>(['templates', id], (api, signal) =>
        api.GET('/templates/{id}', { params: { path: { id } }, signal }),
      ),
    )
    const domains = await askNow(['domains'], (api, signal) =>
      api.GET('/domains/project/{projectId}', { params: { path: { projectId: project.id } }, signal }),
    )
    const known = await Promise.all(templates)
    const senders = new Set(sendersOf(workflow, known, project.from?.email))
    const found = await Promise.all(
      known.map(async ({ id, name, type, subject, preheader, body, layoutId }) => {
        const mail = { subject, preheader: preheader ?? '', body, layoutId: layoutId ?? '' }
        const own: readonly OwnFinding[] = [
          ...sampleFindings(body, t),
          ...(await checked({ ...mail, type: type === 'TRANSACTIONAL' ? type : 'MARKETING' })),
        ]
        const of = { content: `/templates/${id}` }
        return own.map((each) => ({
          ...each,
          of,
          message: isOfMail(each.field) ? t.checks.inMail(name, each.message) : each.message,
        }))
      }),
    )
    const own = domains.filter(({ domain }) => senders.has(domain)).flatMap((domain) => domainFindings(domain, t))
    const of = { content: `/workflows/${workflow.id}` }
    return [...own.map((each) => ({ ...each, of })), ...found.flat()]
  }
}

/** The domains that the steps send from: their own, else that of their template, else that of the project. */
function sendersOf({ steps }: Workflow, templates: readonly Template[], usual: string | undefined): readonly string[] {
  return steps
    .filter(({ type }) => type === 'SEND_EMAIL')
    .map((step) => {
      const { from } = step.config as { readonly from?: string | { readonly email: string } | null }
      const own = typeof from === 'object' ? from?.email : from
      const template = templates.find(({ id }) => id === templateIn(step))
      return (own ?? template?.from ?? usual ?? '').split('@')[1]?.replace(/>.*/, '').toLowerCase() ?? ''
    })
}

/** The templates of the steps that send mail. */
function templatesOf({ steps }: Workflow): readonly string[] {
  const ids = steps.flatMap((step) => (step.type === 'SEND_EMAIL' ? (templateIn(step) ?? []) : []))
  return [...new Set(ids)]
}

function templateIn({ templateId, config }: Workflow['steps'][number]): string | undefined {
  const id = templateId ?? (config as { readonly templateId?: unknown }).templateId
  return typeof id === 'string' ? id : undefined
}

function isOfMail(field: FindingField | undefined): boolean {
  return field === 'subject' || field === 'preheader' || field === 'body'
}
