import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** Triggers that watch one device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'triggers',
  of: 'triggers.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device/triggers-tabs.tsx'), loadTexts('triggers')])
    return { Component: tab.DeviceTriggersTab }
  },
}
