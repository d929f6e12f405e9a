import { Table, Title } from '@mantine/core'
import type { components } from '../api/client.ts'
import { wordsOfRow } from '../parts/refusals.tsx'
import stacked from '../parts/stacked.module.css'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'

type RefusedRow = components['schemas']['ImportPreview']['errors'][number]

/** Rows of a file that are refused, with the reason. */
export function RefusedRows({ errors, title }: { readonly errors: readonly RefusedRow[]; readonly title: string }) {
  const t = useTexts()
  return (
    <div>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Table.ScrollContainer minWidth={420} mah={320} type="native" tabIndex={0} className={stacked.stacked}>
        <Table aria-label={title} verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.contacts.row}</Table.Th>
              <Table.Th>{t.contacts.address}</Table.Th>
              <Table.Th>{t.contacts.reason}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {errors.map(({ row, email, error }) => (
              <Table.Tr key={row}>
                <Table.Td data-name={t.contacts.row}>{row}</Table.Td>
                <Table.Td>{email}</Table.Td>
                <Table.Td data-name={t.contacts.reason}>{whyRefused(error.replace(/^email: /, ''), t)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </div>
  )
}

/** The reason in the reader's language; one without words there is quoted. */
function whyRefused(problem: string, t: Texts): string {
  if (problem === 'is required') return t.contacts.addressMissing
  const words = wordsOfRow(problem, t)
  return words === problem ? t.reasons(problem) : words
}
