import { Text } from '@mantine/core'
import { Breakable } from '../parts/breakable.tsx'
import { FilterWords } from '../parts/filter/filter-builder.tsx'
import type { Filter } from '../parts/filter/language.ts'
import { TemplateName } from '../parts/name-of.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Step } from './step-list.tsx'

/** What a step does, by its settings. */
export function StepWords({ step: { type, config, templateId } }: { readonly step: Step }) {
  const t = useTexts()
  const given: Readonly<Record<string, unknown>> = { ...config }
  const text = (name: string) => (given[name] === undefined || given[name] === null ? '' : String(given[name]))
  const words = () => {
    switch (type) {
      case 'SEND_EMAIL': {
        const id = templateId ?? text('templateId')
        return id === '' ? null : <TemplateName id={id} />
      }
      case 'DELAY': {
        const unit = t.workflows.units[text('unit') as keyof typeof t.workflows.units] ?? text('unit')
        return `${text('amount')} ${unit}`
      }
      case 'WAIT_FOR_EVENT':
        return [text('eventName'), text('timeout') === '' ? '' : t.workflows.atMost(text('timeout'))]
          .filter(Boolean)
          .join(', ')
      case 'CONDITION':
        return <FilterWords filter={filterOf(given)} />
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

const EMPTY: Filter = { operator: 'AND', conditions: [] }

/** The condition of a step: a filter, or one condition alone. */
export function filterOf(config: Readonly<Record<string, unknown>>): Filter {
  if ('conditions' in config) return config as unknown as Filter
  return 'field' in config ? { ...EMPTY, conditions: [config as never] } : EMPTY
}
