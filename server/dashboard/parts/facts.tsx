import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Breakable } from './breakable.tsx'
import classes from './facts.module.css'

/** Names and values, without those that have none. */
export function Facts({ of }: { readonly of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={classes.facts}>
      {of.map(([name, value]) =>
        value === null || value === undefined || value === false || value === '' ? null : (
          <div key={name} className={classes.fact}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" className={classes.value}>
              {typeof value === 'string' ? <Breakable text={value} /> : value}
            </Text>
          </div>
        ),
      )}
    </dl>
  )
}
