import { EXAMPLE_IDS } from './example-ids.ts'
import { groupOf } from './groups.ts'

interface PathParameter {
  readonly name: string
  readonly description: string
  readonly example: string
}

const KNOWN: Readonly<Record<string, Omit<PathParameter, 'name'>>> = {
  jobId: { description: 'The id of a job', example: EXAMPLE_IDS.job },
  stepId: { description: 'The id of a step', example: EXAMPLE_IDS.step },
  transitionId: { description: 'The id of a transition', example: EXAMPLE_IDS.transition },
  executionId: { description: 'The id of an execution', example: EXAMPLE_IDS.execution },
  contactId: { description: 'The id of a contact', example: EXAMPLE_IDS.contact },
  projectId: { description: 'The id of the project', example: EXAMPLE_IDS.project },
  provider: { description: '`github`, `google` or `oidc`', example: 'github' },
  memberId: { description: 'The id of a member or an invitation', example: EXAMPLE_IDS.member },
  keyId: { description: 'The id of an API key', example: EXAMPLE_IDS.apiKey },
  testId: { description: 'The id of a test', example: EXAMPLE_IDS.domainTest },
  field: { description: 'A field: `data.<key>`, or a key of the data', example: 'data.plan' },
  eventName: { description: 'The name of an event', example: 'signed-up' },
  idOrEmail: { description: 'The id of the entry, or its address', example: EXAMPLE_IDS.suppression },
  token: { description: 'The token in a link of a mail', example: 'token' },
  link: { description: 'The number of a link in a mail', example: '0' },
  number: { description: 'The number of an attachment, from 0', example: '0' },
  file: { description: 'The name of the file, as its URL has it', example: 'image.png' },
  name: { description: 'The name of a hook in the configuration', example: 'ses' },
}

/** The parameters of a route's path. Throws for one that is not described here. */
export function pathParameters(path: string): readonly PathParameter[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const group = groupOf(path)
    const id = name === 'id' && group.id ? { description: 'Its id', example: idExample(path, group.id) } : undefined
    const known = id ?? KNOWN[name]
    if (known === undefined) throw new Error(`server/openapi/path-parameters.ts does not describe :${name} of ${path}`)
    return { name, ...known }
  })
}

/** Deliveries are below webhooks. */
function idExample(path: string, id: string): string {
  return path.startsWith('/webhooks/deliveries/') ? EXAMPLE_IDS.delivery : id
}
