import type { DeviceTab } from '../../lib/device-tabs.ts'
import { loadTexts } from '../../lib/i18n.ts'

/** A LoRaWAN device at its network server, in the device centre. */
export const deviceTab: DeviceTab = {
  key: 'lora',
  of: 'loraLinks.device',
  linkType: 'lorawan',
  load: async () => {
    const [tab] = await Promise.all([import('./lora-device/lora-device-tab.tsx'), loadTexts('lora-device')])
    return { Component: tab.LoraDeviceTab }
  },
}
