import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.tsx'
import { PAIR_KINDS, type Pair } from './pairs.ts'

/** Fields and their values, one in a row; of a field that takes texts alone nothing but a text is offered. */
export function PairsInput({
  label,
  description,
  value,
  onChange,
  onlyTexts = false,
  error,
}: {
  readonly label: string
  readonly description: string
  readonly value: readonly Pair[]
  readonly onChange: (pairs: readonly Pair[]) => void
  readonly onlyTexts?: boolean
  readonly error?: string | undefined
}) {
  const t = useTexts()
  const put = (at: number, changed: Partial<Pair> | undefined) =>
    onChange(
      value.flatMap((pair, index) => (index !== at ? pair : changed === undefined ? [] : { ...pair, ...changed })),
    )
  const kinds = PAIR_KINDS.map((kind) => ({ value: kind, label: t.workflows.pairKinds[kind] }))
  return (
    <Fieldset legend={label}>
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {description}
        </Text>
        {value.map(({ name, kind, value: typed }, at) => (
          <Group key={at} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={t.workflows.pairName(at + 1)}
              placeholder={t.workflows.pairNameHint}
              flex={1}
              value={name}
              onChange={({ currentTarget }) => put(at, { name: currentTarget.value })}
            />
            {onlyTexts ? null : (
              <Select
                aria-label={t.workflows.pairKind(at + 1)}
                w={110}
                data={kinds}
                allowDeselect={false}
                value={kind}
                onChange={(chosen) => chosen && put(at, { kind: chosen as Pair['kind'] })}
              />
            )}
            {kind === 'text' || kind === 'number' || kind === 'json' ? (
              <TextInput
                aria-label={t.workflows.pairValue(at + 1)}
                placeholder={t.workflows.pairValueHint}
                flex={1}
                value={typed}
                onChange={({ currentTarget }) => put(at, { value: currentTarget.value })}
              />
            ) : null}
            <ActionIcon
              variant="subtle"
              color="gray"
              mt={4}
              aria-label={t.workflows.removePair(at + 1)}
              onClick={() => put(at, undefined)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {error ? (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        ) : null}
        <Button
          variant="light"
          size="xs"
          leftSection={<IconPlus size={14} />}
          w="fit-content"
          onClick={() => onChange([...value, { name: '', kind: 'text', value: '' }])}
        >
          {t.workflows.addPair}
        </Button>
      </Stack>
    </Fieldset>
  )
}
