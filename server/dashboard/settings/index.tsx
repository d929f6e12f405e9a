import { Tabs } from '@mantine/core'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Audit } from './audit.tsx'
import { EventNames, Fields } from './fields-and-events.tsx'
import { Grants } from './grants.tsx'
import { Keys } from './keys.tsx'
import { Limits } from './limits.tsx'
import { Members } from './members.tsx'
import { OwnMailServers } from './own-mail-servers.tsx'
import { ProjectSettings } from './project-settings.tsx'
import { SeedMailboxes } from './seed-mailboxes.tsx'

/** The project itself: its name and sender, who belongs to it, its keys, its fields and events, who changed what. */
export default function Settings() {
  const t = useTexts()
  const may = useMay()
  const { values, change } = useAddress()
  const tabs = [
    { key: 'project', Panel: ProjectSettings, isShown: true },
    { key: 'members', Panel: Members, isShown: true },
    { key: 'keys', Panel: Keys, isShown: may.keys },
    { key: 'grants', Panel: Grants, isShown: true },
    { key: 'servers', Panel: OwnMailServers, isShown: may.settings },
    { key: 'seeds', Panel: SeedMailboxes, isShown: may.settings },
    { key: 'fields', Panel: Fields, isShown: true },
    { key: 'events', Panel: EventNames, isShown: true },
    { key: 'limits', Panel: Limits, isShown: true },
    { key: 'audit', Panel: Audit, isShown: may.audit },
  ] as const
  const shown = tabs.filter(({ isShown }) => isShown)
  const tab = shown.find(({ key }) => key === values.tab)?.key ?? 'project'
  return (
    <Page title={t.settings.title}>
      <Tabs
        value={tab}
        onChange={(chosen) => change({ tab: chosen ?? undefined, cursor: undefined, page: undefined, new: undefined })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {shown.map(({ key }) => (
            <Tabs.Tab key={key} value={key}>
              {t.settings.tabs[key]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(({ key, Panel }) => (
          <Tabs.Panel key={key} value={key}>
            <Panel />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  )
}
