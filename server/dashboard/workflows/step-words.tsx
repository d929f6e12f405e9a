import { Text } from '@mantine/core'
import { Breakable } from '../parts/breakable.tsx'
import { FilterWords } from '../parts/filter/filter-builder.tsx'
import { TemplateName } from '../parts/name-of.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Step } from './graph.ts'
import { filterOf, inUnit, type Share } from './step-values.ts'

/** What a step does, by its settings. */
export function StepWords({ step: { type, config, templateId } }: { readonly step: Step }) {
  const t = useTexts()
  const given: Readonly<Record<string, unknown>> = { ...config }
  const text = (name: string) => (given[name] === undefined || given[name] === null ? '' : String(given[name]))
  const { branches } = { branches: [] as readonly Share[], ...config }
  const lasting = ({ amount, unit }: { readonly amount: string; readonly unit: string }) =>
    `${amount} ${t.workflows.units[unit as keyof typeof t.workflows.units] ?? unit}`
  const words = () => {
    switch (type) {
      case 'SEND_EMAIL': {
        const id = templateId ?? text('templateId')
        return id === '' ? null : <TemplateName id={id} />
      }
      case 'DELAY':
        return lasting({ amount: text('amount'), unit: text('unit') })
      case 'WAIT_FOR_EVENT':
        return [text('eventName'), given.timeout == null ? '' : t.workflows.atMost(lasting(inUnit(given.timeout)))]
          .filter(Boolean)
          .join(', ')
      case 'CONDITION':
        return <FilterWords filter={filterOf(given)} />
      case 'SWITCH':
        return t.workflows.byField(text('field').replace(/^data\./, ''))
      case 'SPLIT':
        return branches.map(({ branch, percent }) => `${branch}: ${percent} %`).join(', ')
      case 'WEBHOOK':
        return <Breakable text={`${text('method') || 'POST'} ${text('url')}`} />
      case 'UPDATE_CONTACT':
        return [
          given.subscribed === true ? t.workflows.subscribe : given.subscribed === false ? t.workflows.unsubscribe : '',
          ...Object.entries(given.data ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
        ]
          .filter(Boolean)
          .join(', ')
      case 'EXIT':
        return text('reason')
      default:
        return null
    }
  }
  const said = words()
  if (said === null || said === '') return null
  return (
    <Text size="sm" component="div">
      {said}
    </Text>
  )
}
