import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** Alarms of one device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'alarms',
  of: 'alarms.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device/alarms-tabs.tsx'), loadTexts('alarms')])
    return { Component: tab.DeviceAlarmsTab }
  },
}
