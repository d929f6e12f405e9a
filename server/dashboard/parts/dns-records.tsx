import { Code, Group, Paper, Table, Text, Title } from '@mantine/core'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'
import { useAdvice } from './advice.ts'
import { Copy } from './copy.tsx'
import { Moment } from './moment.tsx'
import { Pill } from './pill.tsx'
import stacked from './stacked.module.css'

export type Domain = components['schemas']['Domain']

/** The DNS records of a domain, to copy, with the state of each in words. */
export function DnsRecords({ domain: { records, lastCheckedAt } }: { readonly domain: Domain }) {
  const t = useTexts()
  const say = useAdvice()
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {t.domains.records}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t.domains.recordsHint} {t.domains.checkedAt}: <Moment at={lastCheckedAt} empty={t.anywhere.never} />
      </Text>
      <Table.ScrollContainer minWidth={860} type="native" className={stacked.stacked}>
        <Table verticalSpacing="sm" aria-label={t.domains.records}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.domains.purpose}</Table.Th>
              <Table.Th>{t.domains.type}</Table.Th>
              <Table.Th miw={220}>{t.domains.name}</Table.Th>
              <Table.Th>{t.domains.value}</Table.Th>
              <Table.Th miw={160}>{t.domains.state}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {records.map(({ type, name, value, purpose, required, status, advice, adviceCodes }) => (
              <Table.Tr key={`${type} ${name} ${value}`}>
                <Table.Td>
                  {t.domains.purposes[purpose] ?? purpose}
                  {required ? (
                    <Text size="xs" c="dimmed">
                      {t.domains.required}
                    </Text>
                  ) : null}
                </Table.Td>
                <Table.Td data-name={t.domains.type}>{type}</Table.Td>
                <Table.Td data-name={t.domains.name}>
                  <Copyable text={name} />
                </Table.Td>
                <Table.Td data-name={t.domains.value}>
                  <Copyable text={value} />
                </Table.Td>
                <Table.Td maw={280} data-name={t.domains.state}>
                  <Pill status={status} text={t.domains.states[status] ?? status} />
                  {advice ? (
                    <Text size="xs" c="dimmed" mt={4}>
                      {say(advice, adviceCodes)}
                    </Text>
                  ) : null}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  )
}

function Copyable({ text }: { readonly text: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Code style={{ overflowWrap: 'anywhere' }}>{text}</Code>
      <Copy value={text} />
    </Group>
  )
}
