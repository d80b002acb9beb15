import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** The SIM card in a device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'sim-card',
  of: 'simCards.list',
  or: 'simTraffic.ofDevice',
  load: async () => {
    const [tab] = await Promise.all([import('./device-card-tab.tsx'), loadTexts('sim-cards')])
    return { Component: tab.DeviceCardTab }
  },
}
