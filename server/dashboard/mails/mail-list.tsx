import { Select } from '@mantine/core'
import { IconMail } from '@tabler/icons-react'
import type { components, operations } from '../api/client.ts'
import { useAddress } from '../parts/address.ts'
import { CopyCurl } from '../parts/copy.tsx'
import { shownStatus } from '../parts/delivered.ts'
import { Empty } from '../parts/empty.tsx'
import { FirstMail } from '../parts/first-mail.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { CampaignName, ContactName } from '../parts/name-of.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { useTexts } from '../texts/texts.tsx'
import { SearchHelp } from './search-help.tsx'

type Mail = components['schemas']['ListedEmail']
type Query = NonNullable<operations['listEmails']['parameters']['query']>

const STATES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'BOUNCED',
  'COMPLAINED',
  'FAILED',
  'SKIPPED',
  'RECEIVED',
]
/** Filters that figures elsewhere lead here with. */
const FILTERS = [
  'status',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'replied',
  'inReplyTo',
  'day',
  'timezone',
  'domain',
  'reason',
  'contactId',
  'campaignId',
]

export function MailList() {
  const t = useTexts()
  const formats = useFormats()
  const { values, change } = useAddress()
  return (
    <Page title={t.mails.title} actions={<CopyCurl path="/emails" />}>
      <List<Mail>
        noun="emails"
        label={t.mails.title}
        search={t.mails.search}
        filters={FILTERS}
        says={(name, value) => {
          // the zone of the day
          if (name === 'timezone') return values.day ? null : value
          if (name === 'day') {
            return [{ key: name, text: formats.date(value), without: { day: undefined, timezone: undefined } }]
          }
          if (name === 'inReplyTo') return t.mails.inReplyTo
          if (name === 'contactId') return <ContactName id={value} />
          if (name === 'campaignId') return <CampaignName id={value} />
          const figures: Readonly<Record<string, string>> = t.campaigns.figures
          const figure = figures[name]
          return figure === undefined ? undefined : value === 'true' ? figure : t.anywhere.not(figure)
        }}
        controls={
          <>
            <Select
              aria-label={t.anywhere.status}
              placeholder={t.mails.anyStatus}
              data={STATES.map((value) => ({ value, label: t.status[value] ?? value }))}
              value={values.status ?? null}
              onChange={(status) => change({ status: status ?? undefined, cursor: undefined, page: undefined })}
              clearable
            />
            <SearchHelp />
          </>
        }
        ask={(api, { page: _, ...query }, signal) => api.GET('/emails', { params: { query: query as Query }, signal })}
        every={values.cursor ? undefined : () => 10_000}
        href={({ id }) => `/${id}`}
        rowName={({ to }) => to}
        columns={[
          { key: 'to', title: t.mails.to, cell: ({ to }) => to },
          { key: 'subject', title: t.mails.subject, cell: ({ subject }) => shortened(subject ?? '') },
          { key: 'from', title: t.mails.from, hidden: true, cell: ({ from }) => from },
          { key: 'status', title: t.anywhere.status, cell: (mail) => <Pill status={shownStatus(mail)} /> },
          {
            key: 'source',
            title: t.mails.source,
            cell: ({ about, sourceType }) => t.mails.sources[about ?? sourceType],
          },
          {
            key: 'error',
            title: t.anywhere.details,
            sparse: true,
            cell: ({ error, skipReason }) =>
              (error && t.reasons(error)) ?? (skipReason && (t.mails.skip[skipReason] ?? skipReason)) ?? '',
          },
          { key: 'createdAt', title: t.mails.when, cell: ({ createdAt }) => <Moment at={createdAt} /> },
        ]}
        empty={<Empty icon={<IconMail />} title={t.mails.empty} hint={t.mails.emptyHint} action={<FirstMail />} />}
      />
    </Page>
  )
}

/** A subject may have a thousand characters: two lines tell which mail it is. */
function shortened(subject: string): string {
  return subject.length > 120 ? `${subject.slice(0, 120)}…` : subject
}
