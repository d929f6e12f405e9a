import { EXAMPLE_IDS } from './example-ids.ts'
import { type Group, groupOf } from './groups.ts'

interface PathParameter {
  readonly name: string
  readonly description: string
  readonly example: string
}

const KNOWN: Readonly<Record<string, Omit<PathParameter, 'name'>>> = {
  jobId: { description: 'The id of the job, as it was answered when the work was accepted', example: EXAMPLE_IDS.job },
  attachmentId: { description: 'The id of the attachment', example: EXAMPLE_IDS.attachment },
  fileId: { description: 'The id of the file', example: EXAMPLE_IDS.draftFile },
  stepId: { description: 'The id of the step', example: EXAMPLE_IDS.step },
  transitionId: { description: 'The id of the transition', example: EXAMPLE_IDS.transition },
  executionId: { description: 'The id of the execution', example: EXAMPLE_IDS.execution },
  contactId: { description: 'The id of the contact', example: EXAMPLE_IDS.contact },
  projectId: { description: 'The id of the project', example: EXAMPLE_IDS.project },
  provider: { description: 'The provider: `github`, `google` or `oidc`', example: 'github' },
  memberId: { description: 'The id of the member or the invitation', example: EXAMPLE_IDS.member },
  userId: { description: 'The id of the user', example: EXAMPLE_IDS.member },
  invitationId: { description: 'The id of the invitation', example: EXAMPLE_IDS.member },
  sessionId: { description: 'The id of the session', example: EXAMPLE_IDS.member },
  keyId: { description: 'The id of the API key', example: EXAMPLE_IDS.apiKey },
  grantId: { description: 'The id of the grant: that of its key', example: EXAMPLE_IDS.apiKey },
  serverId: { description: 'The id of the mail server', example: EXAMPLE_IDS.mailServer },
  noteId: { description: 'The id of the note', example: EXAMPLE_IDS.note },
  testId: { description: 'The id of the test', example: EXAMPLE_IDS.domainTest },
  field: { description: 'The field: `data.<key>`, or a key of the data', example: 'data.plan' },
  eventName: { description: 'The name of the event', example: 'signed-up' },
  idOrEmail: { description: 'The id of the entry, or its address', example: EXAMPLE_IDS.suppression },
  formId: { description: 'The id of the form', example: EXAMPLE_IDS.form },
  token: { description: 'The signed token in a link of a mail', example: 'token' },
  link: { description: 'The number of the link in the mail, from 0', example: '0' },
  version: { description: 'The number of the version, from 1', example: '1' },
  number: { description: 'The number of the attachment, from 0', example: '0' },
  file: { description: 'The name of the file, as its URL has it', example: 'image.png' },
  slug: { description: 'The name of the archive: the `archiveSlug` of its project', example: 'acme-news' },
  campaign: { description: 'The id of the campaign', example: EXAMPLE_IDS.campaign },
  name: { description: 'The name of the hook in the configuration', example: 'ses' },
}

/** The parameters of a route's path. Throws for one that is not described here. */
export function pathParameters(path: string): readonly PathParameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const group = groupOf(path)
    const id = name === 'id' && group.id ? idOf(path, group) : undefined
    const known = id ?? KNOWN[name]
    if (known === undefined) throw new Error(`server/openapi/path-parameters.ts does not describe :${name} of ${path}`)
    return { name, ...known }
  })
}

/** `:id` is what the group is about, but deliveries are below webhooks. */
function idOf(path: string, { id = '', one = '' }: Group): Omit<PathParameter, 'name'> {
  if (path.startsWith('/webhooks/deliveries/'))
    return { description: 'The id of the request', example: EXAMPLE_IDS.delivery }
  return { description: `The id of the ${one}`, example: id }
}
