import { Skeleton } from '@mantine/core'
import { Suspense } from 'react'
import { later } from '../api/later.ts'
import type { SourceEditorProps } from './source-editor-view.tsx'

const View = later(() => import('./source-editor-view.tsx'))

/** An editor for HTML with Liquid. Its code is loaded when it is first shown. */
export function SourceEditor(props: SourceEditorProps) {
  return (
    <Suspense fallback={<Skeleton height={420} />}>
      <View {...props} />
    </Suspense>
  )
}
