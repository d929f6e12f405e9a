import type { Texts } from '../texts/types.ts'
import { type Domain, isTrusted } from './dns-records.tsx'
import type { FindingField, OwnFinding } from './mail-check.tsx'
import { samplesIn } from './starters.ts'

/** An error that the page found itself. */
export function errorIn(field: FindingField, message: string): OwnFinding {
  return { severity: 'error', field, message }
}

/** The finding about the domain of a sender: nothing goes out from it, or it does without its records. */
export function domainFindings(
  domain: Pick<Domain, 'domain' | 'verified' | 'status'>,
  t: Texts,
): readonly OwnFinding[] {
  if (!domain.verified) return [errorIn('domain', t.campaigns.checks.domainUnproven(domain.domain))]
  if (!isTrusted(domain)) return []
  return [{ severity: 'warning', field: 'domain', message: t.campaigns.checks.domainTrusted(domain.domain) }]
}

/** The sample words and links that are left, as one finding: each of them is mended in the same place. */
export function sampleFindings(html: string, t: Texts): readonly OwnFinding[] {
  const left = samplesLeft(html)
  return left.length === 0 ? [] : [errorIn('body', t.checks.samplesLeft(left))]
}

/** The samples of the mails to begin with that are still in this HTML. */
function samplesLeft(html: string): readonly string[] {
  // styles say nothing here, and the page's policy would report each of them
  const plain = html.replace(/<style(?:(?!<style)[\s\S])*?<\/style>|\sstyle\s*=\s*("[^"]*"|'[^']*')/gi, '')
  const { body } = new DOMParser().parseFromString(plain, 'text/html')
  const links = [...body.querySelectorAll('a[href]')].map((a) => a.getAttribute('href') ?? '')
  return samplesIn(body.textContent ?? '', links)
}
