import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { ForeignEndpoint, ForeignRequest, OurApi } from '../../../core/ports/foreign-api.ts'
import { parse } from '../../../core/values/parse.ts'
import { type Answer, typedApi } from '../kit/typed-api.ts'
import { wholeList } from './lists.ts'

const settings = {
  tls: v.nullish(v.picklist(['enforced', 'opportunistic'])),
  tracking_subdomain: v.nullish(
    v.pipe(v.string(), v.regex(/^[a-z0-9-]+(\.[a-z0-9-]+)*$/i, 'must be a name such as links')),
  ),
}
const NewDomain = v.object({ ...settings, name: v.string() })
const Changes = v.object(settings)
const FIELDS = { domain: 'name', linkHost: 'tracking_subdomain' }
const TRACKING = 'openings and clicks are switched for the whole project, and there is no region'

type Domain = Answer<'listDomains'>[number]

/** `resend.domains`. */
export const domains: readonly ForeignEndpoint[] = [
  {
    method: 'POST',
    path: '/domains',
    methods: ['domains.create'],
    difference: `${TRACKING}; \`tls: "enforced"\` is refused`,
    body: 'json',
    fields: FIELDS,
    async answer({ body }, ours) {
      const { name, ...wanted } = parse(NewDomain, body)
      const domain = await typedApi(ours).call('addDomain', { body: { domain: name, ...linkHost(name, wanted) } })
      return { status: 201, body: detailed(domain) }
    },
  },
  {
    method: 'GET',
    path: '/domains',
    methods: ['domains.list'],
    difference: TRACKING,
    async answer({ query, project }, ours) {
      const all = await typedApi(ours).call('listDomains', { path: { projectId: project.id } })
      return wholeList(query, all, shown)
    },
  },
  {
    method: 'GET',
    path: '/domains/:id',
    methods: ['domains.get'],
    difference: TRACKING,
    async answer(request, ours) {
      return { status: 200, body: { object: 'domain', ...detailed(await domainOf(request, ours)) } }
    },
  },
  {
    method: 'PATCH',
    path: '/domains/:id',
    methods: ['domains.update'],
    difference: `changes \`trackingSubdomain\` alone: ${TRACKING}`,
    body: 'json',
    fields: FIELDS,
    async answer(request, ours) {
      const wanted = parse(Changes, request.body)
      const { id, domain } = await domainOf(request, ours)
      const change = linkHost(domain, wanted)
      if ('linkHost' in change) await typedApi(ours).call('changeDomain', { path: { id }, body: change })
      return { status: 200, body: { object: 'domain', id } }
    },
  },
  {
    method: 'POST',
    path: '/domains/:id/verify',
    methods: ['domains.verify'],
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('checkDomainNow', { path: { id } })
      return { status: 200, body: { object: 'domain', id } }
    },
  },
  {
    method: 'DELETE',
    path: '/domains/:id',
    methods: ['domains.remove'],
    async answer({ params: { id = '' } }, ours) {
      await typedApi(ours).call('removeDomain', { path: { id } })
      return { status: 200, body: { object: 'domain', id, deleted: true } }
    },
  },
]

async function domainOf({ params, project }: ForeignRequest, ours: OurApi): Promise<Domain> {
  const all = await typedApi(ours).call('listDomains', { path: { projectId: project.id } })
  const found = all.find(({ id }) => id === params.id)
  if (found === undefined) throw new EngineError('DOMAIN_NOT_FOUND', `There is no domain ${params.id}.`)
  return found
}

function linkHost(domain: string, { tls, tracking_subdomain: below }: v.InferOutput<typeof Changes>) {
  if (tls === 'enforced') {
    throw invalidField('tls', 'custom', 'cannot be set for a domain: the operator sets it for the mail server')
  }
  return below == null ? {} : { linkHost: `${below}.${domain}` }
}

const STATUSES = { PENDING: 'pending', VERIFIED: 'verified', FAILED: 'failed' } as const

/** Resend's kinds of records by ours. */
const KINDS = {
  dkim: 'DKIM',
  spf: 'SPF',
  'return-path': 'SPF',
  dmarc: 'DMARC',
  ownership: 'Verification',
  inbound: 'Receiving',
  'dmarc-reports': 'DMARC',
  'tls-reports': 'TLS-RPT',
  'mta-sts': 'MTA-STS',
  link: 'Tracking',
} as const

function shown({ id, domain, verified, status, createdAt, records, linkHost: host }: Domain) {
  const receives = records.some((each) => each.purpose === 'inbound' && each.status === 'VERIFIED')
  return {
    id,
    name: domain,
    status: verified ? 'verified' : STATUSES[status],
    created_at: createdAt,
    capabilities: { sending: 'enabled', receiving: receives ? 'enabled' : 'disabled' },
    ...(host === undefined ? {} : { tracking_subdomain: host.slice(0, -domain.length - 1) }),
  }
}

function detailed(domain: Domain) {
  const records = domain.records.map(({ purpose, type, name, value, status }) => {
    const [, priority, host] = /^(\d{1,5}) (\S+)$/.exec(value) ?? []
    const target = type === 'MX' ? { value: host ?? value, priority: Number(priority ?? 10) } : { value }
    return { record: KINDS[purpose], type, name, ...target, ttl: 'Auto', status: STATUSES[status] }
  })
  return { ...shown(domain), records }
}
