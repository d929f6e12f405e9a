import {
  IconCode,
  IconColumns2,
  IconCreditCard,
  IconEyeQuestion,
  IconHandClick,
  IconHeading,
  IconLineDashed,
  IconLogout,
  IconMapPin,
  IconPhoto,
  IconPilcrow,
  IconPuzzle,
  IconShare,
  IconSpacingVertical,
} from '@tabler/icons-react'
import type { DesignNode } from './design.ts'

/** The words a new block begins with. */
interface FirstWords {
  readonly firstHeading: string
  readonly firstButton: string
  readonly firstColumn: string
  readonly firstCondition: string
  readonly firstWayOut: string
}

const words = (text: string): DesignNode => ({ type: 'paragraph', content: [{ type: 'text', text }] })
const column = (text: string): DesignNode => ({ type: 'column', content: [words(text)] })

/** The blocks that can be added, as they are at first. */
export const NEW_BLOCKS = [
  { name: 'paragraph', icon: IconPilcrow, make: (): DesignNode => ({ type: 'paragraph' }) },
  {
    name: 'heading',
    icon: IconHeading,
    make: ({ firstHeading }: FirstWords): DesignNode => ({
      type: 'heading',
      attrs: { level: 2 },
      content: [{ type: 'text', text: firstHeading }],
    }),
  },
  {
    name: 'button',
    icon: IconHandClick,
    make: ({ firstButton }: FirstWords): DesignNode => ({ type: 'button', attrs: { text: firstButton } }),
  },
  { name: 'picture', icon: IconPhoto, make: (): DesignNode => ({ type: 'picture' }) },
  {
    name: 'columns',
    icon: IconColumns2,
    make: ({ firstColumn }: FirstWords): DesignNode => ({
      type: 'columns',
      content: [column(firstColumn), column(firstColumn)],
    }),
  },
  { name: 'divider', icon: IconLineDashed, make: (): DesignNode => ({ type: 'horizontalRule' }) },
  { name: 'spacer', icon: IconSpacingVertical, make: (): DesignNode => ({ type: 'spacer' }) },
  { name: 'card', icon: IconCreditCard, make: (): DesignNode => ({ type: 'card' }) },
  { name: 'social', icon: IconShare, make: (): DesignNode => ({ type: 'social' }) },
  {
    name: 'condition',
    icon: IconEyeQuestion,
    make: ({ firstCondition }: FirstWords): DesignNode => ({ type: 'condition', content: [words(firstCondition)] }),
  },
  { name: 'postal', icon: IconMapPin, make: (): DesignNode => ({ type: 'postal' }) },
  {
    name: 'wayOut',
    icon: IconLogout,
    make: ({ firstWayOut }: FirstWords): DesignNode => ({ type: 'wayOut', attrs: { link: firstWayOut } }),
  },
  { name: 'snippet', icon: IconPuzzle, make: (): DesignNode => ({ type: 'snippet' }) },
  { name: 'source', icon: IconCode, make: (): DesignNode => ({ type: 'source', attrs: { html: '<p></p>' } }) },
] as const
