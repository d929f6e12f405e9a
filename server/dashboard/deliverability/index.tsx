import { Group, SegmentedControl, Text } from '@mantine/core'
import { IconTargetArrow } from '@tabler/icons-react'
import { useAsk } from '../api/ask.ts'
import { useAddress } from '../parts/address.ts'
import { Answer } from '../parts/answer.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

/** What became of mail at each receiver, with its last refusal in words. */
export default function Deliverability() {
  const t = useTexts()
  const formats = useFormats()
  const { values, change } = useAddress()
  const by = values.by === 'sendingDomain' ? 'sendingDomain' : 'recipientDomain'
  const days = Number(values.days ?? 30)
  const found = useAsk(['deliverability', by, days], (api, signal) =>
    api.GET('/deliverability', { params: { query: { by, days } }, signal }),
  )
  return (
    <Page
      title={t.deliverability.title}
      hint={t.deliverability.hint}
      actions={<CopyCurl path={`/deliverability?by=${by}&days=${days}`} />}
    >
      <Group>
        <SegmentedControl
          value={by}
          onChange={(chosen) => change({ by: chosen })}
          data={[
            { value: 'recipientDomain', label: t.deliverability.byRecipient },
            { value: 'sendingDomain', label: t.deliverability.bySender },
          ]}
        />
        <SegmentedControl
          value={String(days)}
          onChange={(chosen) => change({ days: chosen })}
          data={[7, 30, 90].map((n) => ({ value: String(n), label: t.deliverability.days(n) }))}
        />
      </Group>
      <Answer of={found}>
        {(rows) => (
          <DataTable
            name="deliverability"
            label={t.deliverability.title}
            rows={rows.map((row) => ({ ...row, id: row.domain }))}
            columns={[
              { key: 'domain', title: t.deliverability.domain, cell: ({ domain }) => domain },
              { key: 'sent', title: t.deliverability.sent, align: 'right', cell: ({ sent }) => formats.number(sent) },
              {
                key: 'delivered',
                title: t.deliverability.delivered,
                align: 'right',
                cell: ({ delivered }) => formats.number(delivered),
              },
              {
                key: 'deferred',
                title: t.deliverability.deferred,
                align: 'right',
                cell: ({ deferred }) => formats.number(deferred),
              },
              {
                key: 'bounce',
                title: t.deliverability.bounceRate,
                align: 'right',
                cell: ({ bounceRate }) => formats.percent(bounceRate),
              },
              {
                key: 'complaint',
                title: t.deliverability.complaintRate,
                align: 'right',
                cell: ({ complaintRate }) => formats.percent(complaintRate),
              },
              {
                key: 'refusal',
                title: t.deliverability.lastRefusal,
                cell: ({ lastRefusals: [last] }) =>
                  last === undefined ? (
                    ''
                  ) : (
                    <>
                      <Text size="sm">{last.meaning ?? last.text}</Text>
                      <Text size="xs" c="dimmed">
                        {last.code} · <Moment at={last.at} />
                      </Text>
                    </>
                  ),
              },
            ]}
            empty={
              <Empty icon={<IconTargetArrow />} title={t.deliverability.empty} hint={t.deliverability.emptyHint} />
            }
          />
        )}
      </Answer>
    </Page>
  )
}
