import type { KeyScope } from '../ports/store/projects.ts'
import { MEMBER_ROLES, type MemberRole } from '../values/member-roles.ts'

/** A part of the work in a project: the least role that may do it, and the records that are changed there. */
interface Area {
  readonly role: MemberRole
  /** True: a key for some inboxes may, too; its room asks for more. */
  readonly ofInboxes?: true
  /** As the API names them. Who changes one needs this role, unless the request says that it is about another area. */
  readonly records: readonly string[]
}

/**
 * The rights of each role. From this table come the check of each request, what the dashboard offers and says about roles,
 * and the table of docs/accounts.md.
 */
export const AREAS = {
  read: { role: 'MEMBER', records: [] },
  send: { role: 'MEMBER', records: [] },
  track: { role: 'MEMBER', records: [] },
  inboxes: { role: 'MEMBER', ofInboxes: true, records: [] },
  threads: { role: 'MEMBER', ofInboxes: true, records: ['threads'] },
  drafts: { role: 'MEMBER', ofInboxes: true, records: ['drafts'] },
  approvals: { role: 'MEMBER', records: [] },
  grants: { role: 'MEMBER', records: ['grants'] },
  // a stop is harmless; to let an agent work again takes more
  stopping: { role: 'MEMBER', records: [] },
  campaigns: { role: 'EDITOR', records: ['campaigns', 'campaign-series'] },
  templates: { role: 'EDITOR', records: ['templates', 'snippets', 'layouts', 'uploads'] },
  workflows: { role: 'EDITOR', records: ['workflows'] },
  contacts: {
    role: 'EDITOR',
    records: ['contacts', 'segments', 'topics', 'forms', 'events', 'suppressions'],
  },
  // mail to an address that bounced or complained harms the sender
  release: { role: 'ADMIN', records: [] },
  settings: { role: 'ADMIN', records: ['projects', 'mail-servers', 'inboxes', 'seeds'] },
  domains: { role: 'ADMIN', records: ['domains'] },
  webhooks: { role: 'ADMIN', records: ['webhooks'] },
  keys: { role: 'ADMIN', records: ['keys'] },
  audit: { role: 'ADMIN', records: ['audit'] },
  members: { role: 'OWNER', records: ['members'] },
} as const satisfies Readonly<Record<string, Area>>

/** A part of the work in a project. */
export type AreaName = keyof typeof AREAS

/** All of them, from what the least role may do to what only the highest may. */
export const AREA_NAMES = Object.keys(AREAS) as readonly AreaName[]

/** Whether a member with this role may do what belongs to the area. */
export function roleAllows(role: MemberRole, area: AreaName): boolean {
  return MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(AREAS[area].role)
}

/** The scope of a key that may do what belongs to the area; undefined where no key may: people choose who belongs to a project, approve what keys write, and let clients in. */
export function keyScopeOf(area: AreaName): KeyScope | undefined {
  if (area === 'read' || area === 'send' || area === 'track') return area
  if (area === 'inboxes') return 'read'
  if (area === 'drafts') return 'send'
  return area === 'members' || area === 'approvals' || area === 'grants' ? undefined : 'full'
}

/** Whether a key with the scope `inbox` may do what belongs to the area, within its inboxes. */
export function isOfInboxes(area: AreaName): boolean {
  const { ofInboxes }: Area = AREAS[area]
  return ofInboxes === true
}

/** The area in which these records are changed, by the first part of the path of a request; undefined for unknown ones. */
export function areaOfRecords(records: string): AreaName | undefined {
  return AREA_NAMES.find((name) => (AREAS[name].records as readonly string[]).includes(records))
}
