import { createHash } from 'node:crypto'
import type { SesRoute } from './fake-ses.ts'

/** A domain's state at Amazon. */
interface SesDomain {
  readonly Status: 'PENDING' | 'SUCCESS' | 'FAILED'
  readonly SigningEnabled?: boolean
  readonly SigningAttributesOrigin?: string
  readonly Tokens?: readonly string[]
}

export interface SesIdentities {
  readonly route: SesRoute
  /** By domain; tests may change them. */
  readonly domains: Map<string, SesDomain>
  /** Domains that Amazon was asked to check again. */
  readonly askedAgain: readonly string[]
}

const ZONE = 'dkim.eu-central-1.amazonses.com'
const IDENTITY = /^\/v2\/email\/identities\/([^/]+)$/
const SIGNING = /^\/v[12]\/email\/identities\/([^/]+)\/dkim\/signing$/

/** A domain's tokens, always the same in one account. */
export function tokensOf(domain: string): readonly string[] {
  return ['a', 'b', 'c'].map((which) =>
    createHash('sha256')
      .update(which + domain)
      .digest('hex')
      .slice(0, 32),
  )
}

/** The identities of a fake account. `seen` says whether a CNAME leads to this host, as far as Amazon has seen. */
export function sesIdentities(seen: (name: string, host: string) => boolean): SesIdentities {
  const domains = new Map<string, SesDomain>()
  const askedAgain: string[] = []
  const shown = (domain: string) => {
    const known = domains.get(domain)
    if (known === undefined) return undefined
    const Tokens = known.Tokens ?? tokensOf(domain)
    const areThere = Tokens.every((token) => seen(`${token}._domainkey.${domain}`, `${token}.${ZONE}`))
    const Status = known.Status === 'PENDING' && areThere ? 'SUCCESS' : known.Status
    const attributes = { SigningEnabled: true, SigningAttributesOrigin: 'AWS_SES', ...known, Status, Tokens }
    return { ...attributes, SigningHostedZone: ZONE }
  }
  const answer = (domain: string) => ({
    status: 200,
    body: {
      ...{ IdentityType: 'DOMAIN', DkimAttributes: shown(domain) },
      VerifiedForSendingStatus: shown(domain)?.Status === 'SUCCESS',
    },
  })
  const refusal = (status: number, name: string, message: string) => ({ status, name, body: { message } })
  const create = ({ EmailIdentity }: Record<string, unknown>) => {
    const domain = String(EmailIdentity)
    if (!/^[a-z0-9.-]+$/.test(domain)) return refusal(400, 'BadRequestException', `Invalid domain: ${domain}`)
    if (domains.has(domain)) return refusal(400, 'AlreadyExistsException', `Email identity ${domain} already exist.`)
    domains.set(domain, { Status: 'PENDING' })
    return answer(domain)
  }
  const route: SesRoute = (method, path, body) => {
    if (method === 'POST' && path === '/v2/email/identities') return create(body)
    const [, domain = ''] = (method === 'PUT' ? SIGNING : IDENTITY).exec(path) ?? []
    const known = domains.get(domain)
    if (known === undefined) return refusal(404, 'NotFoundException', `Email identity ${domain} does not exist.`)
    if (method === 'PUT') {
      askedAgain.push(domain)
      domains.set(domain, { ...known, Status: 'PENDING' })
    }
    return answer(domain)
  }
  return { route, domains, askedAgain }
}
