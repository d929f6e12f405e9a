import { Button, Group, Text } from '@mantine/core'
import { useAsk } from '../api/ask.ts'
import { useFormats } from '../parts/formats.ts'
import { dayOf } from '../parts/routes/route-explained.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Rule } from './rules.ts'

/** The ramp of a rule, how far it is today, and a button that begins it again once it went back. */
export function Ramp({
  rule: { name, ramp },
  onAgain,
}: {
  readonly rule: Rule
  /** Absent for rules that are changed elsewhere. */
  readonly onAgain?: (ramp: NonNullable<Rule['ramp']>) => void
}) {
  const t = useTexts()
  const formats = useFormats()
  const state = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }), {
    enabled: ramp !== undefined,
  })
  if (ramp === undefined) return null
  const { to, from, start, add, backAt } = ramp
  const words = t.routes.ramp
  const found = state.data?.routeRamps.find((each) => each.rule === name && each.transport === to)
  const more = add > 0 && start < 100 ? formats.percent(add) : undefined
  return (
    <>
      <Text size="sm" c="dimmed">
        {words.plan(to, formats.percent(start), more, dayOf(from, formats), formats.percent(backAt))}
      </Text>
      {found === undefined ? null : (
        <Text size="sm" c={found.isBack ? 'var(--mw-bad)' : 'dimmed'}>
          {found.isBack
            ? words.back(to)
            : `${words.today(formats.percent(found.share))} ${words.counted(found.sent, formats.number(found.sent), formats.number(found.refused))}`}
          {found.isBack && found.sent > 0
            ? ` ${words.countedBack(formats.number(found.sent), formats.number(found.refused))}`
            : null}
        </Text>
      )}
      {found?.isBack !== true ? null : onAgain === undefined ? (
        <Text size="sm" c="dimmed">
          {words.againGiven}
        </Text>
      ) : (
        <Group>
          <Button
            size="xs"
            variant="default"
            aria-label={words.againOf(name ?? to)}
            onClick={() => onAgain({ ...ramp, from: new Date().toISOString() })}
          >
            {words.again}
          </Button>
        </Group>
      )}
    </>
  )
}
