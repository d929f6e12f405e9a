import { Button } from '@mantine/core'
import { IconChecks, IconInbox, IconPlus } from '@tabler/icons-react'
import { Link } from 'wouter'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Page } from '../parts/page.tsx'
import { useTexts } from '../texts/texts.tsx'
import { InboxForm } from './inbox-form.tsx'

type Inbox = components['schemas']['Inbox']
type Approvals = { readonly data: readonly unknown[] }

/** The inboxes of the project that the user sees. */
export function InboxList() {
  const t = useTexts()
  const may = useMay()
  const formats = useFormats()
  const { values, change } = useAddress()
  const close = () => change({ new: undefined })
  const waiting = useAsk<Approvals>(
    ['drafts', 'waiting'],
    (api, signal) => api.GET('/approvals', { params: { query: { limit: 100 } }, signal }),
    { every: 30_000 },
  )
  const count = waiting.data?.data.length ?? 0
  const make = may.settings ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => change({ new: '1' })}>
      {t.inboxes.new}
    </Button>
  ) : null
  return (
    <Page
      title={t.inboxes.title}
      hint={t.inboxes.hint}
      actions={
        <>
          <CopyCurl path="/inboxes" />
          {count === 0 ? null : (
            <Button component={Link} href="/approvals" variant="light" leftSection={<IconChecks size={16} />}>
              {t.inboxes.waiting(formats.number(count))}
            </Button>
          )}
          {make}
        </>
      }
    >
      <List<Inbox>
        noun="inboxes"
        label={t.inboxes.title}
        ask={(api, query, signal) => api.GET('/inboxes', { params: { query }, signal })}
        href={({ id }) => `/${id}`}
        rowName={({ name }) => name}
        every={30_000}
        columns={[
          { key: 'name', title: t.inboxes.name, cell: ({ name }) => name },
          { key: 'address', title: t.inboxes.address, cell: ({ address }) => address },
          {
            key: 'unread',
            title: t.inboxes.unread,
            align: 'right',
            cell: ({ unread }) => (unread === 0 ? '–' : <strong>{formats.number(unread)}</strong>),
          },
        ]}
        empty={<Empty icon={<IconInbox />} title={t.inboxes.empty} hint={t.inboxes.emptyHint} action={make} />}
      />
      <SidePanel title={t.inboxes.new} opened={values.new === '1'} onClose={close}>
        <InboxForm onDone={close} />
      </SidePanel>
    </Page>
  )
}
