import { ActionIcon, Alert, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useAct, useAsk } from '../api/ask.ts'
import { Answer } from '../parts/answer.tsx'
import { SidePanel } from '../parts/drawer.tsx'
import { Page } from '../parts/page.tsx'
import { wordsOfField } from '../parts/refusals.tsx'
import { keyName, valueName } from '../parts/routes/route-explained.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Texts } from '../texts/types.ts'
import { ExplainBox } from './explain-box.tsx'
import { LentTransports } from './lent-transports.tsx'
import { Ramp } from './ramp.tsx'
import { RuleForm } from './rule-form.tsx'
import { CHANGES, capital, conditionsOf, type Rule, type RuleList, saveRules, sharesOf } from './rules.ts'

/** The rules of routing in their order, and a box that explains the way of a mail by them. */
export function Routing() {
  const t = useTexts()
  const found = useAsk<RuleList>(['routes'], (api, signal) => api.GET('/users/@me/operator/routes', { signal }))
  return (
    <Page title={t.routes.rules} hint={t.routes.rulesHint} trail={[{ text: t.operator.title, href: '/' }]}>
      <Answer of={found} lines={8}>
        {(list) => (
          <Stack maw={820} gap="xl">
            <Rules list={list} />
            <LentTransports list={list} />
            <Stack component="section" gap="xs">
              <SectionHead title={t.routes.explain} hint={t.routes.explainHint} />
              <ExplainBox />
            </Stack>
          </Stack>
        )}
      </Answer>
    </Page>
  )
}

function Rules({ list }: { readonly list: RuleList }) {
  const t = useTexts()
  // the list as it was then, so that no change of others that came since is saved over
  const [open, setOpen] = useState<{ readonly list: RuleList; readonly at: number } | undefined>()
  const { rules, given, givenMore, setBy, version, transports } = list
  const before = given.length + givenMore
  const edited = open?.list.rules[open.at]
  const change = useAct((api, changed: readonly Rule[]) => saveRules(api, changed, version), {
    changes: CHANGES,
    done: t.routes.saved,
    undo: (now) => (api) => saveRules(api, rules, now.version),
  })
  const moved = (at: number, to: number) => {
    const left = rules.filter((_, index) => index !== at)
    return [...left.slice(0, to), ...rules.slice(at, at + 1), ...left.slice(to)]
  }
  if (setBy !== undefined) return <Alert color="blue">{t.routes.setByCode}</Alert>
  return (
    <Stack gap="xs">
      {given.length === 0 ? null : <Alert color="blue">{t.routes.given}</Alert>}
      {given.map((rule, at) => (
        <Row key={`given ${at}`} rule={rule} number={at + 1} problems={[]} isGiven>
          <Ramp rule={rule} />
        </Row>
      ))}
      {givenMore === 0 ? null : <Text size="sm">{t.routes.givenMore(givenMore)}</Text>}
      {rules.map((rule, at) => {
        const name = titleOf(rule, before + at + 1, t)
        return (
          <Row
            key={at}
            rule={rule}
            number={before + at + 1}
            problems={list.problems.flatMap(({ field, message }) =>
              field === `rules.${at}` || field.startsWith(`rules.${at}.`)
                ? [wordsOfField({ message, code: 'custom' }, t)]
                : [],
            )}
            actions={
              <>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.routes.up(name)}
                  disabled={at === 0 || change.isPending}
                  onClick={() => change.mutate(moved(at, at - 1))}
                >
                  <IconArrowUp size={18} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.routes.down(name)}
                  disabled={at === rules.length - 1 || change.isPending}
                  onClick={() => change.mutate(moved(at, at + 1))}
                >
                  <IconArrowDown size={18} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.routes.edit(name)}
                  onClick={() => setOpen({ list, at })}
                >
                  <IconPencil size={18} />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.routes.remove(name)}
                  disabled={change.isPending}
                  onClick={() => change.mutate(rules.filter((_, index) => index !== at))}
                >
                  <IconTrash size={18} />
                </ActionIcon>
              </>
            }
          >
            <Ramp
              rule={rule}
              onAgain={(ramp) => change.mutate(rules.map((each, index) => (index === at ? { ...each, ramp } : each)))}
            />
          </Row>
        )
      })}
      <Paper withBorder p="md">
        <Text size="sm" c="dimmed">
          {t.routes.rest(transports)}
        </Text>
      </Paper>
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setOpen({ list, at: rules.length })}
        >
          {t.routes.add}
        </Button>
      </Group>
      <SidePanel
        title={edited === undefined ? t.routes.add : titleOf(edited, before + (open?.at ?? 0) + 1, t)}
        opened={open !== undefined}
        onClose={() => setOpen(undefined)}
      >
        {open === undefined ? null : <RuleForm {...open} onDone={() => setOpen(undefined)} />}
      </SidePanel>
    </Stack>
  )
}

function Row({
  rule,
  number,
  problems,
  actions,
  isGiven = false,
  children,
}: {
  readonly rule: Rule
  readonly number: number
  readonly problems: readonly string[]
  readonly actions?: ReactNode
  readonly isGiven?: boolean
  readonly children: ReactNode
}) {
  const t = useTexts()
  const conditions = conditionsOf(rule).map(({ key, name, values }) =>
    t.routes.condition(
      capital(keyName(t, name === '' ? key : `${key}.${name}`)),
      values.map((value) => valueName(t, key, value)).join(t.routes.or),
    ),
  )
  const { fallback = [], whenFull } = rule
  return (
    <Paper withBorder p="md">
      <Group gap="xs" align="flex-start">
        <Stack gap={4} flex="1 1 14rem">
          <Group gap="xs">
            <Text fw={600}>{titleOf(rule, number, t)}</Text>
            {isGiven ? (
              <Badge variant="light" color="gray">
                {t.routes.fromSettings}
              </Badge>
            ) : null}
          </Group>
          <Text size="sm">{conditions.length === 0 ? t.routes.forAll : conditions.join(' · ')}</Text>
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {[
              t.routes.goes(
                sharesOf(rule)
                  .map(({ transport, percent }) =>
                    percent === undefined ? transport : t.routes.share(transport, percent),
                  )
                  .join(', '),
              ),
              fallback.length > 0 && t.routes.falls(fallback),
              whenFull === 'wait' && t.routes.waits,
            ]
              .filter(Boolean)
              .join(' ')}
          </Text>
          {children}
          {problems.map((problem) => (
            <Text key={problem} size="sm" c="var(--mw-bad)">
              {problem}
            </Text>
          ))}
        </Stack>
        {actions === undefined ? null : (
          <Group gap="xs" wrap="nowrap" ml="auto">
            {actions}
          </Group>
        )}
      </Group>
    </Paper>
  )
}

function titleOf({ name }: Rule, number: number, t: Texts): string {
  return name === undefined ? t.routes.rule(number) : `${t.routes.rule(number)}: ${name}`
}
