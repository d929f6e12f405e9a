import { Alert, Group, List, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import { ApiError } from '../api/api-error.ts'
import type { components } from '../api/client.ts'
import { fieldLabel } from '../parts/field-label.ts'
import { useFormats } from '../parts/formats.ts'
import { Problem } from '../parts/problem.tsx'
import { useTexts } from '../texts/texts.tsx'
import { shown } from './data-text.ts'
import { RefusedRows } from './refused-rows.tsx'

type Outlook = components['schemas']['ImportPreview']

/** The effect of the import: how many contacts are new, the first of them as they will be, and what is refused. */
export function ImportOutlook({ outlook }: { readonly outlook: UseQueryResult<Outlook> }) {
  const t = useTexts()
  const { data, error } = outlook
  const said = (field: string, message: string) => {
    const words = t.refusals.problem(message)
    if (words !== message) return words
    const name = t.contacts.theFile[field] ?? field
    const quoted = t.reasons(message)
    return quoted === message ? `${name} ${message}.` : `${name}: ${quoted}`
  }
  if (error instanceof ApiError && error.fields.length > 0) {
    return (
      <Alert color="yellow" title={t.contacts.cannotImport} role="status">
        {error.fields.map(({ field, message }) => (
          <Text size="sm" key={field}>
            {message.includes('columns={') ? t.contacts.noAddress : said(field, message)}
          </Text>
        ))}
        {isNoTable(error) ? null : <Text size="sm">{t.contacts.chooseAddress}</Text>}
      </Alert>
    )
  }
  if (error) return <Problem error={error} retry={() => void outlook.refetch()} />
  if (data === undefined) return <Skeleton height={160} />
  if (data.totalRows === 0) {
    return (
      <Alert color="yellow" title={t.contacts.cannotImport} role="status">
        {t.contacts.noRows}
      </Alert>
    )
  }
  return (
    <Paper withBorder p="md" role="status" aria-busy={outlook.isPlaceholderData}>
      <Stack gap="sm">
        <WhoIsSubscribed {...data} />
        <Counts {...data} />
        {data.notes.length > 0 ? (
          <List size="sm">
            {data.notes.map((note) => (
              <List.Item key={note}>{t.reasons(note)}</List.Item>
            ))}
          </List>
        ) : null}
        <Rows {...data} />
        {data.errors.length > 0 ? <RefusedRows errors={data.errors} title={t.contacts.wouldFail} /> : null}
      </Stack>
    </Paper>
  )
}

/** Whether the file itself is refused: then there are no columns to choose. */
export function isNoTable(error: Error | null): boolean {
  return (
    error instanceof ApiError &&
    error.fields.some(({ field, message }) => field === 'file' && !message.includes('columns={'))
  )
}

/** Who would get marketing mail by this file, in one sentence: red when nothing in it says that they want it. */
function WhoIsSubscribed({ columns, subscribedCount }: Outlook) {
  const t = useTexts()
  const formats = useFormats()
  const shown = formats.number(subscribedCount)
  const says = columns.filter(({ key, isConsent }) => isConsent || key === 'subscribed').map(({ header }) => header)
  const isSure = subscribedCount === 0 || says.length > 0
  return (
    <Alert color={isSure ? 'green' : 'red'} p="sm">
      <Text size="sm">
        {subscribedCount === 0
          ? t.contacts.nobodySubscribed
          : isSure
            ? t.contacts.subscribedBy(subscribedCount, shown, says.join(', '))
            : t.contacts.allSubscribed(subscribedCount, shown)}
      </Text>
    </Alert>
  )
}

function Counts({
  createdCount,
  updatedCount,
  failureCount,
  unsubscribedCount,
  keptUnsubscribed,
  resubscribed,
}: Outlook) {
  const t = useTexts()
  const formats = useFormats()
  const all = [
    [createdCount, t.contacts.willCreate],
    [updatedCount, t.contacts.willUpdate],
    [unsubscribedCount, t.contacts.willUnsubscribe],
    [keptUnsubscribed, t.contacts.willKeep],
    [resubscribed, t.contacts.willResubscribe],
    [failureCount, t.contacts.willRefuse],
  ] as const
  const said = all.flatMap(([count, text]) => (count > 0 ? [text(count, formats.number(count))] : []))
  return (
    <div>
      <Title order={2} size="h4" mb={4}>
        {t.contacts.outlook}
      </Title>
      <Group gap="xs">
        {said.map((text) => (
          <Text key={text} size="sm">
            {text}
          </Text>
        ))}
      </Group>
    </div>
  )
}

function Rows({ rows, columns }: Outlook) {
  const t = useTexts()
  const formats = useFormats()
  if (rows.length === 0) return null
  const keys = columns.flatMap(({ key }) =>
    key === null || ['email', 'subscribed', 'tracking'].includes(key) ? [] : [key],
  )
  return (
    <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
      <Table aria-label={t.contacts.firstContacts} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.contacts.address}</Table.Th>
            <Table.Th>{t.contacts.isNew}</Table.Th>
            <Table.Th>{t.contacts.subscribed}</Table.Th>
            {keys.map((key) => (
              <Table.Th key={key}>{fieldLabel(key, t)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ row, email, isNew, subscribed, data }) => (
            <Table.Tr key={row}>
              <Table.Td>{email}</Table.Td>
              <Table.Td>{isNew ? t.anywhere.yes : t.anywhere.no}</Table.Td>
              <Table.Td>
                {subscribed === null ? t.contacts.unchanged : subscribed ? t.anywhere.yes : t.anywhere.no}
              </Table.Td>
              {keys.map((key) => (
                <Table.Td key={key}>{shown(data[key], formats)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
