import {
  IconActivity,
  IconAddressBook,
  IconBan,
  IconChartLine,
  IconFileText,
  IconFlask,
  IconForms,
  IconHome,
  IconInbox,
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
import { loadTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

export interface PageEntry {
  /** The first part of its address below the project, and the folder it is in. */
  readonly path: keyof Texts['shell']['pages']
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>
  readonly group?: keyof Texts['shell']['group']
  /** Its pages, loaded when the user goes there. */
  readonly Pages: ComponentType
}

/** A page with words that are not there from the beginning. */
const page: typeof later = (load) =>
  later(() => {
    loadTexts()
    return load()
  })

/** The pages of a project, in the order of the menu. Each noun is a folder with an `index.tsx`, which knows its own addresses. */
export const PAGES: readonly PageEntry[] = [
  { path: 'home', icon: IconHome, Pages: later(() => import('../home/index.tsx')) },
  { path: 'campaigns', icon: IconSend, group: 'send', Pages: page(() => import('../campaigns/index.tsx')) },
  { path: 'mails', icon: IconMail, group: 'send', Pages: page(() => import('../mails/index.tsx')) },
  { path: 'inboxes', icon: IconInbox, group: 'send', Pages: page(() => import('../inboxes/index.tsx')) },
  { path: 'templates', icon: IconFileText, group: 'send', Pages: page(() => import('../templates/index.tsx')) },
  { path: 'workflows', icon: IconRoute, group: 'send', Pages: page(() => import('../workflows/index.tsx')) },
  { path: 'contacts', icon: IconAddressBook, group: 'audience', Pages: page(() => import('../contacts/index.tsx')) },
  { path: 'segments', icon: IconUsersGroup, group: 'audience', Pages: page(() => import('../segments/index.tsx')) },
  { path: 'topics', icon: IconNews, group: 'audience', Pages: page(() => import('../topics/index.tsx')) },
  { path: 'forms', icon: IconForms, group: 'audience', Pages: page(() => import('../forms/index.tsx')) },
  { path: 'suppressions', icon: IconBan, group: 'audience', Pages: page(() => import('../suppressions/index.tsx')) },
  { path: 'analytics', icon: IconChartLine, group: 'insight', Pages: page(() => import('../analytics/index.tsx')) },
  { path: 'activity', icon: IconActivity, group: 'insight', Pages: page(() => import('../activity/index.tsx')) },
  {
    path: 'deliverability',
    icon: IconTargetArrow,
    group: 'insight',
    Pages: page(() => import('../deliverability/index.tsx')),
  },
  { path: 'domains', icon: IconWorld, group: 'setUp', Pages: page(() => import('../domains/index.tsx')) },
  { path: 'webhooks', icon: IconWebhook, group: 'setUp', Pages: page(() => import('../webhooks/index.tsx')) },
  { path: 'sandbox', icon: IconFlask, group: 'setUp', Pages: page(() => import('../sandbox/index.tsx')) },
  { path: 'uploads', icon: IconPhoto, group: 'setUp', Pages: page(() => import('../uploads/index.tsx')) },
  { path: 'settings', icon: IconSettings, group: 'setUp', Pages: page(() => import('../settings/index.tsx')) },
]
