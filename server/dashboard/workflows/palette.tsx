import { Group, Menu, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTexts } from '../texts/texts.tsx'
import type { Outlet } from './graph.ts'
import { STEP_ICONS } from './step-icons.ts'
import { fitsBetween, SHOWN_FIELDS } from './step-values.ts'
import classes from './workflows.module.css'

const TYPES = Object.keys(SHOWN_FIELDS)

/** The kinds of steps that can be added at a place, each with its sentence. `children` opens it. */
export function Palette({
  outlet,
  onChoose,
  children,
}: {
  readonly outlet: Outlet
  readonly onChoose: (type: string) => void
  readonly children: ReactNode
}) {
  const t = useTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom" width={360} shadow="lg" withinPortal keepMounted={false}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown className={classes.palette} aria-label={t.workflows.palette}>
        <Menu.Label>{t.workflows.palette}</Menu.Label>
        {TYPES.filter((type) => fitsBetween(type, outlet)).map((type) => {
          const Icon = STEP_ICONS[type]
          return (
            <Menu.Item key={type} onClick={() => onChoose(type)} aria-label={t.workflows.kinds[type]}>
              <Group gap="sm" wrap="nowrap">
                {Icon ? (
                  <span className={classes.paletteIcon}>
                    <Icon size={18} />
                  </span>
                ) : null}
                <div>
                  <Text size="sm" fw={500}>
                    {t.workflows.kinds[type]}
                  </Text>
                  <Text size="xs" c="dimmed">
                    {t.workflows.kindHints[type]}
                  </Text>
                </div>
              </Group>
            </Menu.Item>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
}
