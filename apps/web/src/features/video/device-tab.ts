import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** The cameras that look at a device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'camera',
  of: 'videoChannels.list',
  load: async () => {
    const [tab] = await Promise.all([import('./device-cameras-tab.tsx'), loadTexts('video', 'schema-form')])
    return { Component: tab.DeviceCamerasTab }
  },
}
