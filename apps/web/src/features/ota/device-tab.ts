import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** Firmware of one device, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'firmware',
  of: 'otaJobs.device',
  load: async () => {
    const [tab] = await Promise.all([import('./device/device-firmware-tab.tsx'), loadTexts('ota')])
    return { Component: tab.DeviceFirmwareTab }
  },
}
