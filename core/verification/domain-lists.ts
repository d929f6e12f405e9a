import { ALIAS_SERVICES } from './alias-services.ts'
import { PROVIDERS } from './providers.ts'

/** The lists of domains that are known without a look-up. */
export interface DomainLists {
  /** The domain gives out addresses that last a few minutes. */
  isDisposable(domain: string): boolean
  /** The service that forwards the domain's mail to a hidden mailbox. */
  aliasService(domain: string): string | undefined
  /** Whether it is open to all, such as a free mail provider. */
  isPersonal(domain: string): boolean
}

/** RFC 2606 reserves them, but the list of providers contains one. */
const RESERVED = /^example\.(?:com|net|org)$/

let loading: Promise<DomainLists> | undefined

/** The lists, loaded on first use: about 10 MB of memory that an engine without verification does not need. */
export function domainLists(): Promise<DomainLists> {
  loading ??= load().catch((error) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<DomainLists> {
  const [{ default: reviewed }, { default: observed }, { default: providers }] = await Promise.all([
    import('disposable-email-domains-js'),
    import('fakefilter/json/data.json', { with: { type: 'json' } }),
    import('email-providers/all.json', { with: { type: 'json' } }),
  ])
  const disposable = new Set([...reviewed.disposableEmailBlocklist(), ...Object.keys(observed.domains)])
  const large = new Set(PROVIDERS)
  const personal = new Set([...providers, ...large])
  const aliasService = (domain: string) =>
    above(domain)
      .map((each) => ALIAS_SERVICES.get(each))
      .find(Boolean)
  const isDisposable = (domain: string) =>
    !large.has(domain) && aliasService(domain) === undefined && above(domain).some((each) => disposable.has(each))
  return {
    aliasService,
    isDisposable,
    isPersonal: (domain) =>
      personal.has(domain) && !RESERVED.test(domain) && aliasService(domain) === undefined && !isDisposable(domain),
  }
}

/** The domain and its parents, down to two labels: such services give each user a name below theirs. */
function above(domain: string): readonly string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, i) => labels.slice(i).join('.'))
}
