import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { Form } from '../kit/form.ts'
import { numberIn } from '../kit/number-in.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'

type Domain = Answer<'listDomains'>[number]

const DIFFERS = 'the records are those that [this server asks for](domains.md)'

/** The domains that a project sends from. */
export const domains: readonly ForeignEndpoint[] = [
  {
    method: 'GET',
    path: '/v4/domains',
    methods: ['domains.list'],
    difference: 'those of the project; of the filters `state` and `search` count',
    async answer(request, ours) {
      const { query } = request
      const limit = numberIn(query, 'limit', { usual: 100, least: 1, most: 1000 })
      const skip = numberIn(query, 'skip', { usual: 0, most: 100_000 })
      const [state, search] = [query.get('state'), query.get('search')?.toLowerCase() ?? '']
      const fits = (each: Domain) => (!state || stateOf(each) === state) && each.domain.includes(search)
      const all = (await listOf(request, ours)).filter(fits)
      const items = all.slice(skip, skip + limit).map((each) => shown(each, request))
      return { status: 200, body: { total_count: all.length, items } }
    },
  },
  {
    method: 'GET',
    path: '/v4/domains/:domain',
    methods: ['domains.get'],
    difference: DIFFERS,
    async answer(request, ours) {
      return { status: 200, body: detailed(await domainOf(request, ours), request) }
    },
  },
  {
    method: 'POST',
    path: '/v4/domains',
    methods: ['domains.create'],
    difference: `of the fields \`name\` counts; ${DIFFERS}`,
    body: 'form',
    fields: { domain: 'name' },
    async answer(request, ours) {
      const domain = new Form(request.body).text('name')
      if (domain === undefined) throw invalidField('name', 'required', 'is required')
      const added = await typedApi(ours).call('addDomain', { body: { domain } })
      return { status: 200, body: { message: 'Domain has been created', ...detailed(added, request) } }
    },
  },
  {
    method: 'PUT',
    path: '/v4/domains/:domain/verify',
    methods: ['domains.verify'],
    difference: DIFFERS,
    async answer(request, ours) {
      const { id } = await domainOf(request, ours)
      const checked = await typedApi(ours).call('checkDomainNow', { path: { id } })
      return { status: 200, body: { message: 'Domain DNS records have been updated', ...detailed(checked, request) } }
    },
  },
  {
    method: 'DELETE',
    path: '/v3/domains/:domain',
    methods: ['domains.destroy'],
    async answer(request, ours) {
      const { id } = await domainOf(request, ours)
      await typedApi(ours).call('removeDomain', { path: { id } })
      return { status: 200, body: { message: 'Domain will be deleted on background' } }
    },
  },
]

function listOf({ project }: ForeignRequest, ours: OurApi): Promise<readonly Domain[]> {
  return typedApi(ours).call('listDomains', { path: { projectId: project.id } })
}

async function domainOf(request: ForeignRequest, ours: OurApi): Promise<Domain> {
  const name = (request.params.domain ?? '').toLowerCase()
  const found = (await listOf(request, ours)).find(({ domain }) => domain === name)
  if (found !== undefined) return found
  throw new EngineError('DOMAIN_NOT_FOUND', 'Domain not found')
}

/** A domain is active as soon as mail may be sent from it. */
function stateOf({ verified }: Pick<Domain, 'verified'>) {
  return verified ? 'active' : 'unverified'
}

function shown({ id, domain, verified, createdAt }: Domain, { now }: Pick<ForeignRequest, 'now'>) {
  return {
    id,
    name: domain,
    state: stateOf({ verified }),
    type: 'custom',
    created_at: new Date(createdAt).toUTCString(),
    is_disabled: false,
    require_tls: false,
    skip_verification: false,
    wildcard: false,
    spam_action: 'disabled',
    web_prefix: 'email',
    web_scheme: 'https',
    smtp_login: '',
    // the clients read dates of what is disabled
    disabled: { code: '', note: '', permanently: false, reason: '', until: now.toUTCString() },
  }
}

function detailed(domain: Domain, request: Pick<ForeignRequest, 'now'>) {
  const records = domain.records.map(({ purpose, type, name, value, status }) => {
    const [, priority, host] = /^(\d{1,5}) (\S+)$/.exec(value) ?? []
    const target = type === 'MX' ? { value: host ?? value, priority: priority ?? '10' } : { value }
    return {
      isInbound: purpose === 'inbound',
      record: {
        record_type: type,
        name,
        ...target,
        valid: status === 'VERIFIED' ? 'valid' : 'unknown',
        is_active: status === 'VERIFIED',
        cached: [],
      },
    }
  })
  const of = (wanted: boolean) => records.flatMap(({ isInbound, record }) => (isInbound === wanted ? record : []))
  return { domain: shown(domain, request), receiving_dns_records: of(true), sending_dns_records: of(false) }
}
