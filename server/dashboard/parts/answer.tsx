import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Problem } from './problem.tsx'

/** The answer of a query, or lines while it is on its way, or the problem in words. */
export function Answer<Data>({
  of: query,
  lines = 4,
  waiting,
  children,
}: {
  readonly of: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** How many lines stand in its place. */
  readonly lines?: number
  /** A placeholder instead of lines. */
  readonly waiting?: ReactNode
  readonly children: (data: Data) => ReactNode
}) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <Problem error={query.error} retry={() => void query.refetch()} />
  return <>{waiting ?? <Lines count={lines} />}</>
}

/** Lines instead of text that is on its way. */
function Lines({ count }: { readonly count: number }) {
  return (
    <Stack gap="sm" aria-busy="true">
      {Array.from({ length: count }, (_, at) => (
        <Skeleton key={at} height={18} width={`${92 - ((at * 17) % 40)}%`} />
      ))}
    </Stack>
  )
}
