import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { IconListSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { useAct } from '../api/ask.ts'
import type { components } from '../api/client.ts'
import { useAdvice } from '../parts/advice.ts'
import { Pill } from '../parts/pill.tsx'
import { DataTable } from '../parts/table.tsx'
import { useTexts } from '../texts/texts.tsx'

type Listed = components['schemas']['ListedAddress']

/** Whether the addresses that mail comes from are on block lists, asked by a button: the lists count who asks. */
export function Blocklists() {
  const t = useTexts()
  const [text, setText] = useState('')
  const [found, setFound] = useState<readonly Listed[]>([])
  const look = useAct(
    (api, addresses: readonly string[]) =>
      api.POST('/users/@me/operator/blocklists', { body: addresses.length > 0 ? { addresses: [...addresses] } : {} }),
    { changes: [], onDone: ({ addresses }) => setFound(addresses) },
  )
  return (
    <Paper withBorder p="md">
      <Group align="flex-end">
        <TextInput
          flex={1}
          miw={220}
          label={t.operator.addresses}
          description={t.operator.addressesHint}
          placeholder="198.51.100.7, 2001:db8::25"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Button
          variant="default"
          leftSection={<IconListSearch size={16} />}
          loading={look.isPending}
          onClick={() => look.mutate(text.split(/[\s,;]+/).filter(Boolean))}
        >
          {t.operator.lookUp}
        </Button>
      </Group>
      <Stack gap="md" mt={found.length > 0 ? 'md' : 0} aria-live="polite">
        {found.map((each) => (
          <Address key={each.address} {...each} />
        ))}
      </Stack>
    </Paper>
  )
}

function Address({ address, listings }: Listed) {
  const t = useTexts()
  const say = useAdvice()
  const { listingStates } = t.operator
  return (
    <div>
      <Text fw={550} size="sm">
        {address}
      </Text>
      <DataTable
        name="operator-blocklists"
        label={t.operator.blocklistsOf(address)}
        rows={listings.map((each) => ({ ...each, id: each.zone }))}
        columns={[
          { key: 'zone', title: t.operator.blocklist, cell: ({ zone }) => zone },
          {
            key: 'state',
            title: t.anywhere.status,
            cell: ({ state }) => <Pill status={PILLS[state]} text={listingStates[state] ?? state} />,
          },
          {
            key: 'advice',
            title: t.operator.listingSays,
            cell: ({ advice, adviceCodes, reason }) => (
              <>
                <Text size="sm">{say(advice, adviceCodes)}</Text>
                {reason === '' ? null : (
                  <Text size="xs" c="dimmed">
                    {reason}
                  </Text>
                )}
              </>
            ),
          },
        ]}
        empty={null}
      />
    </div>
  )
}

/** The states whose colours they have. */
const PILLS = { listed: 'FAILED', clear: 'VERIFIED', refused: 'PENDING', unknown: 'PENDING' } as const
