import { lazy } from 'react'
import { loadTexts } from '../../../lib/i18n.ts'

/** The dialog of the device list's batch bar: one command to many devices. Its code and texts come when it is opened. */
export const BatchCommand = lazy(async () => {
  const [{ BatchCommand: Dialog }] = await Promise.all([
    import('../../../ui/command-kit/batch-drawer.tsx'),
    loadTexts('command-kit'),
  ])
  return { default: Dialog }
})
