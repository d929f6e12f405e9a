import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { components } from '../api/client.ts'
import { useTexts } from '../texts/texts.tsx'

type Rule = NonNullable<components['schemas']['Inbox']['rules']>[number]
const CONDITIONS = ['from', 'to', 'subject'] as const
const FOLDERS = ['archive', 'spam', 'trash'] as const

/** Edits the rules of an inbox that have one condition and one action; others, made by programs, are named and can be deleted. */
export function RulesInput({
  rules,
  labels,
  onChange,
  errorOf,
}: {
  readonly rules: readonly Rule[]
  readonly labels: readonly string[]
  readonly onChange: (rules: readonly Rule[]) => void
  readonly errorOf: (field: string) => string | undefined
}) {
  const t = useTexts()
  const { rulesOf } = t.inboxes
  const put = (at: number, rule: Rule) => onChange(rules.map((each, i) => (i === at ? rule : each)))
  const actions = [
    ...FOLDERS.map((folder) => ({ value: `folder:${folder}`, label: rulesOf.moveTo(t.inboxes.folders[folder]) })),
    { value: 'forward:', label: rulesOf.forward },
    ...labels.map((name) => ({ value: `label:${name}`, label: rulesOf.label(name) })),
  ]
  return (
    <Fieldset legend={rulesOf.title}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {rulesOf.hint}
        </Text>
        {rules.map((rule, at) => {
          const simple = simpleOf(rule)
          const number = at + 1
          const remove = (
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={rulesOf.remove(number)}
              onClick={() => onChange(rules.filter((_, i) => i !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )
          if (simple === undefined) {
            return (
              <Group key={at} justify="space-between" wrap="nowrap">
                <Text size="sm">{rule.name || rulesOf.other}</Text>
                {remove}
              </Group>
            )
          }
          const { condition, value, action } = simple
          const error = errorOf(`rules.${at}`) ?? errorOf(`rules.${at}.${condition}`) ?? errorOf(`rules.${at}.labels.0`)
          return (
            <Group key={at} gap="xs" align="flex-start">
              <Select
                aria-label={rulesOf.condition(number)}
                data={CONDITIONS.map((each) => ({ value: each, label: rulesOf.conditions[each] }))}
                allowDeselect={false}
                value={condition}
                onChange={(chosen) => put(at, made(chosen ?? condition, value, action))}
                w={130}
              />
              <TextInput
                aria-label={rulesOf.value(number)}
                placeholder={condition === 'subject' ? rulesOf.part : '@example.com'}
                value={value}
                maxLength={254}
                onChange={({ currentTarget }) => put(at, made(condition, currentTarget.value, action))}
                error={error}
                flex={1}
                miw={140}
              />
              <Select
                aria-label={rulesOf.action(number)}
                data={actions}
                allowDeselect={false}
                value={action}
                onChange={(chosen) => put(at, made(condition, value, chosen ?? action))}
                w={190}
              />
              {remove}
            </Group>
          )
        })}
        <Button
          variant="subtle"
          size="compact-sm"
          w="fit-content"
          leftSection={<IconPlus size={14} />}
          onClick={() => onChange([...rules, made('from', '', 'folder:archive')])}
        >
          {rulesOf.add}
        </Button>
      </Stack>
    </Fieldset>
  )
}

/** The parts of a rule that this form can show; undefined for one that says more. */
function simpleOf(rule: Rule) {
  const { name: _, ...rest } = rule
  const condition = CONDITIONS.find((each) => rest[each] !== undefined)
  const keys = Object.keys(rest)
  if (condition === undefined || keys.length !== 2) return undefined
  const value = rest[condition] ?? ''
  if (rest.folder !== undefined && rest.folder !== 'inbox') return { condition, value, action: `folder:${rest.folder}` }
  if (rest.forward) return { condition, value, action: 'forward:' }
  const [label, ...more] = rest.labels ?? []
  return label === undefined || more.length > 0 ? undefined : { condition, value, action: `label:${label}` }
}

function made(condition: string, value: string, action: string): Rule {
  const [kind, ...rest] = action.split(':')
  const target = rest.join(':')
  const folder = FOLDERS.find((each) => each === target) ?? 'archive'
  const key = CONDITIONS.find((each) => each === condition) ?? 'from'
  if (kind === 'forward') return { [key]: value, forward: true }
  return { [key]: value, ...(kind === 'label' ? { labels: [target] } : { folder }) }
}
