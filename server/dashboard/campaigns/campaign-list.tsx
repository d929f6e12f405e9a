import { Button, Select } from '@mantine/core'
import { IconPlus, IconRepeat, IconSend } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { components } from '../api/client.ts'
import { useMay } from '../api/project.tsx'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { asFilledIn } from '../parts/thumbnail.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CampaignBulkBar } from './bulk-bar.tsx'
import { useFolders } from './filing.tsx'
import { NamedWithPicture } from './named-with-picture.tsx'

type Campaign = components['schemas']['ListedCampaign']

const STATES = ['DRAFT', 'SCHEDULED', 'SENDING', 'PAUSED', 'SENT', 'CANCELLED', 'FAILED'] as const
/** The choice among the states that shows the campaigns which lists leave out. */
const AWAY = 'shelved'

export function CampaignList() {
  const t = useTexts()
  const formats = useFormats()
  const may = useMay()
  const { values, change } = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const folders = useFolders()
  const isAway = values.shelved === 'true'
  const make = may.campaigns ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={16} />}>
      {t.campaigns.new}
    </Button>
  ) : null
  const share = (part: number, whole: number) => (whole === 0 ? '–' : formats.percent((part / whole) * 100))
  return (
    <Page
      title={t.campaigns.title}
      actions={
        <>
          <CopyCurl path="/campaigns" />
          <Button component={Link} href="/series" variant="default" leftSection={<IconRepeat size={16} />}>
            {t.series.title}
          </Button>
          {make}
        </>
      }
    >
      {selected.size > 0 ? (
        <CampaignBulkBar ids={selected} areAway={isAway} onDone={() => setSelected(new Set())} />
      ) : null}
      <List<Campaign>
        noun="campaigns"
        label={t.campaigns.title}
        search={t.campaigns.search}
        filters={['status', 'folder', 'shelved']}
        says={(name, value) =>
          name === 'shelved' ? t.campaigns.away : name === 'folder' ? `${t.campaigns.folder}: ${value}` : undefined
        }
        {...(may.campaigns ? { selection: { ids: selected, change: setSelected } } : {})}
        controls={
          <>
            <Select
              aria-label={t.campaigns.filterStatus}
              placeholder={t.campaigns.anyStatus}
              data={[
                ...STATES.map((value) => ({ value, label: t.status[value] ?? value })),
                { value: AWAY, label: t.campaigns.away },
              ]}
              value={isAway ? AWAY : (values.status ?? null)}
              onChange={(chosen) => {
                setSelected(new Set())
                const isHidden = chosen === AWAY
                change({
                  status: isHidden ? undefined : (chosen ?? undefined),
                  shelved: isHidden ? 'true' : undefined,
                  cursor: undefined,
                  page: undefined,
                })
              }}
              clearable
            />
            {folders.data === undefined || folders.data.length === 0 ? null : (
              <Select
                aria-label={t.campaigns.folder}
                placeholder={t.campaigns.anyFolder}
                data={folders.data.map(({ name, count }) => ({
                  value: name,
                  label: `${name} (${formats.number(count)})`,
                }))}
                value={values.folder ?? null}
                onChange={(folder) => change({ folder: folder ?? undefined, cursor: undefined, page: undefined })}
                searchable
                clearable
              />
            )}
          </>
        }
        ask={(api, { page: _, ...query }, signal) =>
          api.GET('/campaigns', {
            params: {
              query: query as { status?: Campaign['status']; search?: string; folder?: string; shelved?: boolean },
            },
            signal,
          })
        }
        every={(page) => (page?.data.some(({ status }) => status === 'SENDING') ? 3000 : false)}
        href={({ id }) => `/${id}`}
        rowName={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t.campaigns.name,
            cell: ({ id, name, updatedAt, version }) => (
              <NamedWithPicture id={id} name={name} of={updatedAt} version={version} />
            ),
          },
          { key: 'status', title: t.anywhere.status, cell: ({ status }) => <Pill status={status} /> },
          { key: 'subject', title: t.campaigns.subject, cell: ({ subject }) => asFilledIn(subject, t) },
          {
            key: 'recipients',
            title: t.campaigns.recipients,
            align: 'right',
            // counted when it goes out
            cell: ({ status, totalRecipients }) =>
              status === 'DRAFT' || status === 'SCHEDULED' ? '–' : formats.number(totalRecipients),
          },
          { key: 'opened', title: t.campaigns.opened, align: 'right', cell: ({ opened, sent }) => share(opened, sent) },
          {
            key: 'clicked',
            title: t.campaigns.clicked,
            align: 'right',
            cell: ({ clicked, sent }) => share(clicked, sent),
          },
          {
            key: 'when',
            title: t.campaigns.when,
            cell: ({ sentAt, scheduledAt, createdAt }) => <Moment at={sentAt ?? scheduledAt ?? createdAt} />,
          },
        ]}
        empty={<Empty icon={<IconSend />} title={t.campaigns.empty} hint={t.campaigns.emptyHint} action={make} />}
      />
    </Page>
  )
}
