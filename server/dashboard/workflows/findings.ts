import { useAskNow } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useProject } from '../api/project.tsx'
import type { PlacedFinding } from '../parts/last-question.tsx'
import { type FindingField, type OwnFinding, useFindingsNow } from '../parts/mail-check.tsx'
import { errorIn, sampleFindings } from '../parts/own-findings.ts'
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
    const unproven = new Set(domains.filter(({ verified }) => !verified).map(({ domain }) => domain))
    const found = await Promise.all(
      (await Promise.all(templates)).map(async ({ id, name, type, subject, preheader, body, layoutId, from }) => {
        const mail = { subject, preheader: preheader ?? '', body, layoutId: layoutId ?? '' }
        const domain = from?.split('@')[1] ?? ''
        const own: readonly OwnFinding[] = [
          ...(unproven.has(domain) ? [errorIn('domain', t.campaigns.checks.domainUnproven(domain))] : []),
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
    return found.flat()
  }
}

/** The templates of the steps that send mail. */
function templatesOf({ steps }: Workflow): readonly string[] {
  const ids = steps.flatMap(({ type, templateId, config }) => {
    const id = templateId ?? (config as { readonly templateId?: unknown }).templateId
    return type === 'SEND_EMAIL' && typeof id === 'string' ? [id] : []
  })
  return [...new Set(ids)]
}

function isOfMail(field: FindingField | undefined): boolean {
  return field === 'subject' || field === 'preheader' || field === 'body'
}
