import * as v from 'valibot'
import { LISTING_STATES } from '../../core/domains/blocklists.ts'
import { RECORD_PURPOSES } from '../../core/domains/wanted-records.ts'
import { DOMAIN_STATUSES, STS_MODES } from '../../core/ports/store/domains.ts'
import { named } from '../../core/values/described.ts'
import { AdviceCodes, Count, Id, many, Percentage, Time } from './parts.ts'

const DnsRecord = named(
  'DnsRecord',
  v.object({
    type: v.picklist(['TXT', 'CNAME', 'MX']),
    name: v.string(),
    value: v.string(),
    purpose: v.picklist(RECORD_PURPOSES),
    required: v.boolean(),
    status: v.picklist(DOMAIN_STATUSES),
    advice: v.string(),
    adviceCodes: AdviceCodes,
  }),
)

export const SendingDomain = named(
  'Domain',
  v.object({
    id: Id,
    projectId: Id,
    domain: v.string(),
    verified: v.boolean(),
    status: v.picklist(DOMAIN_STATUSES),
    linkHost: v.optional(v.string()),
    mtaSts: v.optional(
      named('StsPolicy', v.object({ mode: v.picklist(STS_MODES), mx: many(v.string()), maxAge: Count })),
    ),
    records: many(DnsRecord),
    lastCheckedAt: v.nullable(Time),
    createdAt: Time,
    updatedAt: Time,
  }),
)

export const DnsKeeperRecord = named(
  'DnsKeeper',
  v.object({ nameServers: many(v.string()), provider: v.nullable(v.object({ name: v.string(), url: v.string() })) }),
)

export const DomainLogoRecord = named(
  'DomainLogo',
  v.object({
    name: v.nullable(v.string()),
    record: v.nullable(v.string()),
    logoUrl: v.nullable(v.string()),
    certificateUrl: v.nullable(v.string()),
    isReady: v.boolean(),
    advice: v.string(),
    adviceCodes: AdviceCodes,
  }),
)

const ListedAddress = named(
  'ListedAddress',
  v.object({
    address: v.string(),
    isListed: v.boolean(),
    listings: many(
      named(
        'Listing',
        v.object({
          zone: v.string(),
          state: v.picklist(LISTING_STATES),
          codes: many(v.string()),
          reason: v.string(),
          advice: v.string(),
          adviceCodes: AdviceCodes,
        }),
      ),
    ),
  }),
)

export const Listings = named('Listings', v.object({ checkedAt: Time, addresses: many(ListedAddress) }))

export const StartedTest = named('StartedDomainTest', v.object({ testId: Id }))

export const TestResult = named(
  'DomainTest',
  v.object({
    state: v.picklist(['waiting', 'done']),
    checks: many(
      v.object({
        name: v.string(),
        ok: v.nullable(v.boolean()),
        seen: v.string(),
        seenCodes: AdviceCodes,
        advice: v.string(),
        adviceCodes: AdviceCodes,
      }),
    ),
  }),
)

export const Deliverability = many(
  named(
    'Deliverability',
    v.object({
      domain: v.string(),
      sent: Count,
      delivered: Count,
      deferred: Count,
      bounced: Count,
      complained: Count,
      bounceRate: Percentage,
      complaintRate: Percentage,
      state: v.optional(v.picklist(['ok', 'warning', 'stopped'])),
      reasons: v.optional(many(v.string())),
      reasonCodes: v.optional(AdviceCodes),
      lastRefusals: many(
        v.object({
          at: Time,
          code: v.string(),
          text: v.string(),
          meaning: v.nullable(v.string()),
          meaningCodes: AdviceCodes,
        }),
      ),
    }),
  ),
)
