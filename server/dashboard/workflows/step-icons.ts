import {
  IconArrowsShuffle,
  IconArrowsSplit,
  IconBolt,
  IconCalendarEvent,
  IconClock,
  IconDoorExit,
  IconGitBranch,
  IconHourglass,
  IconMail,
  IconUserEdit,
  IconWebhook,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

/** The icons of the kinds of steps. */
export const STEP_ICONS: Readonly<Record<string, ComponentType<{ size: number }>>> = {
  TRIGGER: IconBolt,
  SEND_EMAIL: IconMail,
  DELAY: IconClock,
  WAIT_UNTIL: IconCalendarEvent,
  WAIT_FOR_EVENT: IconHourglass,
  CONDITION: IconGitBranch,
  SWITCH: IconArrowsSplit,
  SPLIT: IconArrowsShuffle,
  WEBHOOK: IconWebhook,
  UPDATE_CONTACT: IconUserEdit,
  EXIT: IconDoorExit,
}
