import { SegmentedControl, Skeleton } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ComponentProps, Suspense } from 'react'
import { later } from '../api/later.ts'
import { useAddress } from '../parts/address.ts'
import { useTexts } from '../texts/texts.tsx'
import { StepList } from './step-list.tsx'

/** The graph, whose code is loaded when one is shown. */
export const GraphView = later(() => import('./graph-view.tsx'))

/** The graph where there is room for it, else the list; the address may ask for the other one. */
export function StepsView(props: ComponentProps<typeof GraphView>) {
  const t = useTexts()
  const { values, change } = useAddress()
  const usual = useIsWide() ? 'graph' : 'list'
  const view = values.view ?? usual
  return (
    <>
      <SegmentedControl
        size="xs"
        mb="sm"
        aria-label={t.workflows.view}
        value={view}
        onChange={(chosen) => change({ view: chosen === usual ? undefined : chosen }, { replace: true })}
        data={[
          { value: 'graph', label: t.workflows.graph },
          { value: 'list', label: t.workflows.list },
        ]}
      />
      {view === 'list' ? (
        <StepList />
      ) : (
        <Suspense fallback={<Skeleton height={480} />}>
          <GraphView {...props} />
        </Suspense>
      )}
    </>
  )
}

/** Whether a graph has room on this screen. */
export function useIsWide(): boolean {
  return useMediaQuery('(min-width: 48em)', true, { getInitialValueInEffect: false })
}
