import {
  IconActivity,
  IconAddressBook,
  IconBan,
  IconChartLine,
  IconFileText,
  IconForms,
  IconHome,
  IconMail,
  IconNews,
  IconPhoto,
  IconRoute,
  IconSend,
  IconSettings,
  IconTargetArrow,
  IconUsersGroup,
  IconWebhook,
  IconWorld,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import { later } from '../api/later.ts'
import type { Texts } from '../texts/types.ts'

export interface PageEntry {
  /** The first part of its address below the project, and the folder it is in. */
  readonly path: keyof Texts['shell']['pages']
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>
  readonly group?: keyof Texts['shell']['group']
  /** Its pages, loaded when the user goes there. */
  readonly Pages: ComponentType
}

/** The pages of a project, in the order of the menu. Each noun is a folder with an `index.tsx`, which knows its own addresses. */
export const PAGES: readonly PageEntry[] = [
  { path: 'home', icon: IconHome, Pages: later(() => import('../home/index.tsx')) },
  { path: 'campaigns', icon: IconSend, group: 'send', Pages: later(() => import('../campaigns/index.tsx')) },
  { path: 'mails', icon: IconMail, group: 'send', Pages: later(() => import('../mails/index.tsx')) },
  { path: 'templates', icon: IconFileText, group: 'send', Pages: later(() => import('../templates/index.tsx')) },
  { path: 'workflows', icon: IconRoute, group: 'send', Pages: later(() => import('../workflows/index.tsx')) },
  { path: 'contacts', icon: IconAddressBook, group: 'audience', Pages: later(() => import('../contacts/index.tsx')) },
  { path: 'segments', icon: IconUsersGroup, group: 'audience', Pages: later(() => import('../segments/index.tsx')) },
  { path: 'topics', icon: IconNews, group: 'audience', Pages: later(() => import('../topics/index.tsx')) },
  { path: 'forms', icon: IconForms, group: 'audience', Pages: later(() => import('../forms/index.tsx')) },
  { path: 'suppressions', icon: IconBan, group: 'audience', Pages: later(() => import('../suppressions/index.tsx')) },
  { path: 'analytics', icon: IconChartLine, group: 'insight', Pages: later(() => import('../analytics/index.tsx')) },
  { path: 'activity', icon: IconActivity, group: 'insight', Pages: later(() => import('../activity/index.tsx')) },
  {
    path: 'deliverability',
    icon: IconTargetArrow,
    group: 'insight',
    Pages: later(() => import('../deliverability/index.tsx')),
  },
  { path: 'domains', icon: IconWorld, group: 'setUp', Pages: later(() => import('../domains/index.tsx')) },
  { path: 'webhooks', icon: IconWebhook, group: 'setUp', Pages: later(() => import('../webhooks/index.tsx')) },
  { path: 'uploads', icon: IconPhoto, group: 'setUp', Pages: later(() => import('../uploads/index.tsx')) },
  { path: 'settings', icon: IconSettings, group: 'setUp', Pages: later(() => import('../settings/index.tsx')) },
]
