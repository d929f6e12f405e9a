import { MultiSelect, Stack } from '@mantine/core'
import { useAct, useAsk } from '../api/ask.ts'
import { wordsOfField } from '../parts/refusals.tsx'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CHANGES, type RuleList, saveRules } from './rules.ts'

/** The value of the choice that lets all projects name a transport. */
const ALL = 'all'

type MayName = RuleList['mayName']

/** Which projects may name a transport for their mail: a choice for each. */
export function LentTransports({ list }: { readonly list: RuleList }) {
  const t = useTexts()
  const state = useAsk(['operator'], (api, signal) => api.GET('/users/@me/operator', { signal }))
  const { rules, mayName, givenMayName, transports, version, setBy } = list
  const change = useAct((api, changed: MayName) => saveRules(api, rules, version, changed), {
    changes: [...CHANGES, 'projects'],
    done: t.routes.saved,
    undo: (now) => (api) => saveRules(api, rules, now.version, mayName),
  })
  if (setBy !== undefined) return null
  const projects = state.data?.projects ?? []
  const chosenOf = (of: MayName[string] | undefined) => (of === true ? [ALL] : (of ?? []))
  const choose = (transport: string, chosen: readonly string[]) => {
    const { [transport]: before, ...others } = mayName
    const isAll = chosen.includes(ALL) && before !== true
    const ids = chosen.filter((id) => id !== ALL)
    change.mutate(
      isAll ? { ...others, [transport]: true } : ids.length === 0 ? others : { ...others, [transport]: ids },
    )
  }
  const ids = Object.values(mayName).flatMap((of) => (of === true ? [] : of))
  const unknown = [...new Set(ids)].filter((id) => !projects.some((each) => each.id === id))
  return (
    <Stack component="section" gap="xs">
      <SectionHead title={t.routes.lent} hint={t.routes.lentHint} />
      {[...new Set([...transports, ...Object.keys(mayName)])].map((transport) => {
        const given = givenMayName[transport]
        const problem = list.problems.find(({ field }) => field === `mayName.${transport}`)
        return (
          <MultiSelect
            key={transport}
            label={t.routes.lentTo(transport)}
            description={
              given === undefined ? undefined : t.routes.lentBySettings(given === true ? undefined : given.length)
            }
            data={[
              { value: ALL, label: t.routes.allProjects },
              ...projects.map(({ id, name }) => ({ value: id, label: name })),
              ...unknown.map((id) => ({ value: id, label: id })),
            ]}
            value={chosenOf(mayName[transport])}
            onChange={(chosen) => choose(transport, chosen)}
            disabled={change.isPending}
            searchable
            clearable
            error={problem && wordsOfField({ message: problem.message, code: 'custom' }, t)}
          />
        )
      })}
    </Stack>
  )
}
