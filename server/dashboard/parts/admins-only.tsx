import { IconLock } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useMay } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'
import { Empty } from './empty.tsx'

/** A page that changes something, for admins; others, who come by its address, read why it is not theirs. */
export function AdminsOnly({ children }: { readonly children: ReactNode }) {
  const t = useTexts()
  const may = useMay()
  return may.change ? children : <Empty icon={<IconLock />} title={t.anywhere.notYours} hint={t.anywhere.onlyAdmins} />
}
