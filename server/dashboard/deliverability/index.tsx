import { Group, SegmentedControl, Text } from '@mantine/core'
import { IconTargetArrow } from '@tabler/icons-react'
import { useAsk } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useAddress } from '../parts/address.ts'
import { useAdvice } from '../parts/advice.ts'
import { Answer } from '../parts/answer.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

/** The state of a sender, as pills color it. */
const STATES = { ok: 'ok', warning: 'degraded', stopped: 'down' } as const

type Refused = components['schemas']['Deliverability']['lastRefusals'][number]

/** The results of mail at each receiver, with its last refusal in words. */
export default function Deliverability() {
  const t = useTexts()
  const formats = useFormats()
  const say = useAdvice()
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
              {
                key: 'state',
                title: t.anywhere.status,
                sparse: true,
                cell: ({ state, reasons = [], reasonCodes = [] }) =>
                  state === undefined ? null : (
                    <>
                      <Pill status={STATES[state]} text={t.deliverability.states[state]} />
                      {reasons.map((reason, at) => (
                        <Text key={reason} size="xs" c="dimmed" mt={4}>
                          {say(reason, reasonCodes.slice(at, at + 1))}
                        </Text>
                      ))}
                    </>
                  ),
              },
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
                cell: ({ lastRefusals: [last, ...others] }) =>
                  last === undefined ? (
                    ''
                  ) : (
                    <>
                      <Refusal of={last} />
                      {others.length === 0 ? null : (
                        <details>
                          <Text component="summary" size="xs">
                            {t.deliverability.more(others.length)}
                          </Text>
                          {others.map((other) => (
                            <Refusal key={`${other.at} ${other.text}`} of={other} />
                          ))}
                        </details>
                      )}
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

/** The reply of a server, in words where its meaning is known, and in its own. */
function Refusal({ of: { at, code, text, meaning, meaningCodes } }: { readonly of: Refused }) {
  const say = useAdvice()
  return (
    <div>
      <Text size="sm">{meaning === null ? text : say(meaning, meaningCodes)}</Text>
      <Text size="xs" c="dimmed" mb={4}>
        {meaning === null ? code : <Breakable text={text.includes(code) ? text : `${code} ${text}`} />} ·{' '}
        <Moment at={at} />
      </Text>
    </div>
  )
}
