import { Button, Group, VisuallyHidden } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { type ReactNode, useRef } from 'react'
import { useTexts } from '../texts/texts.tsx'
import classes from './active-filters.module.css'
import { useAddress } from './address.ts'

/** One condition of a list: in words, and what the address is without it. */
export interface ActiveFilter {
  readonly key: string
  readonly text: ReactNode
  readonly without: Readonly<Record<string, string | undefined>>
}

/**
 * The filters that narrow a list, above its rows, each taken away by itself. The one behind it has the focus next;
 * after the last one the list's first control.
 */
export function ActiveFilters({ of: active }: { readonly of: readonly ActiveFilter[] }) {
  const t = useTexts()
  const { change } = useAddress()
  const box = useRef<HTMLDivElement>(null)
  const remove = (without: ActiveFilter['without'], at: number) => {
    change({ ...without, cursor: undefined, page: undefined })
    // when the pill is gone
    setTimeout(() => {
      const left = box.current?.querySelectorAll('button')
      const next = left?.[Math.min(at, left.length - 1)]
      const first = box.current?.parentElement?.querySelector<HTMLElement>('input, button')
      ;(next ?? first)?.focus()
    })
  }
  const all = Object.assign({}, ...active.map(({ without }) => without))
  return (
    <div ref={box}>
      {active.length === 0 ? null : (
        <Group component="ul" gap={6} p={0} m={0} mb="sm" aria-label={t.anywhere.filters} style={{ listStyle: 'none' }}>
          {active.map(({ key, text, without }, at) => (
            <li key={key} className={classes.item}>
              <Button
                size="compact-sm"
                variant="light"
                className={classes.pill}
                rightSection={<IconX size={14} aria-hidden />}
                onClick={() => remove(without, at)}
              >
                <VisuallyHidden>{t.anywhere.removeFilter} </VisuallyHidden>
                {text}
              </Button>
            </li>
          ))}
          {active.length < 2 ? null : (
            <li>
              <Button size="compact-sm" variant="subtle" onClick={() => remove(all, 0)}>
                {t.anywhere.clearAll}
              </Button>
            </li>
          )}
        </Group>
      )}
    </div>
  )
}
